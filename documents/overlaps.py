"""Detections of one page, freed of duplicates: what is left may touch, but nothing is found twice."""

from __future__ import annotations

from collections.abc import Sequence

from documents.values import BoundingBox, Detection

SAME = 0.5  # intersection over union: one region found twice
INSIDE = 0.8  # of the smaller box
SMALLEST = 3.0  # points
APART = ("title", "figure_caption", "table_caption", "table_footnote")  # kinds that stay themselves inside another


def resolve(detections: Sequence[Detection]) -> list[Detection]:
    """The detections to keep, surest first."""
    kept: list[Detection] = []
    for found in sorted(detections, key=lambda d: -d.score):
        if found.box.width < SMALLEST or found.box.height < SMALLEST:
            continue
        if any(_same(found.box, other.box) for other in kept):
            continue
        if any(_swallows(other, found) for other in kept):
            continue
        kept = [other for other in kept if not _swallows(found, other)]
        kept.append(found)
    return kept


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
