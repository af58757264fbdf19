"""What a grid has where, counted apart from the code that places cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from training.structure.drawings.tables.grid import Cell, Grid

NUM_SEEDS = 12
ROOM_EM = 60.0


def placed_cells(grid: Grid) -> Iterator[tuple[int, int, Cell]]:
    """Row, column and cell, in the order of the grid. Checks that cells fill it without holes."""
    taken = Counter[tuple[int, int]]()
    for index, row in enumerate(grid.rows):
        free = (column for column in range(grid.num_columns) if (index, column) not in taken)
        for cell in row.cells:
            column = next(free)
            taken.update((index + i, column + j) for i in range(cell.num_rows) for j in range(cell.num_columns))
            yield index, column, cell
    assert taken == Counter((row, column) for row in range(len(grid.rows)) for column in range(grid.num_columns))


def corners(grid: Grid) -> dict[tuple[int, int], tuple[int, int, int, bool]]:
    """Of each cell with text by row and column: its spans, its pieces, whether it is a head."""
    return {
        (row, column): (cell.num_rows, cell.num_columns, len(cell.pieces), grid.rows[row].kind == "head")
        for row, column, cell in placed_cells(grid)
        if cell.pieces
    }
