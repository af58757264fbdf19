"""Arranges cells with row and column spans in a grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from documents.boxes import NO_BOX, BoundingBox
from documents.office.packages.unpack_limits import MAX_CELLS, MAX_COLUMNS, MAX_SPAN
from documents.office.paragraph_text import Words
from documents.region_values import InlineFormula, Script, Table, TableCell, TextRange


@dataclass(frozen=True, slots=True)
class GridCell:
    """A cell as its file tells it."""

    text: str
    num_rows: int = 1
    num_columns: int = 1
    is_header: bool = False
    struck: tuple[TextRange, ...] = ()
    formulas: tuple[InlineFormula, ...] = ()
    scripts: tuple[Script, ...] = ()

    @classmethod
    def of(cls, words: Words, num_rows: int = 1, num_columns: int = 1, *, is_header: bool = False) -> GridCell:
        return cls(words.text, num_rows, num_columns, is_header, words.struck, words.formulas, words.scripts)


def table_of(
    rows: Sequence[Sequence[GridCell]], *, num_header_rows: int | None = None, box: BoundingBox = NO_BOX
) -> Table | None:
    """The table of these rows; None where no cell has text.

    `num_header_rows` unset: the rows at the top of which all cells are headers.
    """
    if not any(cell.text for row in rows for cell in row):
        return None
    covers: dict[int, _Cover] = {}  # cells of rows above that reach into this one, by their first column
    cells: list[TableCell] = []
    width = 0
    for number, row in enumerate(rows):
        if len(cells) > MAX_CELLS:  # one more than are read, so that the rest is reported
            break
        column = 0
        covers = {left: cover for left, cover in covers.items() if cover.bottom > number}
        for cell in row:
            while column in covers:
                column = covers[column].right
            if column >= MAX_COLUMNS:
                break
            num_rows = max(1, min(cell.num_rows, len(rows) - number, MAX_SPAN))
            num_columns = _free_columns(covers, column, min(cell.num_columns, MAX_COLUMNS - column))
            if cell.text or num_rows > 1 or num_columns > 1:
                cells.append(
                    TableCell(
                        row=number,
                        column=column,
                        num_rows=num_rows,
                        num_columns=num_columns,
                        text=cell.text,
                        box=box,
                        struck=cell.struck,
                        formulas=cell.formulas,
                        scripts=cell.scripts,
                    )
                )
            if num_rows > 1:
                covers[column] = _Cover(number + num_rows, column + num_columns)
            column += num_columns
            width = max(width, column)
    headers = _header_rows(rows) if num_header_rows is None else num_header_rows
    return Table(num_rows=len(rows), num_columns=width, num_header_rows=min(headers, len(rows)), cells=tuple(cells))


class _Cover(NamedTuple):
    """Rows up to `bottom` and columns up to `right` that one cell covers."""

    bottom: int
    right: int


def _free_columns(covers: dict[int, _Cover], column: int, num_columns: int) -> int:
    """How many of so many columns no cell from above covers; at least one."""
    return next((k for k in range(1, num_columns) if column + k in covers), max(1, num_columns))


def _header_rows(rows: Sequence[Sequence[GridCell]]) -> int:
    for number, row in enumerate(rows):
        if not row or not all(cell.is_header for cell in row):
            return number
    return len(rows)


def split(table: Table, max_cells: int, max_characters: int) -> list[Table]:
    """The table in parts of whole rows of about `max_cells` and `max_characters`; only the first has header rows.

    A cell that covers rows of two parts covers those of its own alone.
    """
    parts: list[Table] = []
    top, cells, num_characters = 0, list[TableCell](), 0
    for cell in table.cells:
        is_full = len(cells) >= max_cells or num_characters >= max_characters
        if is_full and cell.row > cells[-1].row:
            parts.append(_part(table, cells, top, cell.row))
            top, cells, num_characters = cell.row, [], 0
        cells.append(cell)
        num_characters += len(cell.text)
    if not parts:
        return [table]
    return [*parts, _part(table, cells, top, table.num_rows)]


def _part(table: Table, cells: list[TableCell], top: int, bottom: int) -> Table:
    shifted = (
        cell.model_copy(update={"row": cell.row - top, "num_rows": min(cell.num_rows, bottom - cell.row)})
        for cell in cells
    )
    headers = 0 if top else table.num_header_rows
    return Table(num_rows=bottom - top, num_columns=table.num_columns, num_header_rows=headers, cells=tuple(shifted))
