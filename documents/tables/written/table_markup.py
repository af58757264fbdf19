"""Writes a table as Markdown with pipes, as HTML where that cannot express it, or as tab-separated text."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator
from operator import attrgetter

from documents.region_values import Table, TableCell


def is_plain(table: Table) -> bool:
    """Whether Markdown can say it: no merged cells, one header row."""
    return table.num_header_rows <= 1 and all(c.num_rows == 1 and c.num_columns == 1 for c in table.cells)


def pipes(table: Table, in_cell: Callable[[TableCell], str]) -> str:
    """Markdown's own table; its first row is the header. `in_cell` gives a text on one line, without a bare pipe."""
    rows = _grid(table, in_cell)
    rows.insert(1, ["---"] * table.num_columns)
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def escaped_html(cell: TableCell) -> str:
    """Text of an element, on one line."""
    return html.escape(" ".join(cell.text.split()), quote=False)


def to_html(table: Table, in_cell: Callable[[TableCell], str] = escaped_html) -> str:
    """One tag per cell, merged ones with their spans; places that no cell takes are empty cells."""
    lines = ["<table>"]
    for row, cells in enumerate(_rows(table)):
        name = "th" if row < table.num_header_rows else "td"
        lines.append("<tr>" + "".join(_tag(cell, name, in_cell) for cell in cells) + "</tr>")
    return "\n".join([*lines, "</table>"])


def plain(table: Table, in_cell: Callable[[TableCell], str] = attrgetter("text")) -> str:
    """A line a row, cells parted by tabs."""
    return "\n".join("\t".join(row).rstrip() for row in _grid(table, in_cell))


def texts(table: Table) -> list[list[str]]:
    """The text at every place, row by row; a merged cell says its own once, where it begins."""
    return _grid(table, attrgetter("text"))


def _grid(table: Table, in_cell: Callable[[TableCell], str]) -> list[list[str]]:
    grid = [[""] * table.num_columns for _ in range(table.num_rows)]
    for cell in table.cells:
        grid[cell.row][cell.column] = in_cell(cell)
    return grid


def _rows(table: Table) -> Iterator[list[TableCell | None]]:
    begins = {(cell.row, cell.column): cell for cell in table.cells}
    covered = {
        (row, column)
        for cell in table.cells
        for row in range(cell.row, cell.row + cell.num_rows)
        for column in range(cell.column, cell.column + cell.num_columns)
    } - begins.keys()
    for row in range(table.num_rows):
        yield [begins.get((row, k)) for k in range(table.num_columns) if (row, k) not in covered]


def _tag(cell: TableCell | None, name: str, in_cell: Callable[[TableCell], str]) -> str:
    if cell is None:
        return f"<{name}></{name}>"
    spans = f' rowspan="{cell.num_rows}"' if cell.num_rows > 1 else ""
    spans += f' colspan="{cell.num_columns}"' if cell.num_columns > 1 else ""
    return f"<{name}{spans}>{in_cell(cell)}</{name}>"
