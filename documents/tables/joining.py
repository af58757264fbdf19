"""Joins tables that continue on the next page; repeated headers are dropped."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from documents.values import Region, Table, TableRegion, table_in

EDGE = 12.0  # points by which the sides of the two parts may differ


def table_continued(before: Region | None, region: Region) -> TableRegion | None:
    """The first region of a page as the rest of the table that the page before ends with, if it is.

    It has a header only if it repeats that of the page before.
    """
    table = None if before is None else table_in(before)
    if before is None or table is None or not isinstance(region, TableRegion) or region.table is None:
        return None
    if table.num_columns != region.table.num_columns:
        return None
    if abs(before.box.x0 - region.box.x0) > EDGE or abs(before.box.x1 - region.box.x1) > EDGE:
        return None
    repeats = repeats_header(table, region.table)
    rest = region.table if repeats else region.table.model_copy(update={"num_header_rows": 0})
    return region.model_copy(update={"continues": True, "table": rest})


def tables_joined(parts: Sequence[Table]) -> Table:
    """All as one; each loses the header rows of the first where it repeats them."""
    first = parts[0]
    header = _header(first)
    cells = list(first.cells)
    num_rows = first.num_rows
    for more in parts[1:]:
        skipped = first.num_header_rows if _begins_with(header, first.num_header_rows, more) else 0
        shift = num_rows - skipped
        cells += (cell.model_copy(update={"row": cell.row + shift}) for cell in more.cells if cell.row >= skipped)
        num_rows = more.num_rows + shift
    return first.model_copy(update={"num_rows": num_rows, "cells": tuple(cells)})


def repeats_header(table: Table, more: Table) -> bool:
    """Whether the second part of a table begins with the header rows of the first."""
    return _begins_with(_header(table), table.num_header_rows, more)


def _begins_with(header: list[tuple[int, int, str]], num_rows: int, more: Table) -> bool:
    return num_rows < more.num_rows and header == _header(more, num_rows)


def _header(table: Table, num_rows: int | None = None) -> list[tuple[int, int, str]]:
    """The cells of the first rows; those of a table stand by row."""
    rows = table.num_header_rows if num_rows is None else num_rows
    return [(cell.row, cell.column, cell.text) for cell in takewhile(lambda cell: cell.row < rows, table.cells)]
