"""Tables made by recipe fill their grid without holes, and what is printed stands where the grid has it."""

from __future__ import annotations

from collections import Counter

import pytest

from training.structure.drawings.tables.cells import html_cells
from training.structure.drawings.tables.grid import Grid
from training.structure.drawings.tables.lookalikes import lookalike
from training.structure.drawings.tables.looks import some_grid_look
from training.structure.drawings.tables.making import some_grid
from training.structure.drawings.tables.printing import printed
from training.structure.drawings.tables.recipes import RECIPES
from training.structure.drawings.web.documents import sheet

NUM_SEEDS = 12
ROOM_EM = 60.0


def corners(grid: Grid) -> dict[tuple[int, int], tuple[int, int, int, bool]]:
    """Of each cell with text by row and column: its spans, its pieces, whether it is a head. Checks for holes."""
    taken = Counter[tuple[int, int]]()
    cells: dict[tuple[int, int], tuple[int, int, int, bool]] = {}
    for index, row in enumerate(grid.rows):
        free = (column for column in range(grid.num_columns) if (index, column) not in taken)
        for cell in row.cells:
            column = next(free)
            places = [(index + down, column + on) for down in range(cell.num_rows) for on in range(cell.num_columns)]
            taken.update(places)
            if cell.pieces:
                cells[index, column] = (cell.num_rows, cell.num_columns, len(cell.pieces), row.kind == "head")
    assert taken == Counter((row, column) for row in range(len(grid.rows)) for column in range(grid.num_columns))
    return cells


@pytest.mark.parametrize("recipe", RECIPES)
def test_cells_fill_the_grid_once(recipe: str) -> None:
    """A side head reached over fewer rows than its group had, once rows of errors were among them."""
    for seed in range(NUM_SEEDS):
        assert corners(some_grid(sheet(seed, "tables"), RECIPES[recipe], ROOM_EM))


@pytest.mark.parametrize("recipe", RECIPES)
def test_printed_cells_are_those_of_the_grid(recipe: str) -> None:
    for seed in range(NUM_SEEDS):
        page = sheet(seed, "tables")
        grid = some_grid(page, RECIPES[recipe], ROOM_EM)
        html = printed(page, grid, some_grid_look(page, is_large=False), 500)
        shown: dict[tuple[int, int], tuple[int, int, int, bool]] = {}
        for cell, count in Counter(html_cells(html).values()).items():
            shown[cell.row, cell.column] = (cell.num_rows, cell.num_columns, count, cell.is_header)
        assert shown == corners(grid)


def test_every_kind_of_table_is_drawn() -> None:
    """Heads of three rows, groups over the whole width, side heads, empty cells, several blocks in a cell."""
    spans, depths, pieces = set[tuple[int, bool]](), set[int](), set[int]()
    for name in RECIPES:
        for seed in range(NUM_SEEDS):
            grid = some_grid(sheet(seed, "tables"), RECIPES[name], ROOM_EM)
            depths.add(sum(row.kind == "head" for row in grid.rows))
            cells = [(row, cell) for row in grid.rows for cell in row.cells]
            spans |= {(cell.num_rows, cell.num_columns == grid.num_columns) for _, cell in cells}
            pieces |= {len(cell.pieces) for _, cell in cells}
    assert {0, 1, 2, 3, 4} <= depths
    assert {(1, True), (2, False), (4, False)} <= spans
    assert {0, 1, 2, 3} <= pieces


def test_gaps_between_words_may_be_wider_than_those_between_columns() -> None:
    looks = [some_grid_look(sheet(seed, "tables"), is_large=False) for seed in range(150)]
    assert any("0.3em" in look.pad and "word-spacing:0.5em" in look.css for look in looks)


def test_what_only_looks_like_a_table_has_no_cells() -> None:
    for seed in range(30):
        page = sheet(seed, "letter")
        before = set(page.blocks)
        html = lookalike(page)
        assert not html_cells(html)
        assert all(page.blocks[ink].role != "table" for ink in set(page.blocks) - before)
