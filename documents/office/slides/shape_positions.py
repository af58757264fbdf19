"""Computes where shapes lie on a slide, also within groups, and in which order a person reads them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from documents.boxes import NO_BOX, BoundingBox
from documents.office.packages.xml_parsing import Element, attribute, child, name_of

EMU_PER_POINT = 12_700
MAX_POINTS = 1e6
MAX_CUTS = 50  # one within another
MIN_GAP_DIFFERENCE = 0.5  # a gap is wider than another one if the difference is at least this, in points
MAX_OVERLAP = 4.0  # maximum overlap of boxes of two rows or columns, in points: their text stands inside of a margin


@dataclass(frozen=True, slots=True)
class Transform:
    """From units of a group to points of the slide: scaled, then shifted."""

    scale_x: float = 1.0
    scale_y: float = 1.0
    shift_x: float = 0.0
    shift_y: float = 0.0

    def applied(self, box: BoundingBox) -> BoundingBox:
        return box.scaled(self.scale_x, self.scale_y).shifted(self.shift_x, self.shift_y)

    def within(self, group: Element) -> Transform:
        """Of the shapes in a group that itself stands under this transform."""
        frame = child(group, "grpSpPr", "xfrm")
        own, inner = _corner(frame, "off", "ext"), _corner(frame, "chOff", "chExt")
        if own is None or inner is None or not inner.width or not inner.height:
            return self
        scale_x, scale_y = own.width / inner.width, own.height / inner.height
        return Transform(
            self.scale_x * scale_x,
            self.scale_y * scale_y,
            self.shift_x + self.scale_x * (own.x0 - inner.x0 * scale_x),
            self.shift_y + self.scale_y * (own.y0 - inner.y0 * scale_y),
        )


def box_of(shape: Element) -> BoundingBox | None:
    """In points of whatever it stands in; None where it inherits its place."""
    frame = child(shape, "xfrm") if name_of(shape) == "graphicFrame" else child(shape, "spPr", "xfrm")
    return _corner(frame, "off", "ext")


class Shapes(NamedTuple):
    """A shape, or a group of them in its order, and the box around all."""

    box: BoundingBox
    items: list[Any]


def in_reading_order(shapes: Sequence[Shapes]) -> list[Shapes]:
    """From the top to the bottom and from the left to the right, columns one after the other; those nowhere are last.

    The widest gap that parts all shapes into rows or columns decides: what stands in a column is closer together.
    """
    placed = [one for one in shapes if one.box != NO_BOX]
    return [*_cut(placed, 0), *(one for one in shapes if one.box == NO_BOX)]


def box_around(boxes: Iterable[BoundingBox]) -> BoundingBox:
    placed = [box for box in boxes if box != NO_BOX]
    if not placed:
        return NO_BOX
    return BoundingBox(
        x0=min(box.x0 for box in placed),
        y0=min(box.y0 for box in placed),
        x1=max(box.x1 for box in placed),
        y1=max(box.y1 for box in placed),
    )


def _cut(shapes: Sequence[Shapes], depth: int) -> list[Shapes]:
    """The shapes of one part of a slide in their order."""
    if len(shapes) < 2:
        return list(shapes)
    if depth > MAX_CUTS:
        return sorted(shapes, key=_line)
    rows, row_gap = _parted(sorted(shapes, key=lambda one: (one.box.y0, one.box.x0)), "y0", "y1")
    columns, column_gap = _parted(sorted(shapes, key=lambda one: (one.box.x0, one.box.y0)), "x0", "x1")
    parts = columns if not rows or (columns and column_gap > row_gap) else rows
    if parts:
        return [one for part in parts for one in _cut(part, depth + 1)]
    largest = max(shapes, key=lambda one: one.box.width * one.box.height)
    others = [one for one in shapes if one is not largest]
    if any(_holds(largest.box, one.box) for one in others):  # a panel or a picture behind the others
        return [largest, *_cut(others, depth + 1)]
    return sorted(shapes, key=_line)


def _line(shapes: Shapes) -> tuple[int, float]:
    """Where shapes that overlap begin: about as high, then from the left."""
    return round(shapes.box.y0 / MAX_OVERLAP), shapes.box.x0


def _parted(shapes: Sequence[Shapes], start: str, end: str) -> tuple[list[Sequence[Shapes]], float]:
    """The two parts between which the widest gap lies, and that gap; no parts where no line can be drawn."""
    cut, widest = 0, -MAX_POINTS
    reached = getattr(shapes[0].box, end)
    for number, one in enumerate(shapes[1:], 1):
        gap = getattr(one.box, start) - reached
        overlap = min(MAX_OVERLAP, (getattr(one.box, end) - getattr(one.box, start)) / 2)
        if gap > -overlap and gap > widest + MIN_GAP_DIFFERENCE:
            cut, widest = number, gap
        reached = max(reached, getattr(one.box, end))
    return ([shapes[:cut], shapes[cut:]] if cut else []), widest


def _holds(outer: BoundingBox, inner: BoundingBox) -> bool:
    x, y = (inner.x0 + inner.x1) / 2, (inner.y0 + inner.y1) / 2
    return outer.x0 <= x <= outer.x1 and outer.y0 <= y <= outer.y1


def _corner(frame: Element | None, corner: str, extent: str) -> BoundingBox | None:
    at, size = child(frame, corner), child(frame, extent)
    if at is None or size is None:
        return None
    x, y = _points(attribute(at, "x")), _points(attribute(at, "y"))
    return BoundingBox(x0=x, y0=y, x1=x + _points(attribute(size, "cx")), y1=y + _points(attribute(size, "cy")))


def _points(text: str | None) -> float:
    try:
        return max(-MAX_POINTS, min(MAX_POINTS, int(text or "0") / EMU_PER_POINT))
    except ValueError:
        return 0.0
