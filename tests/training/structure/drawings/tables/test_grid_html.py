"""What is printed of a grid stands where the grid has it, and has the rules of its look."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import Any

import pymupdf
import pytest

from tests.training.structure.drawings.tables.grid_corners import NUM_SEEDS, ROOM_EM, corners, placed_cells
from training.structure.drawings.drawn_document import DrawnDocument
from training.structure.drawings.tables.cells import html_cells
from training.structure.drawings.tables.grid_html import printed
from training.structure.drawings.tables.looks import Rules, random_grid_look
from training.structure.drawings.tables.random_grid import random_grid
from training.structure.drawings.tables.recipes import RECIPES
from training.structure.drawings.web.documents import printed_sheet, sheet
from training.structure.drawings.web.press import Press

SIDES = RECIPES["sides"]
BETWEEN_COLUMNS = "border-inline-end:1pt solid #123456;"
CELL = re.compile(r"<t[dh][^>]* style=\"([^\"]*)\"")


def colours_on(document: DrawnDocument) -> set[int]:
    """The colours of all letters that are printed."""
    with pymupdf.open(stream=document.content) as pdf:
        pages: list[Any] = [page.get_text("dict") for page in pdf]
    lines = (line for page in pages for block in page["blocks"] for line in block.get("lines", ()))
    return {span["color"] for line in lines for span in line["spans"]}


@pytest.mark.parametrize("recipe", RECIPES)
def test_printed_cells_are_those_of_the_grid(recipe: str) -> None:
    for seed in range(NUM_SEEDS):
        page = sheet(seed, "tables")
        grid = random_grid(page, RECIPES[recipe], ROOM_EM)
        html = printed(page, grid, random_grid_look(page, is_large=False), 500)
        shown: dict[tuple[int, int], tuple[int, int, int, bool]] = {}
        for cell, count in Counter(html_cells(html).values()).items():
            shown[cell.row, cell.column] = (cell.num_rows, cell.num_columns, count, cell.is_header)
        assert shown == corners(grid)


def test_rules_between_columns_stand_at_the_end_of_no_row() -> None:
    """Rows that a side head reaches into were counted from the first column: their last cell had a rule, too."""
    num_reached = 0
    for seed in range(NUM_SEEDS):
        page = sheet(seed, "tables")
        grid = random_grid(page, SIDES, ROOM_EM)
        look = replace(random_grid_look(page, is_large=False), rules=Rules(weight=1, between_columns=BETWEEN_COLUMNS))
        has_rule = [BETWEEN_COLUMNS in css for css in CELL.findall(printed(page, grid, look, 500))]
        ends = [column + cell.num_columns for _, column, cell in placed_cells(grid)]
        assert has_rule == [end < grid.num_columns for end in ends]
        num_reached += sum(cell.num_rows > 1 for row in grid.rows if row.kind == "body" for cell in row.cells)
    assert num_reached


def test_no_cell_reaches_over_rows_that_were_cut_away(press: Press) -> None:
    """Side heads kept the height that they have without the cut: they spanned rows that are on no page."""
    num_cut = 0
    for seed in range(NUM_SEEDS):
        page = sheet(seed, "letter")
        page.parts.clear()
        page.blocks.clear()
        grid = random_grid(page, SIDES, ROOM_EM)
        page.add(printed(page, grid, random_grid_look(page, is_large=False), 500, height=100))
        document = printed_sheet(page, press)
        colours = colours_on(document)
        cells = [block.cell for colour, block in document.blocks.items() if colour in colours and block.cell]
        num_rows = max(cell.row for cell in cells) + 1
        num_cut += num_rows < len(grid.rows)
        assert all(cell.row + cell.num_rows <= num_rows for cell in cells)
    assert num_cut > NUM_SEEDS // 2
