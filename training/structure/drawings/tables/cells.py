"""Where the cells of a drawn table stand: a typesetter takes cells with their spans, and places them by these rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from typing import Protocol

from training.structure.drawings.drawn_document import DrawnCell

LAYOUT_ROLE = "presentation"  # WAI-ARIA's role of a `<table>` that is none: a list in two columns
CSS_COLOUR = re.compile(r"(?<![\w-])color:#([0-9a-f]{6})")
TYPST_COLOUR = re.compile(r'"#([0-9a-f]{6})"')
TYPST_SPAN = re.compile(r"(rowspan|colspan):(\d+)")
TYPST_CELL = re.compile(r"table\.cell\(([^\[]*)\)\[")


class Spanning(Protocol):
    """A cell of which nothing but its spans matters."""

    @property
    def num_rows(self) -> int: ...
    @property
    def num_columns(self) -> int: ...


@dataclass(frozen=True, slots=True)
class SourceCell:
    """One cell as it is written in the source of a document, with the colours of its blocks."""

    colours: tuple[int, ...] = ()
    num_rows: int = 1
    num_columns: int = 1
    is_header: bool = False


RowGroup = Sequence[Sequence[SourceCell]]
"""Rows that end what spans them: `<thead>` or `<tbody>`."""


def first_columns(rows: Sequence[Sequence[Spanning]]) -> list[list[int]]:
    """The column at which each cell of each row begins: the first that no cell before or above it covers."""
    taken: set[tuple[int, int]] = set()
    columns: list[list[int]] = []
    for row, cells in enumerate(rows):
        columns.append([])
        column = 0
        for cell in cells:
            while (row, column) in taken:
                column += 1
            columns[-1].append(column)
            taken |= _places(row, column, cell)
    return columns


def cells_by_rows(table: int, groups: Iterable[RowGroup]) -> dict[int, DrawnCell]:
    """The cell of each colour by the rule of HTML: rows are written as such, and no cell reaches out of its group."""
    cells: dict[int, DrawnCell] = {}
    num_rows_before = 0
    for rows in groups:
        for row, (sources, columns) in enumerate(zip(rows, first_columns(rows), strict=True)):
            for source, column in zip(sources, columns, strict=True):
                num_rows = min(source.num_rows, len(rows) - row)
                cell = DrawnCell(table, num_rows_before + row, column, num_rows, source.num_columns, source.is_header)
                cells |= dict.fromkeys(source.colours, cell)
        num_rows_before += len(rows)
    return cells


def cells_by_columns(table: int, sources: Iterable[SourceCell], num_columns: int) -> dict[int, DrawnCell]:
    """The cell of each colour by the rule of Typst: each takes the next free place, a row ends after `num_columns`."""
    taken: set[tuple[int, int]] = set()
    cells: dict[int, DrawnCell] = {}
    row = column = 0
    for source in sources:
        while (row, column) in taken or column >= num_columns:
            column += 1
            if column >= num_columns:
                row += 1
                column = 0
        taken |= _places(row, column, source)
        cell = DrawnCell(table, row, column, source.num_rows, source.num_columns, source.is_header)
        cells |= dict.fromkeys(source.colours, cell)
    return cells


def _places(row: int, column: int, cell: Spanning) -> set[tuple[int, int]]:
    return {(row + i, column + j) for i in range(cell.num_rows) for j in range(cell.num_columns)}


def typst_cell(source: str) -> SourceCell:
    """What a cell of Typst's `table` is: `[…]` or `table.cell(colspan:…,rowspan:…)[…]`."""
    arguments = TYPST_CELL.match(source)
    spans = dict(TYPST_SPAN.findall(arguments[1])) if arguments else {}
    colours = tuple(int(colour, 16) for colour in TYPST_COLOUR.findall(source))
    return SourceCell(colours, int(spans.get("rowspan", 1)), int(spans.get("colspan", 1)))


def html_cells(html: str) -> dict[int, DrawnCell]:
    """The cells of all `<table>`s of a document, by the colours that are written in their styles."""
    reader = _TableReader()
    reader.feed(html)
    cells: dict[int, DrawnCell] = {}
    for number, table in enumerate(reader.tables):
        cells |= cells_by_rows(number, table.groups)
    return cells


@dataclass(slots=True)
class _OpenTable:
    """A `<table>` that is being read."""

    groups: list[list[list[SourceCell]]] = field(default_factory=lambda: [[]])
    is_head: bool = False  # whether its last group is `<thead>`


class _TableReader(HTMLParser):
    """Collects tables; what stands in a table within a cell belongs to the inner table."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[_OpenTable] = []
        self._open: list[_OpenTable | None] = []  # from the outermost in; None: one for layout only

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag == "table":
            table = None if attributes.get("role") == LAYOUT_ROLE else _OpenTable()
            self._open.append(table)
            if table is not None:
                self.tables.append(table)
            return
        table = self._open[-1] if self._open else None
        if table is None:
            return
        rows = table.groups[-1]
        if tag in ("thead", "tbody"):
            table.groups.append([])
            table.is_head = tag == "thead"
        elif tag == "tr":
            rows.append([])
        elif tag in ("td", "th"):
            num_rows, num_columns = int(attributes.get("rowspan", "1")), int(attributes.get("colspan", "1"))
            is_header = table.is_head or tag == "th"
            rows[-1].append(SourceCell((), num_rows, num_columns, is_header))
        colour = CSS_COLOUR.search(attributes.get("style", ""))
        if colour and rows and rows[-1]:
            cell = rows[-1][-1]
            rows[-1][-1] = replace(cell, colours=(*cell.colours, int(colour[1], 16)))

    def handle_endtag(self, tag: str) -> None:
        table = self._open[-1] if self._open else None
        if tag == "table":
            self._open.pop()
        elif tag == "thead" and table is not None:
            table.groups.append([])
            table.is_head = False
