"""Detects regions with any object detector of transformers (RT-DETR, DETR ...).

Pictures are made ready, and what the network gives is read, by the model's own image processor. No box takes out
another, unless a call asks for it: these networks find nothing twice.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from documents.boxes import BoundingBox
from documents.errors import PageFailed
from documents.layout.batch_runner import RunnerConfig
from documents.layout.class_names import kinds_of
from documents.layout.doclayout.duplicate_suppression import surviving
from documents.layout.doclayout.letterbox import NO_PICTURE, NO_SIZE
from documents.layout.errors import LayoutCheckpointError
from documents.layout.objects.object_network import ObjectNetwork
from documents.layout.objects.object_runner import Inputs, ObjectRunner, Outputs
from documents.layout.region_detector import NO_NUMBERS, NO_SUPPRESSION, STEP_FAILED, RegionDetector, Thresholds
from documents.region_values import RegionKind
from documents.values import Detection

logger = logging.getLogger(__name__)

CONFIDENCE = 0.5  # least score: what transformers takes, and docling for nearly all classes of heron
CROP_MARGIN = (4 / 640, 1 / 640)  # text may extend this far out of its region, as a share of the page's long side
IMPOSSIBLE_LOGIT = -1e4  # with this logit, no box follows another


@dataclass(frozen=True, slots=True, eq=False)
class PreparedPicture:
    """A picture as its network takes it, and what leads from there back to the page."""

    inputs: Inputs
    shape: tuple[int, int]  # (height, width) of the picture
    unit: tuple[float, float]  # points per pixel of the picture, across and down; 1 where the page has no size


class ObjectDetector(RegionDetector[PreparedPicture]):
    """A loaded detector; what its network says of reading order is left aside."""

    def __init__(
        self,
        name: str,
        network: ObjectNetwork,
        *,
        runner: RunnerConfig | None = None,
        max_batch_size: int = 8,
        thresholds: Thresholds | None = None,
        class_confidence: Mapping[str, float] | None = None,
        classes: Mapping[str, str] | None = None,
    ) -> None:
        """`classes` says kinds of classes by their names, over those known.

        Raises:
            LayoutCheckpointError: a class has no kind, or the network does not run here.
        """
        self.name = name
        self.family = network.family
        self.image_size = network.image_size
        self.crop_margin = CROP_MARGIN
        self.max_batch_size = max_batch_size
        try:
            self._kinds: tuple[RegionKind | None, ...] = kinds_of(network.labels, classes or {})
        except ValueError as error:
            raise LayoutCheckpointError(f"{name}: {error}") from error
        self._processor = network.processor
        self._read = _reader(network.processor)
        own = thresholds or Thresholds()
        by_class = dict(class_confidence or {})
        if unknown := set(by_class) - set(self._kinds):
            raise LayoutCheckpointError(f"class_confidence names {sorted(unknown)}; kinds are {self._known_kinds()}")
        least = CONFIDENCE if own.confidence is None else own.confidence
        self._confidence = [by_class.get(kind, least) if kind is not None else math.inf for kind in self._kinds]
        self._iou_threshold = NO_SUPPRESSION if own.iou_threshold is None else own.iou_threshold
        self._runner = ObjectRunner(network.model, runner or RunnerConfig())
        self._try()

    def fit(self, picture: np.ndarray, page_size: tuple[float, float] | None = None) -> PreparedPicture:
        if page_size is not None and not all(math.isfinite(side) and side > 0 for side in page_size):
            raise PageFailed(NO_SIZE)
        if picture.ndim != 3 or picture.shape[2] != 3 or picture.dtype != np.uint8 or picture.size == 0:
            raise PageFailed(NO_PICTURE)
        height, width = picture.shape[:2]
        try:
            inputs = self._processor(images=picture, return_tensors="pt", input_data_format="channels_last")
        except (ValueError, RuntimeError, MemoryError) as error:
            raise PageFailed(NO_PICTURE) from error
        unit = (page_size[0] / width, page_size[1] / height) if page_size else (1.0, 1.0)
        return PreparedPicture(dict(inputs), (height, width), unit)

    @torch.inference_mode()
    def detect_squares(
        self, squares: Sequence[PreparedPicture], thresholds: Sequence[Thresholds]
    ) -> list[list[Detection] | PageFailed]:
        outputs = self._runner.rows([square.inputs for square in squares])
        return [
            PageFailed(STEP_FAILED) if output is None else self._regions(output, square, limits)
            for output, square, limits in zip(outputs, squares, thresholds, strict=True)
        ]

    def _regions(
        self, output: Outputs, square: PreparedPicture, thresholds: Thresholds
    ) -> list[Detection] | PageFailed:
        """What the network gives of one page as detections, surest first."""
        if not all(bool(output[name].isfinite().all()) for name in ("logits", "pred_boxes")):
            return PageFailed(NO_NUMBERS)
        try:
            return self._detections(output, square, thresholds)
        except Exception:  # code of the model's own, of which any may fail: no page may take its batch mates along
            logger.exception("the output of a layout network for a page is invalid")
            return PageFailed(STEP_FAILED)

    def _detections(self, output: Outputs, square: PreparedPicture, thresholds: Thresholds) -> list[Detection]:
        limits = self._confidence
        if thresholds.confidence is not None:
            limits = [math.inf if kind is None else thresholds.confidence for kind in self._kinds]
        result = self._read_output(output, square.shape, min(limits))
        scores, labels, boxes = result["scores"], result["labels"], result["boxes"]
        places = torch.argsort(scores, descending=True, stable=True)
        places = places[(scores > scores.new_tensor(limits)[labels])[places]]
        overlap = self._iou_threshold if thresholds.iou_threshold is None else thresholds.iou_threshold
        if overlap < NO_SUPPRESSION:
            ones = torch.ones((1, len(places)), dtype=torch.bool, device=scores.device)
            places = places[surviving(boxes[places][None], ones, scores.new_tensor([overlap]))[0]]
        facts = zip(
            scores[places].tolist(), labels[places].tolist(), _on_page(boxes[places], square).tolist(), strict=True
        )
        return [self._detection(*fact) for fact in facts]

    def _read_output(self, output: Outputs, shape: tuple[int, int], threshold: float) -> dict[str, torch.Tensor]:
        """`scores`, `labels`, and `boxes` in pixels of the picture.

        PP-DocLayoutV4's processor makes an order of all boxes first, for 150 that follow one another in 45 s; it has
        nothing to do where none follows another.
        """
        successors = output.get("successor_order_logits")
        if successors is not None:
            output = {**output, "successor_order_logits": torch.full_like(successors, IMPOSSIBLE_LOGIT)}
        sizes = torch.tensor([shape], device=output["logits"].device)
        return self._read(SimpleNamespace(**output, out_masks=None), threshold=threshold, target_sizes=sizes)[0]

    def _detection(self, score: float, label: int, box: list[float]) -> Detection:
        x0, y0, x1, y1 = box
        kind = self._kinds[label]
        assert kind is not None  # its score passed a limit
        return Detection(kind=kind, box=BoundingBox(x0=x0, y0=y0, x1=x1, y1=y1), score=score)

    def _try(self) -> None:
        """One blank page, read too: what fails for it would fail for every page."""
        blank = self.fit(np.full((self.image_size, self.image_size, 3), 255, np.uint8))
        output = self._runner.first_pass(blank.inputs)
        try:
            self._read_output(output, blank.shape, 1.0)
        except Exception as error:  # as in `_regions`
            raise LayoutCheckpointError(f"{self.name}: what it gives cannot be read: {error}") from error
        num_classes = output["logits"].shape[-1]
        if num_classes > len(self._kinds) + 1:  # one may mean: no object
            raise LayoutCheckpointError(f"{self.name} tells {num_classes} classes and names {len(self._kinds)}")

    def _known_kinds(self) -> list[str]:
        return sorted({kind for kind in self._kinds if kind is not None})


def _reader(processor: Any) -> Callable[..., Any]:
    """The processor's own way to read what its network gives.

    PP-DocLayoutV3's makes polygons of masks too, which takes longer than the network; V2's is the same without them.
    """
    if type(processor).__name__ == "PPDocLayoutV3ImageProcessor":
        from transformers import PPDocLayoutV2ImageProcessor

        return PPDocLayoutV2ImageProcessor.post_process_object_detection.__get__(processor)
    return processor.post_process_object_detection


def _on_page(boxes: torch.Tensor, square: PreparedPicture) -> torch.Tensor:
    """Boxes (k, 4) in pixels on their page, cut at its edges, in float64: a page may be a million points wide."""
    ends = torch.tensor([square.shape[1], square.shape[0]] * 2, dtype=torch.float64)
    unit = torch.tensor([*square.unit] * 2, dtype=torch.float64)
    return torch.minimum(boxes.double().cpu().clamp(min=0), ends) * unit
