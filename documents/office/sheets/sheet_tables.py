"""Finds the separate tables on a spreadsheet: cells divided by empty rows or columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from documents.boxes import NO_BOX
from documents.office.packages.unpack_limits import MAX_SPAN
from documents.office.page_writer import PageWriter
from documents.office.paragraph_text import Words
from documents.office.parsed_file import warned
from documents.office.sheets.sheet_cells import SheetCells
from documents.places import SheetPlace, sheet_place
from documents.region_values import Table, TableCell
from documents.values import PageWarning

ROW_GAP, COLUMN_GAP = 1, 2  # empty rows or columns that part two tables
MAX_CUTS = 12  # one within another


class Rectangle(NamedTuple):
    """Rows and columns of one cell, both ends inside: one that is merged covers many."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(frozen=True, slots=True)
class Island:
    """A table and where it begins and ends in its sheet, rows and columns from 0."""

    table: Table
    top: int
    left: int
    bottom: int
    right: int

    @property
    def only_words(self) -> Words | None:
        """The words of one that has no other cell."""
        cell = self.table.cells[0]
        return Words.with_struck(cell.text, cell.struck) if len(self.table.cells) == 1 else None


def write_islands(cells: SheetCells, sheet: str, writer: PageWriter) -> None:
    """Write the tables of a sheet, and single cells as paragraphs."""
    for island in islands_of(cells):
        corners = island.top, island.left, island.bottom, island.right
        place = sheet_place(SheetPlace(sheet=sheet), cells.rows, cells.columns, corners)
        if island.only_words is not None:
            writer.paragraph(island.only_words, place)
        else:
            writer.table(island.table, place)


def hidden_cells_warnings(num_hidden: Mapping[str, int]) -> Iterator[PageWarning]:
    """A `hidden_text` with the number of hidden cells of each sheet that has some."""
    sheets = [f"{name} ({number})" for name, number in num_hidden.items() if number]
    if sheets:
        message = f"hidden cells (rows, columns, formats) were left out: {', '.join(sheets)[:500]}"
        yield warned(code="hidden_text", message=message)


def islands_of(cells: SheetCells) -> list[Island]:
    """All tables of a sheet, from the top, then from the left."""
    rectangles: list[Rectangle] = []
    for row, column in sorted(cells.texts):
        height, width = cells.merged.get((row, column), (1, 1))
        rectangles.append(Rectangle(row, column, row + min(height, MAX_SPAN) - 1, column + min(width, MAX_SPAN) - 1))
    groups = _cut(rectangles, 0) if rectangles else ()
    return [_island(group, cells) for group in groups]


def _cut(cells: Sequence[Rectangle], depth: int) -> Iterator[Sequence[Rectangle]]:
    """The groups that gaps part, rows before columns."""
    if depth < MAX_CUTS:
        for first, gap in ((0, ROW_GAP), (1, COLUMN_GAP)):
            parts = _parted(cells, first, gap)
            if len(parts) > 1:
                for part in parts:
                    yield from _cut(part, depth + 1)
                return
    yield cells


def _parted(cells: Sequence[Rectangle], first: int, gap: int) -> list[list[Rectangle]]:
    """Groups between which `gap` rows (`first` 0) or columns (1) are empty, each in the order of `cells`."""
    ends: list[int] = []  # of the groups, from the first on
    group_of: dict[Rectangle, int] = {}
    for cell in sorted(cells, key=lambda cell: cell[first]):
        if not ends or cell[first] - ends[-1] > gap:
            ends.append(cell[first + 2])
        ends[-1] = max(ends[-1], cell[first + 2])
        group_of[cell] = len(ends) - 1
    parts: list[list[Rectangle]] = [[] for _ in ends]
    for cell in cells:
        parts[group_of[cell]].append(cell)
    return parts


def _island(group: Sequence[Rectangle], cells: SheetCells) -> Island:
    top, left = group[0].top, min(cell.left for cell in group)
    bottom, right = max(cell.bottom for cell in group), max(cell.right for cell in group)
    covered_to: dict[int, int] = {}  # the last row that a merged cell above covers, by column
    table_cells: list[TableCell] = []
    for cell in group:
        if covered_to.get(cell.left, -1) >= cell.top:
            continue
        columns = range(cell.left, cell.right + 1)
        num_rows, num_columns = cell.bottom - cell.top + 1, len(columns)
        if num_rows * num_columns > 1:
            if any(covered_to.get(column, -1) >= cell.top for column in columns):
                num_rows = num_columns = 1
            else:
                covered_to |= dict.fromkeys(columns, cell.bottom)
        table_cells.append(
            TableCell(
                row=cell.top - top,
                column=cell.left - left,
                num_rows=num_rows,
                num_columns=num_columns,
                text=cells.texts[cell.top, cell.left],
                box=NO_BOX,
                struck=cells.struck.get((cell.top, cell.left), ()),
            )
        )
    is_header = bottom > top and not any((top, column) in cells.numbers for column in range(left, right + 1))
    table = Table(
        num_rows=bottom - top + 1,
        num_columns=right - left + 1,
        num_header_rows=int(is_header),
        cells=tuple(table_cells),
    )
    return Island(table, top, left, bottom, right)
