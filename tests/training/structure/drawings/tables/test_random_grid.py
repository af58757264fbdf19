"""Tables made by recipe fill their grid without holes, and are of every kind."""

from __future__ import annotations

import pytest

from tests.training.structure.drawings.tables.grid_corners import NUM_SEEDS, ROOM_EM, corners
from training.structure.drawings.tables.random_grid import random_grid
from training.structure.drawings.tables.recipes import RECIPES
from training.structure.drawings.web.documents import sheet


@pytest.mark.parametrize("recipe", RECIPES)
def test_cells_fill_the_grid_once(recipe: str) -> None:
    """A side head reached over fewer rows than its group had, once rows of errors were among them."""
    for seed in range(NUM_SEEDS):
        assert corners(random_grid(sheet(seed, "tables"), RECIPES[recipe], ROOM_EM))


def test_every_kind_of_table_is_drawn() -> None:
    """Heads of three rows, groups over the whole width, side heads, empty cells, several blocks in a cell."""
    spans, depths, pieces = set[tuple[int, bool]](), set[int](), set[int]()
    for name in RECIPES:
        for seed in range(NUM_SEEDS):
            grid = random_grid(sheet(seed, "tables"), RECIPES[name], ROOM_EM)
            depths.add(sum(row.kind == "head" for row in grid.rows))
            cells = [(row, cell) for row in grid.rows for cell in row.cells]
            spans |= {(cell.num_rows, cell.num_columns == grid.num_columns) for _, cell in cells}
            pieces |= {len(cell.pieces) for _, cell in cells}
    assert {0, 1, 2, 3, 4} <= depths
    assert {(1, True), (2, False), (4, False)} <= spans
    assert {0, 1, 2, 3} <= pieces
