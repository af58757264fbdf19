"""Finds the printed rows of an unruled table, and what each puts in which column."""

from __future__ import annotations

from dataclasses import dataclass

from documents.tables.cells import is_number, is_value
from documents.tables.row_segments import Segment

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


def segment_text(segment: Segment) -> str:
    return "".join(one.word.text for one in segment.words)
