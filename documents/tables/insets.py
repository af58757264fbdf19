"""Ignores shades that a program draws within a cell, less its margins: such a cell is one box."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from documents.tables.cells import PlacedWord
from documents.tables.point_index import PointIndex
from documents.values import BoundingBox

MARGIN = 7.0  # points: the widest margin of a cell
ALIKE = 2.0  # points by which the margins at the left and right of a cell differ
SAME = 1.0  # points between edges that are one

Boxes = Mapping[tuple[int, int], Sequence[BoundingBox]]  # by their left and right edge, from the top


def without_insets(cells: Sequence[BoundingBox], words: Sequence[PlacedWord]) -> list[BoundingBox]:
    """The boxes of a grid; two margins without words, and what is shaded between them, are one box."""
    margins = _margins(cells, words)
    if len(margins) < 2:
        return list(cells)
    by_sides: defaultdict[tuple[int, int], list[BoundingBox]] = defaultdict(list)
    for cell in sorted(cells, key=lambda cell: cell.y0):
        by_sides[round(cell.x0), round(cell.x1)].append(cell)
    joined: list[BoundingBox] = []
    parts: set[int] = set()
    levels: defaultdict[tuple[int, int], list[BoundingBox]] = defaultdict(list)
    for margin in margins:
        levels[round(margin.y0), round(margin.y1)].append(margin)
    for level in levels.values():
        for left, right in pairwise(sorted(level, key=lambda margin: margin.x0)):
            within = _shaded(left, right, by_sides)
            if within and parts.isdisjoint(map(id, (left, right, *within))):
                joined.append(BoundingBox.around([left, right, *within]))
                parts.update(map(id, (left, right, *within)))
    return [*(cell for cell in cells if id(cell) not in parts), *joined]


def _margins(cells: Sequence[BoundingBox], words: Sequence[PlacedWord]) -> list[BoundingBox]:
    """Narrow boxes without a word."""
    narrow = [cell for cell in cells if cell.width <= MARGIN < cell.height]
    index = PointIndex(narrow)
    with_words = {k for one in words for k in index.holding(*one.box.center)} if len(narrow) > 1 else set[int]()
    return [cell for k, cell in enumerate(narrow) if k not in with_words]


def _shaded(left: BoundingBox, right: BoundingBox, by_sides: Boxes) -> list[BoundingBox]:
    """The boxes that fill all between two margins, or none if they do not."""
    if abs(left.width - right.width) > ALIKE or right.x0 - left.x1 <= MARGIN:
        return []
    within: list[BoundingBox] = []
    for stack in _near(left.x1, right.x0, by_sides):
        for cell in stack[bisect_left(stack, left.y0 - SAME, key=lambda cell: cell.y0) :]:
            if cell.y1 > left.y1 + SAME:
                break
            within.append(cell)
    covered = sum(cell.height for cell in within)
    return within if abs(covered - left.height) <= SAME * max(1, len(within)) else []


def _near(x0: float, x1: float, by_sides: Boxes) -> Iterator[Sequence[BoundingBox]]:
    for i in (-1, 0, 1):
        for j in (-1, 0, 1):
            yield by_sides.get((round(x0) + i, round(x1) + j), ())
