"""Takes a row of names that is drawn above a grid, over the same columns, as the header of its table."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from documents.boxes import BoundingBox
from documents.inspection import Ruling
from documents.tables.cells import Cut, PlacedWord, Slot, baselines, is_value
from documents.tables.table_columns import Segment, joined_levels, segments
from documents.text.languages import caption_kind

MAX_LINES = 3
NEAR = 1.0  # heights of a line, between lines, or a line and the rule above it
AT_GRID = 1.6  # the same, between the last line and the grid: a shade has margins
LEAST_NAMED = 0.5  # of the columns
MAX_WORDS = 8  # of a name
OWN = 1.0  # points from the upper edge of the grid, which is no rule above it
EDGE = 4.0  # points by which what is drawn around the names may be wider or narrower than the grid


def with_header_above(cut: Cut, words: Sequence[PlacedWord], rules: Sequence[Ruling]) -> Cut:
    """The table with a row more at its top, if `words` outside of its grid name its columns in a box of their own.

    The box is a shade or a frame: `rules`, which hold the edges of shades, run above or below the names along the grid.
    """
    boxes = [slot.box for slot in cut.slots if slot.box is not None]
    if not boxes:
        return cut
    grid = BoundingBox.around(boxes)
    lines = _lines_above(words, grid)
    while lines and caption_kind(" ".join(one.word.text for one in lines[0])) is not None:
        lines = lines[1:]
    if not lines or not _is_drawn_around(lines, grid, rules):
        return cut
    edges = _column_edges(cut)
    names: dict[int, list[PlacedWord]] = {}
    for segment in (segment for line in lines for segment in segments(line, [])):
        column = _column(segment, edges, grid)
        if column is None:
            return cut
        names.setdefault(column, []).extend(segment.words)
    texts = ["".join(one.word.text for one in name) for name in names.values()]
    few = len(names) < max(2.0, LEAST_NAMED * cut.num_columns)
    if few or any(map(is_value, texts)) or any(len(name) > MAX_WORDS for name in names.values()):
        return cut
    slots = [replace(slot, row=slot.row + 1) for slot in cut.slots]
    slots += [Slot(0, column, words=name) for column, name in sorted(names.items())]
    return replace(cut, num_rows=cut.num_rows + 1, slots=slots, num_header_rows=1 + (cut.num_header_rows or 0))


def _lines_above(words: Sequence[PlacedWord], grid: BoundingBox) -> list[list[PlacedWord]]:
    """The lines right above the grid and one another, from the top; none if they are too many."""
    above = [
        one for one in words if one.box.center[1] < grid.y0 and grid.x0 - EDGE <= one.box.center[0] <= grid.x1 + EDGE
    ]
    lines: list[list[PlacedWord]] = []
    top, room = grid.y0, AT_GRID
    for line in reversed(baselines(above)):
        box = BoundingBox.around([one.box for one in line])
        if top - box.y1 > room * box.height:
            break
        lines.insert(0, line)
        top, room = box.y0, NEAR
    return lines if len(lines) <= MAX_LINES else []


def _is_drawn_around(lines: Sequence[Sequence[PlacedWord]], grid: BoundingBox, rules: Sequence[Ruling]) -> bool:
    """Whether a level rule as wide as the grid runs right above the lines, or between them and the grid."""
    box = BoundingBox.around([one.box for one in lines[0]])
    low, high = box.y0 - NEAR * box.height, grid.y0 - OWN
    levels = joined_levels(rule for rule in rules if rule.level and low <= rule.box.center[1] <= high)
    return any(level.x0 <= grid.x0 + EDGE and level.x1 >= grid.x1 - EDGE for level in levels)


def _column_edges(cut: Cut) -> list[float]:
    """The left edge of each column but the first, as far as cells of one column show it."""
    lefts = {
        slot.column: slot.box.x0 for slot in cut.slots if slot.box is not None and slot.num_columns == 1 and slot.column
    }
    return [lefts[column] for column in sorted(lefts)] if len(lefts) == cut.num_columns - 1 else []


def _column(segment: Segment, edges: Sequence[float], grid: BoundingBox) -> int | None:
    """The column that a name stands in; None where it reaches over several."""
    first, last = (bisect_right(edges, x) for x in (segment.box.x0 + EDGE, segment.box.x1 - EDGE))
    inside = grid.x0 - EDGE <= segment.box.x0 and segment.box.x1 <= grid.x1 + EDGE
    return first if first == last and inside and edges else None
