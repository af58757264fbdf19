"""Knows how far a table whose cells are ruled may grow: not as far as another one, which has other columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf

from documents.boxes import BoundingBox
from documents.inspection import Grid
from documents.page_index import PageIndex as PointIndex
from documents.tables.cells import clusters

SAME = 0.85  # of the larger of a detected table and a grid, that are one
EDGE = 6.0  # points by which the edges of equal columns differ
MOST = 0.5  # of the height of a grid, that the rows of its table have
SEVERAL = 3  # rows, that make a grid a table for sure
WHITE = 0.3  # of the height of a row: the least between two such tables
MORE_WHITE = 1.3  # the same where one has fewer rows
MOST_LOOKS = 32  # at grids above a table, and at such below it


@dataclass(frozen=True, slots=True)
class _RuledTable:
    box: BoundingBox
    grid: BoundingBox
    columns: Sequence[float]  # their edges
    num_rows: int

    @property
    def row_height(self) -> float:
        return self.box.height / self.num_rows


class TablesApart:
    """The tables of a page whose cells are ruled, from the top."""

    def __init__(self, tables: Sequence[BoundingBox], grids: Sequence[Grid]) -> None:
        index = PointIndex(grid.box for grid in grids)
        self._tables: list[_RuledTable] = []
        for table in sorted(tables, key=lambda box: (box.y0, box.x0)):
            near = (grids[k] for k in index.holding(*table.center))
            grid = next((one for one in near if _is_same(table, one)), None)
            if grid is not None:
                columns = _edges((cell.x0, cell.x1) for cell in grid.cells)
                num_rows = max(1, len(_edges((cell.y0, cell.y1) for cell in grid.cells)) - 1)
                self._tables.append(_RuledTable(table, grid.box, columns, num_rows))
        self._places = {table.box: k for k, table in enumerate(self._tables)}

    def grids(self) -> dict[BoundingBox, BoundingBox]:
        """Those of several rows, each with its grid: headers and single rows of a table are drawn so, too."""
        return {table.box: table.grid for table in self._tables if table.num_rows >= SEVERAL}

    def room(self, box: BoundingBox) -> tuple[float, float]:
        """The lower edge of the next such table above, and the upper edge of the next one below."""
        at = self._places.get(box)
        if at is None:
            return -inf, inf
        top, end = -inf, inf
        last = self._tables[at]
        for one in self._tables[at + 1 : at + 1 + MOST_LOOKS]:
            if _are_apart(last, one):
                end = one.box.y0
                break
            last = one if _share_width(last, one) else last
        last = self._tables[at]
        for one in reversed(self._tables[max(0, at - MOST_LOOKS) : at]):
            if _are_apart(one, last):
                top = one.box.y1
                break
            last = one if _share_width(last, one) else last
        return top, end


def _share_width(one: _RuledTable, other: _RuledTable) -> bool:
    return min(one.box.x1, other.box.x1) > max(one.box.x0, other.box.x0)


def _are_apart(above: _RuledTable, below: _RuledTable) -> bool:
    """Whether two tables that stand one above the other have other columns and white between them."""
    if not _share_width(above, below):
        return False
    white = below.box.y0 - above.box.y1
    least = WHITE if min(above.num_rows, below.num_rows) >= SEVERAL else MORE_WHITE
    if white < least * max(above.row_height, below.row_height):
        return False
    edges = zip(above.columns, below.columns, strict=False)
    return len(above.columns) != len(below.columns) or any(abs(a - b) > EDGE for a, b in edges)


def _edges(pairs: Iterable[tuple[float, float]]) -> list[float]:
    return clusters((edge for pair in pairs for edge in pair), EDGE / 2)


def _is_same(table: BoundingBox, grid: Grid) -> bool:
    """Whether a table is the whole of a grid, or all but rows of one cell: notes in its frame are no part of it."""
    if table.intersection(grid.box) > SAME * max(table.area, grid.box.area):
        return True
    if max(abs(table.x0 - grid.box.x0), abs(table.x1 - grid.box.x1)) > EDGE or table.height < MOST * grid.box.height:
        return False
    levels = _edges((cell.y0, cell.y1) for cell in grid.cells)
    if not all(any(abs(level - end) <= EDGE for level in levels) for end in (table.y0, table.y1)):
        return False
    outside = (cell for cell in grid.cells if not table.y0 <= cell.center[1] <= table.y1)
    return all(cell.width >= grid.box.width - EDGE for cell in outside)
