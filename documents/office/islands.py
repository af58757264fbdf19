"""The tables of a sheet: cells that no empty row, and no two empty columns, part from one another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from documents.office.bounds import MAX_SPAN
from documents.office.sheet_cells import SheetCells
from documents.values import NOWHERE, Table, TableCell

ROW_GAP, COLUMN_GAP = 1, 2  # empty rows or columns that part two tables
MAX_CUTS = 12  # one within another
Cell = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Island:
    """A table and where it begins and ends in its sheet, rows and columns from 0."""

    table: Table
    top: int
    left: int
    bottom: int
    right: int

    @property
    def only_text(self) -> str | None:
        """The text of one that has no other cell."""
        return self.table.cells[0].text if len(self.table.cells) == 1 else None


def islands_of(cells: SheetCells) -> list[Island]:
    """All tables of a sheet, from the top, then from the left."""
    covered = {
        (row, column)
        for (top, left), (height, width) in cells.merged.items()
        if (top, left) in cells.texts
        for row in range(top, top + min(height, MAX_SPAN))
        for column in range(left, left + min(width, MAX_SPAN))
    }
    groups = _cut(sorted(cells.texts.keys() | covered), 0)
    return [_island(group, cells) for group in groups if any(cell in cells.texts for cell in group)]


def _cut(cells: Sequence[Cell], depth: int) -> Iterator[Sequence[Cell]]:
    """The groups that gaps part, rows before columns."""
    if depth < MAX_CUTS:
        for axis, gap in ((0, ROW_GAP), (1, COLUMN_GAP)):
            parts = _parted(cells, axis, gap)
            if len(parts) > 1:
                for part in parts:
                    yield from _cut(part, depth + 1)
                return
    yield cells


def _parted(cells: Sequence[Cell], axis: int, gap: int) -> list[list[Cell]]:
    lines = sorted({cell[axis] for cell in cells})
    number = 0
    group_of: dict[int, int] = {}
    for k, line in enumerate(lines):
        number += k > 0 and line - lines[k - 1] > gap
        group_of[line] = number
    parts: list[list[Cell]] = [[] for _ in range(number + 1)]
    for cell in cells:
        parts[group_of[cell[axis]]].append(cell)
    return [part for part in parts if part]


def _island(group: Sequence[Cell], cells: SheetCells) -> Island:
    top, bottom = min(row for row, _ in group), max(row for row, _ in group)
    left, right = min(column for _, column in group), max(column for _, column in group)
    taken: set[Cell] = set()
    found: list[TableCell] = []
    for row, column in sorted(group):
        text = cells.texts.get((row, column))
        if text is None or (row, column) in taken:
            continue
        height, width = cells.merged.get((row, column), (1, 1))
        height, width = min(height, bottom - row + 1), min(width, right - column + 1)
        if height * width > 1:
            places = {(row + i, column + j) for i in range(height) for j in range(width)}
            if places & taken:
                height = width = 1
            else:
                taken |= places
        found.append(
            TableCell(row=row - top, column=column - left, num_rows=height, num_columns=width, text=text, box=NOWHERE)
        )
    headers = int(bottom > top and not any((top, column) in cells.numbers for column in range(left, right + 1)))
    table = Table(num_rows=bottom - top + 1, num_columns=right - left + 1, num_header_rows=headers, cells=tuple(found))
    return Island(table, top, left, bottom, right)
