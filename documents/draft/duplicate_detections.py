"""Removes duplicate detections of a page: of two that cover one another the surer stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from documents.boxes import BoundingBox, Value
from documents.page_index import PageIndex
from documents.values import Detection

SPECK_REASON = "too small to hold a letter"
DUPLICATE_REASON = "a surer region lies there"
PART_REASON = "a part of another region"
# regions of these kinds stay separate inside another region
SEPARATE_KINDS = ("title", "figure_caption", "table_caption", "table_footnote")


@dataclass(frozen=True, slots=True)
class Overlaps:
    """When two detections are one, and when one is none."""

    same: float = 0.5  # intersection over union: one region found twice
    inside: float = 0.8  # of the smaller box
    smallest: float = 3.0  # points of width and height


DEFAULT_OVERLAPS = Overlaps()


class Dropped(Value):
    """A detection that is no region of its own, and why."""

    detection: Detection
    reason: str


def resolve(detections: Sequence[Detection], limits: Overlaps = DEFAULT_OVERLAPS) -> list[Detection]:
    """The detections to keep, surest first."""
    return resolve_with_reasons(detections, limits)[0]


def resolve_with_reasons(
    detections: Sequence[Detection], limits: Overlaps = DEFAULT_OVERLAPS
) -> tuple[list[Detection], list[Dropped]]:
    """The detections to keep, surest first, and the others with the reason."""
    kept_boxes = _Kept()
    dropped: list[Dropped] = []
    for detection in sorted(detections, key=lambda d: -d.score):
        if reason := _against(detection, kept_boxes.over(detection.box), limits):
            dropped.append(Dropped(detection=detection, reason=reason))
            continue
        parts = [number for number, other in kept_boxes.within(detection.box) if _swallows(detection, other, limits)]
        dropped += [Dropped(detection=kept_boxes.drop(part), reason=PART_REASON) for part in parts]
        kept_boxes.add(detection)
    return kept_boxes.all(), dropped


class _Kept:
    """Detections by number, in the order in which they came; boxes that cover much of one another hold a middle."""

    def __init__(self) -> None:
        self._detections: dict[int, Detection] = {}
        self._boxes = PageIndex()

    def add(self, detection: Detection) -> None:
        self._detections[self._boxes.add(detection.box)] = detection

    def drop(self, number: int) -> Detection:
        return self._detections.pop(number)

    def all(self) -> list[Detection]:
        return list(self._detections.values())

    def over(self, box: BoundingBox) -> list[Detection]:
        """Those that hold the middle of a box."""
        return [self._detections[k] for k in self._boxes.holding(*box.center) if k in self._detections]

    def within(self, box: BoundingBox) -> list[tuple[int, Detection]]:
        """Those whose middle a box holds, with their numbers."""
        numbers = self._boxes.with_middle_in(box)
        return [(number, self._detections[number]) for number in numbers if number in self._detections]


def _against(detection: Detection, near: Sequence[Detection], limits: Overlaps) -> str | None:
    """Why a detection is not kept beside those surer ones that hold its middle."""
    if min(detection.box.width, detection.box.height) < limits.smallest:
        return SPECK_REASON
    if any(_same(detection.box, other.box, limits) for other in near):
        return DUPLICATE_REASON
    return PART_REASON if any(_swallows(other, detection, limits) for other in near) else None


def _same(a: BoundingBox, b: BoundingBox, limits: Overlaps) -> bool:
    both = a.intersection(b)
    return both > limits.same * (a.area + b.area - both)


def _swallows(outer: Detection, inner: Detection, limits: Overlaps) -> bool:
    """Whether `inner` is but a part of `outer`: titles and captions are parts of nothing, a figure holds no text."""
    if outer.box.area <= inner.box.area or inner.box.share_inside(outer.box) < limits.inside:
        return False
    return inner.kind not in SEPARATE_KINDS and (outer.kind != "figure" or inner.kind == "figure")
