"""Places cells that are listed row by row, with their spans, so that no two cover the same slot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from documents.boxes import BoundingBox
from documents.region_values import Table, TableCell

MAX_ROWS, MAX_COLUMNS = 500, 100


class MarkupCell(NamedTuple):
    """A cell as markup tells it."""

    text: str
    num_rows: int = 1
    num_columns: int = 1
    header: bool = False


class InvalidTable(ValueError):
    """The markup is not that of one table and nothing else."""


def placed_table(rows: Sequence[Sequence[MarkupCell]], box: BoundingBox, *, holds_covered: bool) -> Table | None:
    """The table; markup tells no places, so every cell has the box of the whole.

    None if the cells do not make one of a size that is allowed.

    `holds_covered`: rows hold an empty cell wherever one from above reaches, as in LaTeX, and not as in HTML.
    """
    if not 1 <= len(rows) <= MAX_ROWS:
        return None
    places_taken: set[tuple[int, int]] = set()
    cells: list[TableCell] = []
    for row, markup_cells in enumerate(rows):
        column = 0
        for text, num_rows, num_columns, _ in markup_cells:
            if holds_covered and (row, column) in places_taken:
                if text:
                    return None
                column += num_columns
                continue
            while (row, column) in places_taken:
                column += 1
            if not (1 <= num_rows <= len(rows) - row and 1 <= num_columns <= MAX_COLUMNS - column):
                return None
            places = {(row + i, column + j) for i in range(num_rows) for j in range(num_columns)}
            if places & places_taken:
                return None
            cells.append(
                TableCell(row=row, column=column, num_rows=num_rows, num_columns=num_columns, text=text, box=box)
            )
            places_taken |= places
            column += num_columns
    headers = next((k for k, markup_cells in enumerate(rows) if not all(one.header for one in markup_cells)), len(rows))
    return Table(
        num_rows=len(rows),
        num_columns=max((column for _, column in places_taken), default=0) + 1,
        num_header_rows=min(max(1, headers), len(rows)),
        cells=tuple(cell for cell in cells if cell.text or cell.num_rows > 1 or cell.num_columns > 1),
    )
