"""Ignores shades that a program draws within a cell, less its margins: such a cell is one box."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from documents.boxes import BoundingBox
from documents.page_index import PageIndex
from documents.tables.cells import PlacedWord

MAX_CELL_MARGIN = 7.0  # maximum margin of a cell, in points
MAX_MARGIN_DIFFERENCE = 2.0  # maximum difference of the margins at the left and right of a cell, in points
MAX_EDGE_DISTANCE = 1.0  # maximum distance between edges that are one, in points

Inset = tuple[BoundingBox, list[BoundingBox], BoundingBox]  # the margins, and between them what is shaded
Stacks = Mapping[tuple[int, int], Sequence[BoundingBox]]  # by their left and right edge, from the top


def without_insets(cells: Sequence[BoundingBox], words: Sequence[PlacedWord]) -> list[BoundingBox]:
    """The boxes of a grid; two margins without words, and what is shaded between them, are one box.

    Not where an edge between the shades goes on beyond the margins: it parts rows of a table with narrow columns.
    """
    margins = _margins(cells, words)
    if len(margins) < 2:
        return list(cells)
    xs = _Edges(edge for cell in cells for edge in (cell.x0, cell.x1))
    ys = _Edges(edge for cell in cells for edge in (cell.y0, cell.y1))
    stacks: defaultdict[tuple[int, int], list[BoundingBox]] = defaultdict(list)
    for cell in sorted(cells, key=lambda cell: cell.y0):
        stacks[xs.number(cell.x0), xs.number(cell.x1)].append(cell)
    levels: defaultdict[tuple[int, int], list[BoundingBox]] = defaultdict(list)
    for margin in margins:
        levels[ys.number(margin.y0), ys.number(margin.y1)].append(margin)
    narrow = {id(margin) for margin in margins}
    whole = {(ys.number(cell.y0), ys.number(cell.y1)) for cell in cells if id(cell) not in narrow}
    candidates = [
        one for at, level in levels.items() for one in _candidates(level, stacks, xs, ys, beside_whole=at in whole)
    ]
    shades = {id(cell) for _, within, _ in candidates for cell in within}
    reach = _reach([cell for cell in cells if id(cell) not in shades], ys)
    joined: list[BoundingBox] = []
    parts: set[int] = set()
    for left, within, right in candidates:
        around = BoundingBox.around([left, right])
        if not any(_goes_on(reach.get(ys.number(cell.y0)), around) for cell in within[1:]):
            joined.append(around)
            parts.update(map(id, (left, right, *within)))
    return [*(cell for cell in cells if id(cell) not in parts), *joined]


def _candidates(
    level: Sequence[BoundingBox], stacks: Stacks, xs: _Edges, ys: _Edges, *, beside_whole: bool
) -> list[Inset]:
    """Margins as high as one another, two by two, with what is shaded between them.

    None where a margin has shades on both sides, or where all are parted alike and no cell as high is whole
    (`beside_whole`): these are narrow columns between rows.
    """
    ordered = sorted(level, key=lambda margin: margin.x0)
    pairs = [(a, _shaded(a, b, stacks[xs.number(a.x1), xs.number(b.x0)]), b) for a, b in pairwise(ordered)]
    insets = [inset for inset in pairs if inset[1]]
    if len({id(margin) for left, _, right in insets for margin in (left, right)}) < 2 * len(insets):
        return []
    patterns = [tuple(ys.number(cell.y0) for cell in within[1:]) for _, within, _ in insets]
    alike = not beside_whole and len(insets) > 1 and patterns[0] and len(set(patterns)) == 1
    return [] if alike else insets


class _Edges:
    """Edges no further than MAX_EDGE_DISTANCE from the one before have one number."""

    def __init__(self, edges: Iterable[float]) -> None:
        ordered = sorted(edges)
        self._firsts = ordered[:1] + [
            after for before, after in pairwise(ordered) if after - before > MAX_EDGE_DISTANCE
        ]

    def number(self, edge: float) -> int:
        return bisect_right(self._firsts, edge)


def _reach(cells: Sequence[BoundingBox], ys: _Edges) -> dict[int, tuple[float, float]]:
    """How far to the left and right boxes end or begin at a level edge, by the number of that edge."""
    reach: dict[int, tuple[float, float]] = {}
    for cell in cells:
        for number in (ys.number(cell.y0), ys.number(cell.y1)):
            left, right = reach.get(number, (cell.x0, cell.x1))
            reach[number] = min(left, cell.x0), max(right, cell.x1)
    return reach


def _goes_on(reach: tuple[float, float] | None, around: BoundingBox) -> bool:
    return reach is not None and (reach[0] < around.x0 - MAX_EDGE_DISTANCE or reach[1] > around.x1 + MAX_EDGE_DISTANCE)


def _margins(cells: Sequence[BoundingBox], words: Sequence[PlacedWord]) -> list[BoundingBox]:
    """Narrow boxes without a word."""
    narrow = [cell for cell in cells if cell.width <= MAX_CELL_MARGIN < cell.height]
    index = PageIndex(narrow)
    with_words = {k for one in words for k in index.holding(*one.box.center)} if len(narrow) > 1 else set[int]()
    return [cell for k, cell in enumerate(narrow) if k not in with_words]


def _shaded(left: BoundingBox, right: BoundingBox, stack: Sequence[BoundingBox]) -> list[BoundingBox]:
    """The boxes of a stack between two margins, if they fill all of it."""
    if abs(left.width - right.width) > MAX_MARGIN_DIFFERENCE or right.x0 - left.x1 <= MAX_CELL_MARGIN:
        return []
    within: list[BoundingBox] = []
    for cell in stack[bisect_left(stack, left.y0 - MAX_EDGE_DISTANCE, key=lambda cell: cell.y0) :]:
        if cell.y1 > left.y1 + MAX_EDGE_DISTANCE:
            break
        within.append(cell)
    covered = sum(cell.height for cell in within)
    return within if abs(covered - left.height) <= MAX_EDGE_DISTANCE * max(1, len(within)) else []
