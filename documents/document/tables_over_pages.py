"""Joins a table that goes on over a page: headings that are repeated stand once, a row cut by the page's end is one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from unicodedata import category

from documents.region_values import Region, Table, TableCell, TableRegion, table_in
from documents.tables.cells import is_value
from documents.text.running_text import join_lines
from documents.text.word_count import num_words

MAX_EDGE_OFFSET = 12.0  # maximum offset between the sides of two parts of a table, in points
MIN_SENTENCE_WORDS = 5  # minimum words of a cell that may be part of a sentence, in scripts without small letters
OPEN_ENDS = frozenset(",-\u2010，、،(;")


def table_continued(before: Region | None, region: Region) -> TableRegion | None:
    """The first region of a page as the rest of the table that the page before ends with, if it is.

    It has a header only if it repeats that of the page before.
    """
    table = None if before is None else table_in(before)
    if before is None or table is None or not isinstance(region, TableRegion) or region.table is None:
        return None
    if table.num_columns != region.table.num_columns:
        return None
    if abs(before.box.x0 - region.box.x0) > MAX_EDGE_OFFSET or abs(before.box.x1 - region.box.x1) > MAX_EDGE_OFFSET:
        return None
    repeats = repeats_header(table, region.table)
    rest = region.table if repeats else region.table.model_copy(update={"num_header_rows": 0})
    return region.model_copy(update={"continues": True, "table": rest})


def tables_joined(parts: Sequence[Table]) -> Table:
    """All as one; each loses the header rows of the first where it repeats them, and a first row that only goes on."""
    first = parts[0]
    header = _header(first)
    cells = list(first.cells)
    num_rows = first.num_rows
    last = _last_row(cells, 0, num_rows)
    for more in parts[1:]:
        skipped = first.num_header_rows if _begins_with(header, first.num_header_rows, more) else 0
        rest = [cell for cell in more.cells if cell.row >= skipped]
        cut = [cell for cell in rest if cell.row == skipped]
        if num_rows > first.num_header_rows and _goes_on({column: cells[k] for column, k in last.items()}, cut):
            for cell in cut:
                cells[last[cell.column]] = _joined(cells[last[cell.column]], cell)
            rest = rest[len(cut) :]
            skipped += 1
        start, shift = len(cells), num_rows - skipped
        cells += (cell.model_copy(update={"row": cell.row + shift}) for cell in rest)
        num_rows = more.num_rows + shift
        last = _last_row(cells, start, num_rows) if rest else last
    return first.model_copy(update={"num_rows": num_rows, "cells": tuple(cells)})


def _last_row(cells: Sequence[TableCell], start: int, num_rows: int) -> dict[int, int]:
    """By column, the number of the cell from `start` on that ends in the last row."""
    ends = range(start, len(cells))
    return {cells[k].column: k for k in ends if cells[k].row + cells[k].num_rows == num_rows}


def _joined(cell: TableCell, more: TableCell) -> TableCell:
    """Two parts of one cell."""
    text = join_lines(cell.text, more.text, frozenset())
    shift = len(text) - len(more.text)
    parts = {
        "struck": (*cell.struck, *(words.later(shift) for words in more.struck)),
        "unproved": (*cell.unproved, *(digits.later(shift) for digits in more.unproved)),
        "formulas": (*cell.formulas, *(formula.later(shift) for formula in more.formulas)),
        "scripts": (*cell.scripts, *(script.later(shift) for script in more.scripts)),
    }
    return cell.model_copy(update={"text": text, **parts})


def _goes_on(last: Mapping[int, TableCell], cut: Sequence[TableCell]) -> bool:
    """Whether cells of a row are the rest of those above by column: none is its key or a value, a sentence goes on."""
    if not cut or any(cell.column == 0 or cell.num_rows > 1 or is_value(cell.text) for cell in cut):
        return False
    above = [last.get(cell.column) for cell in cut]
    pairs = [(a, b) for a, b in zip(above, cut, strict=True) if a is not None and a.num_columns == b.num_columns]
    return len(pairs) == len(cut) and any(_is_cut(a.text, b.text) for a, b in pairs)


def _is_cut(text: str, more: str) -> bool:
    """Whether a sentence goes on: with a small letter, or with one without case where no short cell can end."""
    if not (text[-1:].isalnum() or category(text[-1:] or " ")[0] == "M" or text[-1:] in OPEN_ENDS):
        return False
    first = more[:1]
    return first.islower() or (first.isalpha() and not first.isupper() and num_words(text) >= MIN_SENTENCE_WORDS)


def repeats_header(table: Table, more: Table) -> bool:
    """Whether the second part of a table begins with the header rows of the first."""
    return _begins_with(_header(table), table.num_header_rows, more)


def _begins_with(header: list[tuple[int, int, str]], num_rows: int, more: Table) -> bool:
    return num_rows < more.num_rows and header == _header(more, num_rows)


def _header(table: Table, num_rows: int | None = None) -> list[tuple[int, int, str]]:
    """The cells of the first rows; those of a table stand by row."""
    rows = table.num_header_rows if num_rows is None else num_rows
    return [(cell.row, cell.column, cell.text) for cell in takewhile(lambda cell: cell.row < rows, table.cells)]
