"""Detections of one page, freed of duplicates: what is left may touch, but nothing is found twice."""

from __future__ import annotations

from collections.abc import Sequence

from documents.values import BoundingBox, Detection, Value

SAME = 0.5  # intersection over union: one region found twice
INSIDE = 0.8  # of the smaller box
SMALLEST = 3.0  # points
SPECK, DUPLICATE, PART = "too small to hold a letter", "a surer region lies there", "a part of another region"
APART = ("title", "figure_caption", "table_caption", "table_footnote")  # kinds that stay themselves inside another


class Dropped(Value):
    """A detection that is no region of its own, and why."""

    detection: Detection
    reason: str


def resolve(detections: Sequence[Detection]) -> list[Detection]:
    """The detections to keep, surest first."""
    return resolve_with_reasons(detections)[0]


def resolve_with_reasons(detections: Sequence[Detection]) -> tuple[list[Detection], list[Dropped]]:
    """The detections to keep, surest first, and the others with the reason."""
    kept: list[Detection] = []
    dropped: list[Dropped] = []
    for found in sorted(detections, key=lambda d: -d.score):
        if reason := _against(found, kept):
            dropped.append(Dropped(detection=found, reason=reason))
            continue
        parts = [other for other in kept if _swallows(found, other)]
        dropped += [Dropped(detection=part, reason=PART) for part in parts]
        kept = [*(other for other in kept if other not in parts), found]
    return kept, dropped


def _against(found: Detection, kept: Sequence[Detection]) -> str | None:
    """Why a detection is not kept beside those that are surer."""
    if found.box.width < SMALLEST or found.box.height < SMALLEST:
        return SPECK
    if any(_same(found.box, other.box) for other in kept):
        return DUPLICATE
    return PART if any(_swallows(other, found) for other in kept) else None


def share_inside(inner: BoundingBox, outer: BoundingBox) -> float:
    """How much of `inner` lies in `outer`; of a box without area, whether its middle does."""
    return inner.intersection(outer) / inner.area if inner.area else float(outer.contains(*inner.center))


def _same(a: BoundingBox, b: BoundingBox) -> bool:
    both = a.intersection(b)
    return both > SAME * (a.area + b.area - both)


def _swallows(outer: Detection, inner: Detection) -> bool:
    """Whether `inner` is but a part of `outer`: titles and captions are parts of nothing, a figure holds no text."""
    if outer.box.area <= inner.box.area or share_inside(inner.box, outer.box) < INSIDE:
        return False
    return inner.kind not in APART and (outer.kind != "figure" or inner.kind == "figure")
