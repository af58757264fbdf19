"""Grids of drawn PDFs, whose rules and words are known: those that part words into rows and columns are tables."""

from __future__ import annotations

from dataclasses import replace

import pytest
from page_making import box

from documents.pdf.pdf_file import PdfFile
from documents.sandbox import RenderLimits
from documents.tables.search.ruled_grids import RuledGrids, ruled_grids

WIDTH, HEIGHT = 100, 24  # of a cell, in points
LIMITS = RuledGrids()
ROWS = [["Port", "Left", "Crew"], ["Hull", "04:10", "6"], ["Brest", "05:15", "4"], ["Kiel", "06:20", "9"]]


def draw_grid(page, rows, x=60, y=100, *, width=WIDTH, height=HEIGHT, size=10):
    """Rules around each cell, and its words within."""
    right, bottom = x + width * len(rows[0]), y + height * len(rows)
    for row in range(len(rows) + 1):
        page.draw_line((x, y + row * height), (right, y + row * height))
    for column in range(len(rows[0]) + 1):
        page.draw_line((x + column * width, y), (x + column * width, bottom))
    for row, texts in enumerate(rows):
        for column, text in enumerate(texts):
            around = (x + column * width + 3, y + row * height + 3, x + (column + 1) * width, y + (row + 1) * height)
            assert page.insert_textbox(around, text, fontsize=size) >= 0, "it does not fit"
    return box(x, y, right, bottom)


@pytest.fixture
def tables_of(pdf_of):
    """The tables of a page on which `draw(page)` draws grids."""

    def tables(draw, limits=LIMITS, **more):
        inspection = PdfFile(pdf_of(draw, **more), RenderLimits()).inspect(1)
        return ruled_grids(inspection, inspection.lines, limits)

    return tables


def is_around(table, drawn, room=2.0):
    edges = zip(table.box.model_dump().values(), drawn.model_dump().values(), strict=True)
    return all(abs(a - b) <= room for a, b in edges)


def test_a_grid_is_a_table_where_its_rules_stand(tables_of):
    (table,) = tables_of(lambda page: draw_grid(page, ROWS))
    assert is_around(table, box(60, 100, 60 + 3 * WIDTH, 100 + 4 * HEIGHT))
    assert table.is_sure


def test_two_grids_are_two_tables_the_larger_first(tables_of):
    def draw(page):
        draw_grid(page, ROWS[:3], y=100)
        draw_grid(page, ROWS, y=400)

    larger, smaller = tables_of(draw)
    assert is_around(larger, box(60, 400, 60 + 3 * WIDTH, 400 + 4 * HEIGHT))
    assert is_around(smaller, box(60, 100, 60 + 3 * WIDTH, 100 + 3 * HEIGHT))


@pytest.mark.parametrize(("num_rows", "is_sure"), [(2, False), (3, True)])
def test_a_grid_of_few_rows_is_unsure_and_comes_last(tables_of, num_rows, is_sure):
    """Guards against the shades of a header that are taken for all of a table."""

    def draw(page):
        draw_grid(page, [[*row, "x", "y"] for row in ROWS[:num_rows]], y=400)
        draw_grid(page, ROWS[:3], y=100)

    tables = tables_of(draw)
    few = next(table for table in tables if table.box.y0 > 300)
    assert few.is_sure is is_sure
    assert tables.index(few) == (0 if is_sure else 1), "it is the larger one"


def test_a_grid_without_words_or_with_one_column_is_no_table(tables_of):
    lines = ["The harbour was closed in the", "year of the flood and no boat", "came in before May"]

    def draw(page):
        draw_grid(page, [[""] * 3] * 4, y=100)
        draw_grid(page, [[line] for line in lines], y=400, width=200)

    assert tables_of(draw) == []


def test_rules_from_edge_to_edge_are_the_ground_of_a_slide(tables_of):
    assert tables_of(lambda page: draw_grid(page, ROWS, x=0, width=612 / 3)) == []
    assert len(tables_of(lambda page: draw_grid(page, ROWS, x=6, width=600 / 3))) == 1


def test_a_cell_that_holds_most_words_makes_a_layout_of_a_page(tables_of):
    """Guards against text beside pictures, parted by rules, that was read as a table."""
    prose = " ".join(["The harbour lies open to the east and freezes over in winter."] * 20)
    rows = [["Port", prose], ["Left", "04:10"], ["Crew", "6"]]

    def draw(page):
        draw_grid(page, rows, width=240, height=200, size=6)

    assert tables_of(draw) == []
    assert len(tables_of(draw, replace(LIMITS, paragraphs=10_000))) == 1


@pytest.mark.parametrize("rotation", [90, 270])
def test_a_grid_on_a_page_that_lies_turned_is_read_along_its_words(tables_of, rotation):
    """The rotation of the file turns rules and words alike."""
    (table,) = tables_of(lambda page: draw_grid(page, ROWS), rotation=rotation)
    assert table.is_sure
    assert (table.box.width, table.box.height) == pytest.approx((4 * HEIGHT, 3 * WIDTH), abs=4)
