"""Finds the printed rows of an unruled table, and what each puts in which column."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import inf

from documents.tables.cells import is_number, is_value
from documents.tables.table_columns import BLANK, RulingsBelow, Segment, column_range
from documents.values import BoundingBox

Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class TableLine:
    """A printed row: what it puts in which columns, and whether a rule runs above it."""

    places: list[tuple[int, int, Segment]]  # first column, last column
    top: float
    bottom: float
    ruled: bool  # a rule runs between it and the line before
    num_rows: int = 1  # of rows beside whose middle it stands

    @property
    def filled(self) -> set[int]:
        return {column for first, last, _ in self.places for column in range(first, last + 1)}

    @property
    def spans(self) -> bool:
        return any(last > first for first, last, _ in self.places)

    @property
    def values(self) -> set[int]:
        """The columns behind the first in which it has a number: no cell of a row has two."""
        return {first for first, _, segment in self.places if first > 0 and is_value(segment_text(segment))}

    @property
    def figures(self) -> bool:
        return all(is_number(segment_text(segment)) for _, _, segment in self.places)

    @property
    def label(self) -> str:
        """What it has in the first column alone."""
        return next((segment_text(segment) for first, last, segment in self.places if first == last == 0), "")


def table_lines(
    rows: Sequence[Sequence[Segment]],
    columns: Sequence[Span],
    levels: RulingsBelow,
    wide: Sequence[float],
    num_header_lines: int,
) -> list[TableLine]:
    """`wide` are the middles of wide rulings, ascending."""
    middles = [-inf, *accumulate((_middle(row) for row in rows), max)]  # of the lowest row before each
    return [_line(row, middles[k], columns, levels, wide, k < num_header_lines) for k, row in enumerate(rows)]


def _line(
    row: Sequence[Segment],
    before: float,
    columns: Sequence[Span],
    levels: RulingsBelow,
    wide: Sequence[float],
    header: bool,
) -> TableLine:
    """`before` is the middle of what is printed above."""
    places = [
        (*column_range(segment, columns, _below(segment, row, levels) if header else []), segment) for segment in row
    ]
    top, bottom = min(s.box.y0 for s in row), max(s.box.y1 for s in row)
    between = bisect_right(wide, before) < bisect_left(wide, (top + bottom) / 2)
    return TableLine(places, top, bottom, ruled=before > -inf and between)


def _below(segment: Segment, row: Sequence[Segment], levels: RulingsBelow) -> list[BoundingBox]:
    """The rules below a segment, above which nothing stands apart from it: names of single columns do."""
    gap = BLANK * segment.words[0].word.font_size
    left, right = segment.box.x0 - gap, segment.box.x1 + gap
    return [
        rule
        for rule in levels.of(segment.box)
        if not any(
            rule.x0 < other.box.center[0] < rule.x1 and (other.box.x1 <= left or other.box.x0 >= right) for other in row
        )
    ]


def _middle(row: Sequence[Segment]) -> float:
    return sum((s.box.y0 + s.box.y1) / 2 for s in row) / len(row)


def segment_text(segment: Segment) -> str:
    return "".join(one.word.text for one in segment.words)
