"""Knows the axes of a chart by the numbers that stand beside its drawing at even steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from documents.boxes import BoundingBox
from documents.draft.near_lines import NearLines
from documents.inspection import TextLine
from documents.tables.cells import is_value


@dataclass(frozen=True, slots=True, kw_only=True)
class Axes:
    """What makes numbers beside a drawing those of axes."""

    min_side: float = 40.0  # points of the drawing
    min_values: int = 3  # of each axis
    gap: float = 2.0  # in sizes of the type, to the drawing, for numbers left or right of it
    min_gap_below: float = 0.25  # in sizes of the type, to the middle of numbers below
    max_gap_below: float = 3.0
    uneven: float = 0.15  # of the usual step, by which steps may differ
    min_inner: int = 4  # of an axis within a frame around its chart
    max_inner: float = 2.0  # values within the frame, per number of the axis: a table has them in each row
    max_lines: float = 1.0  # within the drawing, per number of its axes: a table is full of words


def has_axes(box: BoundingBox, lines: NearLines, limits: Axes) -> bool:
    """Whether numbers stand at even steps below a drawing, and left or right of it."""
    if min(box.width, box.height) < limits.min_side:
        return False
    below: list[float] = []
    left: list[float] = []
    right: list[float] = []
    near = lines.touching(box, max(limits.gap, limits.max_gap_below))
    for word in (word for line in near if is_value(line.text) for word in line.words):
        own, size = word.box, word.font_size
        gap = limits.gap * size
        x, y = own.center
        if box.x0 - gap <= x <= box.x1 + gap and (
            limits.min_gap_below * size <= y - box.y1 <= limits.max_gap_below * size
        ):
            below.append(x)
        elif box.y0 - gap <= y <= box.y1 + gap:
            if 0 <= box.x0 - own.x1 <= gap:
                left.append(y)
            elif 0 <= own.x0 - box.x1 <= gap:
                right.append(y)
    upright = max(left, right, key=len)
    if not _is_even(below, limits) or not _is_even(upright, limits):
        return False
    num_within = sum(box.contains(*line.box.center) for line in near)
    return num_within <= limits.max_lines * (len(below) + len(upright))


def frames_axis(lines: Sequence[TextLine], limits: Axes) -> bool:
    """Whether numbers stand at even steps in one row or column of the lines within a frame, and few others do."""
    values = [line.box for line in lines if is_value(line.text)]
    for along, across in ((0, 1), (1, 0)):
        lanes: dict[int, list[float]] = {}
        for value in values:
            lanes.setdefault(round(value.center[across] / max(value.height, 1.0)), []).append(value.center[along])
        axis = max(lanes.values(), key=len, default=[])
        if limits.min_inner <= len(axis) >= len(values) / limits.max_inner and _is_even(axis, limits):
            return True
    return False


def _is_even(places: Sequence[float], limits: Axes) -> bool:
    if len(places) < limits.min_values:
        return False
    steps = [b - a for a, b in pairwise(sorted(places))]
    usual = median(steps)
    return usual > 0 and all(abs(step - usual) <= limits.uneven * usual for step in steps)
