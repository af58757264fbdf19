"""Detects regions with DocLayout-YOLO: prepares pictures and turns network output into boxes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch

from documents.boxes import BoundingBox
from documents.errors import PageFailed
from documents.layout.batch_runner import RunnerConfig
from documents.layout.doclayout.duplicate_suppression import surviving
from documents.layout.doclayout.letterbox import Square, fit
from documents.layout.doclayout.network import load_network, read_config
from documents.layout.doclayout.network_runner import NetworkRunner
from documents.layout.errors import LayoutCheckpointError
from documents.layout.region_detector import NO_NUMBERS, NO_SUPPRESSION, STEP_FAILED, RegionDetector, Thresholds
from documents.region_values import RegionKind
from documents.values import Detection

DEFAULT_MARGIN = {"x": 4.0, "y": 1.0}  # text may extend this many pixels of the square out of its region


class Detector(RegionDetector[Square]):
    """A loaded DocLayout-YOLO; fixed squares in, regions out."""

    family = "doclayout_yolo"

    def __init__(
        self,
        folder: str | Path,
        *,
        name: str = "",
        runner: RunnerConfig | None = None,
        max_batch_size: int = 8,
        thresholds: Thresholds | None = None,
        class_confidence: Mapping[str, float] | None = None,
    ) -> None:
        """`class_confidence` overrides the least score by kind; `name` is the folder's if empty.

        Raises:
            LayoutCheckpointError: the checkpoint cannot be loaded, or a kind or way of running is unknown.
        """
        folder = Path(folder)
        config, own = read_config(folder), thresholds or Thresholds()
        self.name: str = name or folder.name
        self.image_size: int = int(config["image_size"])
        margin = config.get("crop_margin", DEFAULT_MARGIN)
        self.crop_margin = (float(margin["x"]) / self.image_size, float(margin["y"]) / self.image_size)
        self.max_batch_size = max_batch_size
        self._classes: tuple[RegionKind, ...] = tuple(config["classes"])
        least = float(config["confidence"]) if own.confidence is None else own.confidence
        by_class = {} if own.confidence is not None else config.get("class_confidence", {})
        by_class = {**by_class, **(class_confidence or {})}
        if unknown := set(by_class) - set(self._classes):
            raise LayoutCheckpointError(f"class_confidence names {sorted(unknown)}; kinds are {list(self._classes)}")
        self._confidence = [float(by_class.get(kind, least)) for kind in self._classes]
        suppress = config["suppress_iou"] if own.iou_threshold is None else own.iou_threshold
        self._iou_threshold = NO_SUPPRESSION if suppress is None else float(suppress)
        self._runner = NetworkRunner(load_network(folder, config), self.image_size, runner or RunnerConfig())

    def fit(self, picture: np.ndarray, page_size: tuple[float, float] | None = None) -> Square:
        return fit(picture, self.image_size, page_size)

    @torch.inference_mode()
    def detect_squares(
        self, squares: Sequence[Square], thresholds: Sequence[Thresholds]
    ) -> list[list[Detection] | PageFailed]:
        rows = self._runner.rows([square.pixels for square in squares])
        results: list[list[Detection] | PageFailed] = [PageFailed(STEP_FAILED) for _ in squares]
        done = [(index, row) for index, row in enumerate(rows) if row is not None]
        if done:
            indices = [index for index, _ in done]
            regions = self._regions(
                torch.stack([row for _, row in done]), [squares[i] for i in indices], [thresholds[i] for i in indices]
            )
            for index, detections in zip(indices, regions, strict=True):
                results[index] = detections
        return results

    def _regions(
        self, rows: torch.Tensor, squares: Sequence[Square], thresholds: Sequence[Thresholds]
    ) -> list[list[Detection] | PageFailed]:
        """Rows (n, k, 6) of x0, y0, x1, y1, score, class in the square to detections on the pages."""
        sound = rows.isfinite().flatten(1).all(1)
        limits = rows.new_tensor([self._least(limits_of_page) for limits_of_page in thresholds])
        overlap = rows.new_tensor(
            [
                self._iou_threshold if limits_of_page.iou_threshold is None else limits_of_page.iou_threshold
                for limits_of_page in thresholds
            ]
        )
        rows = rows.nan_to_num()
        above = rows[..., 4] > limits.gather(1, rows[..., 5].long())
        width = 1 + int((above * torch.arange(rows.shape[1], device=rows.device)).max())  # the rest is below all
        rows, above = rows[:, :width], above[:, :width]
        stay = surviving(rows[..., :4], above, overlap)
        boxes = _on_page(rows[..., :4], squares)
        counts, sound, boxes = stay.sum(1).tolist(), sound.tolist(), boxes[stay.cpu()].tolist()
        facts = zip(boxes, rows[stay][:, 4:].tolist(), strict=True)
        regions = [[self._detection(*next(facts)) for _ in range(count)] for count in counts]
        return [detections if ok else PageFailed(NO_NUMBERS) for detections, ok in zip(regions, sound, strict=True)]

    def _least(self, thresholds: Thresholds) -> list[float]:
        """The least score of each class."""
        return self._confidence if thresholds.confidence is None else [thresholds.confidence] * len(self._classes)

    def _detection(self, box: list[float], facts: list[float]) -> Detection:
        x0, y0, x1, y1 = box
        return Detection(kind=self._classes[int(facts[1])], box=BoundingBox(x0=x0, y0=y0, x1=x1, y1=y1), score=facts[0])


def _on_page(boxes: torch.Tensor, squares: Sequence[Square]) -> torch.Tensor:
    """Boxes (n, k, 4) of squares on their pages, cut at the edges, in float64: a page may be a million points wide."""

    def as_boxes(values: list[tuple[float, float]]) -> torch.Tensor:
        return torch.tensor(values, dtype=torch.float64).repeat(1, 2)[:, None]

    corner, unit = as_boxes([square.corner for square in squares]), as_boxes([square.unit for square in squares])
    scale = as_boxes([(square.scale, square.scale) for square in squares])
    ends = as_boxes([(square.shape[1], square.shape[0]) for square in squares])
    return torch.minimum(((boxes.double().cpu() - corner) / scale).clamp_(min=0), ends) * unit
