"""The interface of all layout detectors, and confidence thresholds per kind of region."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from documents.errors import PageFailed
from documents.values import Detection

STEP_FAILED = "the layout model failed on this page"
NO_NUMBERS = "the layout model returned invalid numbers for this page"
NO_SUPPRESSION = 1.0  # as a maximum overlap: no box suppresses another

Prepared = TypeVar("Prepared")


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What counts as a region; None leaves it to the detector."""

    confidence: float | None = None  # least score, of all kinds
    iou_threshold: float | None = None  # overlap above which the less sure of two is a duplicate; 1 keeps both


class RegionDetector(ABC, Generic[Prepared]):
    """What a page gives never depends on the pages that share its batch.

    `image_size` is the long side, in pixels, of the pictures it wants; `crop_margin` (across, down) how far text may
    stick out of a region, in shares of the page's long side.
    """

    name: str
    family: str  # of networks, as `GET /readyz` names it
    image_size: int
    crop_margin: tuple[float, float]
    max_batch_size: int

    @abstractmethod
    def fit(self, picture: np.ndarray, page_size: tuple[float, float] | None = None) -> Prepared:
        """An RGB picture, uint8 (height, width, 3), made ready for `detect_squares`, in any thread.

        Raises PageFailed: it is no picture, or `page_size` (width, height in points) is no size.
        """

    @abstractmethod
    def detect_squares(
        self, squares: Sequence[Prepared], thresholds: Sequence[Thresholds]
    ) -> list[list[Detection] | PageFailed]:
        """The regions of each prepared picture, in one batch, each by its own thresholds; as `detect`."""

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
        pass fails even alone, gives PageFailed in its place.
        """
        thresholds = Thresholds(confidence, iou_threshold)
        results: list[list[Detection] | PageFailed] = []
        squares: list[tuple[int, Prepared]] = []
        for picture, size in zip(pictures, page_sizes, strict=True):
            try:
                squares.append((len(results), self.fit(picture, size)))
                results.append([])
            except PageFailed as error:
                results.append(error)
        for start in range(0, len(squares), self.max_batch_size):
            group = squares[start : start + self.max_batch_size]
            regions = self.detect_squares([square for _, square in group], [thresholds] * len(group))
            for (index, _), region in zip(group, regions, strict=True):
                results[index] = region
        return results
