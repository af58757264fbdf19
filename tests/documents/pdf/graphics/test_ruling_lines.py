"""What a page draws besides text, told as rules and grids of the upright page."""

from __future__ import annotations

import pytest

from documents.pdf.graphics import ruling_lines
from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits


def inspected(with_pool, source):
    async def use(pool):
        return (await pool.inspect(source, 1)).inspection()

    return with_pool(use)


def ruled(page):
    for k in range(4):
        page.draw_line((100, 100 + 20 * k), (300, 100 + 20 * k))
        page.draw_line((100 + 200 / 3 * k, 100), (100 + 200 / 3 * k, 160))
    for row in range(3):
        for column in range(3):
            page.insert_text((104 + 200 / 3 * column, 114 + 20 * row), f"r{row}c{column}", fontsize=9)


def test_lines_that_cross_are_a_grid_with_a_box_for_each_cell(with_pool, pdf_of):
    page_inspection = inspected(with_pool, pdf_of(ruled))
    (grid,) = page_inspection.grids
    assert len(grid.cells) == 9
    assert sum(rule.level for rule in page_inspection.rules) == 4
    assert len(page_inspection.rules) == 8


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_grids_and_words_of_a_turned_page_lie_on_one_another(with_pool, pdf_of, rotation):
    """Guards against rules in the coordinates of the unturned page."""
    page_inspection = inspected(with_pool, pdf_of(ruled, rotation=rotation))
    (grid,) = page_inspection.grids
    held = [
        sum(cell.contains(*word.box.center) for cell in grid.cells)
        for line in page_inspection.lines
        for word in line.words
    ]
    assert held == [1] * 9
    assert all(grid.box.x0 - 1 <= r.box.x0 <= r.box.x1 <= grid.box.x1 + 1 for r in page_inspection.rules)
    assert all(grid.box.y0 - 1 <= r.box.y0 <= r.box.y1 <= grid.box.y1 + 1 for r in page_inspection.rules)


def test_underlines_alone_are_rules_without_a_grid(with_pool, pdf_of):
    page_inspection = inspected(with_pool, pdf_of(lambda page: page.draw_line((100, 100), (300, 100))))
    assert len(page_inspection.rules) == 1
    assert page_inspection.grids == ()


def test_a_grid_without_a_word_in_it_is_none(with_pool, pdf_of):
    """Guards against plots and patterns taken for tables."""

    def draw(page):
        for k in range(4):
            page.draw_line((100, 100 + 20 * k), (300, 100 + 20 * k))
            page.draw_line((100 + 200 / 3 * k, 100), (100 + 200 / 3 * k, 160))
        page.insert_text((104, 300), "below", fontsize=9)

    assert inspected(with_pool, pdf_of(draw)).grids == ()


def test_a_page_keeps_its_text_where_the_finder_of_tables_stumbles(pdf_of, monkeypatch):
    """Guards against a page lost with its text for an odd drawing."""

    def stumble(*_, **__):
        raise IndexError

    monkeypatch.setattr(ruling_lines.finder, "make_edges", stumble)
    page_inspection = PdfFile(pdf_of(ruled), RenderLimits()).inspect(1)
    assert page_inspection.grids == ()
    assert len(page_inspection.lines) == 9


def shaded(page):
    """Two columns of two tall cells below a header; the ground of each line of a cell is filled on its own."""
    for row in range(2):
        for line in range(4):
            y = 120 + 40 * row + 10 * line
            for column in range(2):
                fill = (100 + 100 * column + 2, y + 1, 200 + 100 * column - 2, y + 9 + (line < 3))
                page.draw_rect(fill, color=None, fill=(1, 1, 1))
    for y in (100, 120, 160, 200):
        page.draw_line((100, y), (300, y))
    for x in (100, 200, 300):
        page.draw_line((x, 100), (x, 200))
    for column in range(2):
        page.insert_text((106 + 100 * column, 114), f"Name{column}", fontsize=8)
        for line in range(8):
            page.insert_text((106 + 100 * column, 128 + 10 * line), f"line {line} of {column}", fontsize=8)


def test_shades_behind_the_lines_of_cells_do_not_part_cells_that_are_drawn(with_pool, pdf_of):
    """Guards against a row for each line of text, where a program fills the ground of each line in white."""
    (grid,) = inspected(with_pool, pdf_of(shaded)).grids
    assert len(grid.cells) == 6


def test_shades_of_lines_within_the_shade_of_a_cell_do_not_part_it(with_pool, pdf_of):
    """Guards against a header of two rows, where Word fills each cell, and within it the ground of each line."""

    def draw(page):
        for column in range(3):
            x = 100 + 100 * column
            for box in ((x, 100, x + 100, 140), (x + 6, 101, x + 94, 120), (x + 6, 120, x + 94, 139)):
                page.draw_rect(box, color=None, fill=(0.3, 0.5, 0.8))
            for k, text in enumerate(("Boats that", "left port", "Alma", "Rosa")):
                page.insert_text((x + 10, 115 + 20 * k), text, fontsize=9)
        for y in (100, 140, 160, 180):
            page.draw_line((100, y), (400, y))
        for x in (100, 200, 300, 400):
            page.draw_line((x, 100), (x, 180))

    (grid,) = inspected(with_pool, pdf_of(draw)).grids
    assert {round(cell.y1) for cell in grid.cells} == {140, 160, 180}


def test_a_grid_that_lost_a_cell_is_none_with_joined_cells():
    """Guards against the label of a form without a cell: its ground is white as below it, so its edge is not seen."""
    cells = [(100 * c, 20 * r, 100 * c + 100, 20 * r + 20) for r in range(3) for c in range(2)]
    joined = [(0, 0, 100, 40), (100, 0, 200, 40), *cells[4:]]
    assert ruling_lines._is_coarser(joined, cells, 0)
    assert not ruling_lines._is_coarser([*joined[:2], joined[3]], cells, 0)


def test_too_many_shades_are_not_compared(with_pool, pdf_of):
    """Guards against a small file that fills its page thousands of times."""

    def painted(page):
        shaded(page)
        shape = page.new_shape()
        for _ in range(ruling_lines.MAX_FILLED_BOXES):
            shape.draw_rect((20, 20, 60, 60))
        shape.finish(color=None, fill=(1, 1, 1))
        shape.commit()

    (grid,) = inspected(with_pool, pdf_of(painted)).grids
    assert len(grid.cells) > 6


def test_shades_are_cells_where_no_line_is_drawn(with_pool, pdf_of):
    (grid,) = inspected(with_pool, pdf_of(banded)).grids
    assert len(grid.cells) == 8


def banded(page):
    for row in range(4):
        for column in range(2):
            x, y = 100 + 100 * column, 100 + 20 * row
            page.draw_rect((x, y, x + 100, y + 20), color=None, fill=(0.9, 0.9, 1) if row % 2 else (1, 1, 1))
            page.insert_text((x + 4, y + 14), f"r{row}c{column}", fontsize=9)


@pytest.mark.parametrize("rotation", [0, 90])
def test_bands_of_two_colours_part_rows_that_no_line_parts(with_pool, pdf_of, rotation):
    """Guards against a framed table whose rows are told by their shades alone, as one row."""

    def framed(page):
        banded(page)
        for x in (100, 200, 300):
            page.draw_line((x, 100), (x, 180))
        for y in (100, 180):
            page.draw_line((100, y), (300, y))

    (grid,) = inspected(with_pool, pdf_of(framed, rotation=rotation)).grids
    assert len(grid.cells) == 8
