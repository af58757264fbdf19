"""Decides how many rows the header of an unruled table has, and over which columns its cells span."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from documents.tables.cells import PlacedWord, Slot, is_number
from documents.tables.table_columns import Segment
from documents.tables.table_lines import TableLine, segment_text

MAX_HEADER_LINES = 8
ROWS = 3  # of values above a rule: it parts rows of the table, for years as names of columns stand in fewer
TITLE = 0.3  # of the table's width: what is wider and alone in its row is no name of a column
LEAST_VALUES = 0.6  # of the rows, that hold values where these alone say what the header is


def num_header_lines(rows: Sequence[Sequence[Segment]], wide: Sequence[float]) -> int:
    """The printed rows above the first rule below which values stand, or above the first if there are none.

    Without a rule, those above the first row of values, if most rows have some. `wide` are the middles of rules,
    ascending.
    """
    first = 0
    last = 0  # the rule before
    for k, (above, below) in enumerate(pairwise(rows[: MAX_HEADER_LINES + 1]), 1):
        low, high = max(s.box.y0 for s in above), min(s.box.y1 for s in below)
        if bisect_right(wide, low) < bisect_left(wide, high):
            if sum(map(_holds_values, rows[:k])) >= ROWS:
                return first or num_above_values(rows)
            if _holds_values(below):
                return last if last == k - 1 and last and len(above) == 1 else k  # a label between rules is a row
            last = k
            first = first or k
    return first or _num_header_above_values(rows)


def num_above_values(rows: Sequence[Sequence[Segment]]) -> int:
    """The rows above the first that holds values, or 0 where these are too many for a header."""
    end = next((k for k, row in enumerate(rows) if _holds_values(row)), 0)
    return end if end <= MAX_HEADER_LINES else 0


def _num_header_above_values(rows: Sequence[Sequence[Segment]]) -> int:
    """The rows without a value above the first row of values, less a label right above that row."""
    with_values = [_holds_values(row) for row in rows]
    if sum(with_values) < LEAST_VALUES * len(rows):
        return 0
    end = with_values.index(True)
    if end > 1 and len(rows[end - 1]) == 1:
        end -= 1
    above = rows[:end]
    if end > MAX_HEADER_LINES or any(is_number(segment_text(segment)) for row in above for segment in row):
        return 0
    apart = (row[0] for k, row in enumerate(above) if len(row) == 1 and not 0 < k < end - 1)
    left = min(row[0].box.x0 for row in rows if row)
    width = max(row[-1].box.x1 for row in rows if row) - left
    if any(one.box.x0 - left < one.box.height or one.box.width > TITLE * width for one in apart):
        return 0
    return end


def _holds_values(row: Sequence[Segment]) -> bool:
    """Whether most of what stands behind the first cell is numbers."""
    behind = [is_number(segment_text(segment)) for segment in row[1:]]
    return len(behind) > 0 and sum(behind) >= 0.5 * len(behind)


def header_slots(lines: Sequence[TableLine]) -> tuple[list[Slot], int]:
    """The cells of a header, and how many rows they make.

    Lines of a column are one cell, unless a rule or the name of a group stands between them; a cell reaches as far
    up and down as no other stands there.
    """
    stacks: dict[int, list[_Head]] = {}  # by column, from the top
    heads: list[_Head] = []
    floor = 0  # the first row below the last rule
    for line in lines:
        if line.ruled:
            floor = max((head.row + 1 for head in heads), default=0)
        for first, last, segment in line.places:
            columns = range(first, last + 1)
            above = [stacks[column][-1] for column in columns if stacks.get(column)]
            if above and all((head.first, head.last) == (first, last) and head.row >= floor for head in above):
                above[0].words.extend(segment.words)
                continue
            head = _Head(first, last, max([floor, *(head.row + 1 for head in above)]), list(segment.words))
            heads.append(head)
            for column in columns:
                stacks.setdefault(column, []).append(head)
    num_rows = max((head.row + 1 for head in heads), default=0)
    return [head.slot(stacks, num_rows) for head in heads], num_rows


@dataclass(slots=True)
class _Head:
    """A cell of a header while its lines are collected."""

    first: int
    last: int
    row: int
    words: list[PlacedWord]

    def slot(self, stacks: Mapping[int, Sequence[_Head]], num_rows: int) -> Slot:
        top, end = 0, num_rows if self.first == self.last else self.row + 1
        for column in range(self.first, self.last + 1):
            stack = stacks[column]
            at = next(k for k, head in enumerate(stack) if head is self)
            if at:
                top = max(top, stack[at - 1].row + 1)
            if at + 1 < len(stack):
                end = min(end, stack[at + 1].row)
        return Slot(top, self.first, max(end, self.row + 1) - top, self.last - self.first + 1, self.words)
