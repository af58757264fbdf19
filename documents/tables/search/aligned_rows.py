"""Printed rows of a page, and the limits by which they are rows of a table."""

from __future__ import annotations

from dataclasses import dataclass, field

from documents.tables.search.several_tables import SeveralTables
from documents.tables.search.tables_between_rules import RuledStretches
from documents.tables.table_columns import Segment


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignedTables:
    """What rows of a table are, where nothing but their place says so. Lengths are in sizes of the type."""

    min_cells: int = 3  # of a row: text in two columns has two
    min_cells_beside: int = 2  # columns of one of several tables that a run of such rows holds
    min_rows: int = 5  # of such rows, one below the other: four short lines of several captions do stand level
    max_words: float = 3.0  # of a cell, on average: lines of text in columns have more
    min_values: float = 0.2  # of the cells: a page in columns of short lines has words
    max_column: float = 4.5  # words of a line of a column behind the first, on average
    pitch: float = 2.5  # times the usual distance between rows, that two rows of one table are apart
    head_pitch: float = 4.0  # the same, if a rule is drawn between them, as below headers
    reach: float = 4.0  # between a table and the first or last column beside it
    label: float = 0.6  # of the rows, that have a cell beside the table: it is a column of the table
    part: float = 0.3  # of a table's area: a smaller table beside it may be its header
    max_long: float = 0.1  # of the cells, that have more than twice as many words
    score: float = 0.5  # of a table that only its rows show
    stretches: RuledStretches = field(default_factory=RuledStretches)
    several: SeveralTables = field(default_factory=SeveralTables)


@dataclass(frozen=True, slots=True)
class Row:
    """What is printed level, as if the page's text stood upright."""

    segments: list[Segment]

    @property
    def top(self) -> float:
        return min(segment.box.y0 for segment in self.segments)

    @property
    def bottom(self) -> float:
        return max(segment.box.y1 for segment in self.segments)

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2

    def within(self, left: float, right: float) -> list[Segment]:
        return [segment for segment in self.segments if left <= segment.box.center[0] <= right]
