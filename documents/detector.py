"""Finds the regions of page pictures; what it finds on a page never depends on the pages that share its batch."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import cv2
import numpy as np
import torch
from safetensors.torch import load_file
from torchvision.ops import nms

from documents.checkpoint import LayoutCheckpointError, layout_folder
from documents.errors import PageFailed
from documents.offline import quiet_import
from documents.values import BoundingBox, Detection, RegionKind

logger = logging.getLogger(__name__)

GREY = 114  # what surrounds a page in the square, as in training
MAX_DETECTIONS = 300
NO_PICTURE = "the page's picture cannot be searched for regions"
STEP_FAILED = "the layout model failed on this page"
DEFAULT_MARGIN = {"x": 4.0, "y": 1.0}  # pixels of the square: how far text may stick out of its region


@dataclass(frozen=True, slots=True)
class _Fit:
    """A picture in the square: which it is, at what scale, and where its corner came to lie."""

    index: int
    square: np.ndarray
    scale: float
    x: int
    y: int


class Detector:
    """A loaded layout network; one fixed square in, regions out."""

    def __init__(self, path_or_id: str | Path, *, device: str = "cpu", max_batch_size: int = 8) -> None:
        folder = layout_folder(path_or_id)
        config = _config(folder)
        self.name: str = Path(path_or_id).name
        self.image_size: int = int(config["image_size"])
        self.confidence: float = float(config["confidence"])
        self.iou_threshold: float = float(config["suppress_iou"])
        margin = config.get("crop_margin", DEFAULT_MARGIN)
        self.crop_margin = (float(margin["x"]) / self.image_size, float(margin["y"]) / self.image_size)
        self.max_batch_size = max_batch_size
        self._classes: tuple[RegionKind, ...] = tuple(config["classes"])
        self._device = torch.device(device)
        self._model = _load(folder, config).to(self._device)

    @torch.inference_mode()
    def detect(
        self,
        pictures: Sequence[np.ndarray],
        page_sizes: Sequence[tuple[float, float] | None],
        *,
        confidence: float | None = None,
        iou_threshold: float | None = None,
    ) -> list[list[Detection] | PageFailed]:
        """The regions of each RGB picture, uint8 (height, width, 3), surest first.

        Boxes are in points where the page's (width, height) is given, else in pixels. A picture that is none, or whose
        step fails even alone, gives PageFailed in its place.
        """
        found: list[list[Detection] | PageFailed] = [PageFailed(NO_PICTURE)] * len(pictures)
        fits: list[_Fit] = []
        for index, picture in enumerate(pictures):
            try:
                fits.append(_Fit(index, *letterbox(picture, self.image_size)))
            except (ValueError, cv2.error):
                logger.exception("a picture does not fit the layout network")
        limits = (
            self.confidence if confidence is None else confidence,
            self.iou_threshold if iou_threshold is None else iou_threshold,
        )
        for start in range(0, len(fits), self.max_batch_size):
            group = fits[start : start + self.max_batch_size]
            for fit, rows in zip(group, self._rows(group), strict=True):
                if rows is None:
                    found[fit.index] = PageFailed(STEP_FAILED)
                else:
                    found[fit.index] = self._regions(
                        rows, fit, pictures[fit.index].shape, page_sizes[fit.index], limits
                    )
        return found

    def _rows(self, group: Sequence[_Fit]) -> list[torch.Tensor | None]:
        """The network's rows for each square; a step that fails is tried again singly, None: it failed alone too."""
        try:
            return list(self._step(group))
        except RuntimeError:  # of any kind, out of memory among them: no picture may take its batch mates along
            logger.exception("a layout step of %d pages failed", len(group))
        if self._device.type == "cuda":  # out of the handler, whose traceback held the failed step's tensors
            torch.cuda.empty_cache()
        return [None] if len(group) == 1 else [rows for fit in group for rows in self._rows([fit])]

    def _step(self, group: Sequence[_Fit]) -> torch.Tensor:
        """(n, MAX_DETECTIONS, 6)."""
        batch = torch.from_numpy(np.stack([fit.square for fit in group])).to(self._device)
        return self._model(batch.permute(0, 3, 1, 2).float().div_(255))

    def _regions(
        self,
        rows: torch.Tensor,
        fit: _Fit,
        shape: tuple[int, ...],
        page_size: tuple[float, float] | None,
        limits: tuple[float, float],
    ) -> list[Detection]:
        """Rows of x0, y0, x1, y1, score, class in the square to detections on the page."""
        (x, y, scale), (height, width) = (fit.x, fit.y, fit.scale), shape[:2]
        rows = rows[rows[:, 4] > limits[0]]
        rows = rows[nms(rows[:, :4], rows[:, 4], limits[1])].cpu()  # whatever the class: one region, one class
        to_x, to_y = (page_size[0] / width, page_size[1] / height) if page_size else (1.0, 1.0)
        found: list[Detection] = []
        for x0, y0, x1, y1, score, kind in rows.tolist():
            left, right = (min(max((edge - x) / scale, 0), width) * to_x for edge in (x0, x1))
            top, bottom = (min(max((edge - y) / scale, 0), height) * to_y for edge in (y0, y1))
            box = BoundingBox(x0=left, y0=top, x1=right, y1=bottom)
            found.append(Detection(kind=self._classes[int(kind)], box=box, score=score))
        return found


def letterbox(picture: np.ndarray, size: int) -> tuple[np.ndarray, float, int, int]:
    """Fit a picture into the middle of a grey square; with it, the scale and where the picture's corner came to lie."""
    if picture.ndim != 3 or picture.shape[2] != 3 or picture.dtype != np.uint8 or picture.size == 0:
        raise ValueError(f"not an RGB picture: {picture.dtype} {picture.shape}")
    height, width = picture.shape[:2]
    scale = min(size / height, size / width)
    new_height, new_width = max(1, round(height * scale)), max(1, round(width * scale))
    y, x = (size - new_height) // 2, (size - new_width) // 2
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    square = np.full((size, size, 3), GREY, np.uint8)
    square[y : y + new_height, x : x + new_width] = cv2.resize(picture, (new_width, new_height), interpolation=how)
    return square, scale, x, y


def _config(folder: Path) -> dict[str, Any]:
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    unknown = set(config["classes"]) - set(get_args(RegionKind))
    if unknown:
        raise LayoutCheckpointError(f"{folder} knows classes that are no kind of region: {sorted(unknown)}")
    return config


def _load(folder: Path, config: dict[str, Any]) -> torch.nn.Module:
    """A module in evaluation mode: (n, 3, s, s) in 0..1 to (n, MAX_DETECTIONS, 6)."""
    with quiet_import():
        from doclayout_yolo.nn.tasks import YOLOv10DetectionModel

    logging.getLogger("doclayout_yolo").setLevel(logging.WARNING)  # it prints each setting of ours that is not its own
    model: Any = YOLOv10DetectionModel(config["architecture"], nc=len(config["classes"]), verbose=False)
    model.load_state_dict(load_file(folder / "model.safetensors"))  # halves are widened as they are copied
    if config.get("head") == "one_to_many":  # learns faster than the one-to-one head, and needs suppression
        model.model[-1].one2one_cv2, model.model[-1].one2one_cv3 = model.model[-1].cv2, model.model[-1].cv3
    model = model.requires_grad_(False).eval().fuse(verbose=False)
    head = model.model[-1]
    head.export, head.format, head.max_det = True, "onnx", MAX_DETECTIONS  # boxes as corners, from one head alone
    return model
