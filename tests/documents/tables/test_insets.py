"""What a program shades within a cell, less its margins, is one box with them."""

from __future__ import annotations

from page_making import box, printed

from documents.tables.cells import placed_words
from documents.tables.insets import without_insets
from documents.tables.ruled import cut_by_grid


def test_margins_and_the_shades_of_lines_between_them_are_one_box():
    """Guards against a header of three shaded lines that becomes three rows, and margins that become columns."""
    plain = box(0, 0, 60, 30)
    margins = [box(60, 0, 65, 30), box(115, 0, 120, 30)]
    shades = [box(65, y, 115, y + 10) for y in (0, 10, 20)]
    boxes = without_insets([plain, margins[0], *shades, margins[1]], [])
    assert sorted((b.x0, b.y0, b.x1, b.y1) for b in boxes) == [(0, 0, 60, 30), (60, 0, 120, 30)]


def test_a_narrow_box_with_a_word_is_a_cell():
    cells = [box(0, 0, 6, 30), box(6, 0, 60, 30), box(60, 0, 66, 30)]
    assert len(without_insets(cells, placed_words([printed("1", 0, 10)], 0))) == 3


def test_shades_that_leave_a_part_of_the_height_are_not_within_a_cell():
    cells = [box(0, 0, 5, 30), box(5, 0, 60, 20), box(60, 0, 65, 30)]
    assert len(without_insets(cells, [])) == 3


def test_lines_of_a_name_that_are_shaded_one_by_one_are_one_row():
    cells = [box(0, 0, 60, 30), box(60, 0, 65, 30), box(115, 0, 120, 30)]
    cells += [box(65, 0, 115, 15), box(65, 15, 115, 30), box(0, 30, 60, 60), box(60, 30, 120, 60)]
    texts = (("Port", 5, 10), ("Catch", 70, 2), ("in all", 70, 17), ("Hull", 5, 40), ("60", 70, 40))
    cut = cut_by_grid(cells, placed_words([printed(text, x, y) for text, x, y in texts], 0))
    assert cut is not None
    assert (cut.num_rows, cut.num_columns) == (2, 2)


def test_rows_between_narrow_empty_columns_stay_rows():
    """Guards against a table with spacer columns, each one tall box, whose middle column becomes one box."""
    columns = [(0, 60), (66, 126), (132, 192)]
    cells = [box(x0, y, x1, y + 20) for x0, x1 in columns for y in (0, 20, 40)]
    cells += [box(60, 0, 66, 60), box(126, 0, 132, 60)]
    assert len(without_insets(cells, [])) == len(cells)


def test_rows_between_two_narrow_columns_each_stay_rows():
    """Guards against columns that each have an empty one at both sides: their rows are level with one another."""
    cells = [box(x0 + 6, y, x0 + 54, y + 20) for x0 in (0, 60, 120) for y in (0, 20, 40)]
    cells += [box(x0 + side, 0, x0 + side + 6, 60) for x0 in (0, 60, 120) for side in (0, 54)]
    assert len(without_insets(cells, [])) == len(cells)


def test_shades_in_cells_beside_one_another_are_one_box_each():
    cells = [box(x0 + side, 0, x0 + side + 6, 30) for x0 in (0, 60, 120) for side in (0, 54)]
    cells += [box(x0 + 6, y, x0 + 54, y + 15) for x0 in (0, 60) for y in (0, 15)]
    cells += [box(126, y, 174, y + 10) for y in (0, 10, 20)]
    assert len(without_insets(cells, [])) == 3


def test_margins_whose_edges_differ_by_less_than_a_point_are_level():
    """Guards against edges at 29.4 and 29.6 that are taken for two because they round apart."""
    cells = [box(0, 0, 60, 30), box(60, 0.4, 65.4, 29.4), box(115.4, 0.6, 120, 29.6)]
    cells += [box(65.6, 0.4, 115.6, 15), box(65.6, 15, 115.6, 29.6)]
    assert len(without_insets(cells, [])) == 2
