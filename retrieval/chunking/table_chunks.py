"""Splits tables into chunks: rows stay whole if they fit, and every chunk repeats the header."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from documents.boxes import NO_BOX, BoundingBox
from documents.places import Place
from documents.region_values import Region, TableCell, TableRegion
from documents.text.placed_text import PlacedText
from retrieval.chunking.chunk_parts import Piece, cell_piece, filled, parts, text_of
from retrieval.chunking.chunk_size import Budget

HEADER_DIVISOR = 2  # a header may take one part in two of the budget; a longer one is not repeated


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one table region, and the header of the table that it begins or goes on with."""

    header: list[Piece] = field(default_factory=list)
    rows: list[list[Piece]] = field(default_factory=list)  # without the header


def rows_of(region: Region, page: int, number: int, before: Rows | None) -> Rows:
    """The rows of a region whose table is known; `before` is the table that it goes on with, if it does."""
    assert isinstance(region, TableRegion)
    assert region.table is not None
    table = region.table
    cells = [
        (cell.row, cell_piece(words, page, _standing(region, cell), number, cell.row))
        for cell in sorted(table.cells, key=lambda cell: (cell.row, cell.column))
        if (words := PlacedText.with_struck(cell.text, cell.struck).on_one_line).text
    ]
    rows = [[piece for _, piece in group] for _, group in groupby(cells, key=lambda one: one[0])]
    num_headers = len({row for row, _ in cells if row < table.num_header_rows})
    header = [piece for row in rows[:num_headers] for piece in row]
    if region.continues and before is not None and not header:
        return Rows([_in(piece, number) for piece in before.header], rows)
    return Rows(header, rows[num_headers:])


def pack_table(table: Rows, budget: Budget) -> Iterator[list[Piece]]:
    """Fill chunks with whole rows under the header; a row that no chunk can hold is cut between cells, then words."""
    own = table.header if budget.cheap(text_of(table.header), HEADER_DIVISOR) else []
    if not own and table.header:
        table = Rows([], [table.header, *table.rows])
    yield from filled(_units(table.rows, own, budget), budget, own)


def _units(rows: Sequence[list[Piece]], header: list[Piece], budget: Budget) -> Iterator[list[Piece]]:
    """Rows, or what a chunk can hold of them under the header."""
    room = budget.after(text_of(header) + "\n" if header else "")
    for row in rows:
        if room.holds(text_of(row)):
            yield row
        else:
            yield from ([part] for piece in row for part in parts(piece, room))


def _standing(region: Region, cell: TableCell) -> tuple[BoundingBox | None, Place | None]:
    """The box of a printed cell, or the place of one that its author wrote."""
    if region.place is None:
        return cell.box, None
    place = region.place.cell(cell.row, cell.column, cell.num_rows, cell.num_columns)
    return (None if cell.box == NO_BOX else cell.box), place


def _in(piece: Piece, number: int) -> Piece:
    """A header's cell said again in the block `number`: above all of its rows."""
    return replace(piece, block=number, row=-1 - (piece.row or 0))
