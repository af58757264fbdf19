"""A shaded row of names above a grid is the header of its table."""

from __future__ import annotations

from page_making import box, printed

from documents.inspection import Ruling
from documents.tables.cells import Cut, Slot, placed_words
from documents.tables.header_above import with_header_above
from documents.tables.ruled import cut_by_grid

ROWS = [("Brest", "61"), ("Bergen", "51"), ("Hull", "56")]
SHADE = [Ruling(box=box(100, y, 260, y + 0.1)) for y in (72, 94)]


def header_of(names, rules=SHADE):
    """The cells of the first row, where `names` stand above a grid of two columns."""
    cells = [box(100 + 80 * c, 100 + 20 * r, 180 + 80 * c, 120 + 20 * r) for r in range(3) for c in range(2)]
    inside = [printed(t, 110 + 80 * c, 105 + 20 * r) for r, row in enumerate(ROWS) for c, t in enumerate(row)]
    cut = cut_by_grid(cells, placed_words(inside, 0))
    assert cut is not None
    higher = with_header_above(cut, placed_words([printed(*name) for name in names], 0), rules)
    assert higher.num_rows - cut.num_rows == (higher.num_header_rows == 1)
    first = sorted((slot for slot in higher.slots if slot.row == 0), key=lambda slot: slot.column)
    return [" ".join(one.word.text for one in slot.words) for slot in first]


def test_names_on_a_shade_above_a_grid_are_its_header():
    """Guards against a header that is a paragraph above its table, whose first row is taken for one."""
    assert header_of([("Harbour", 110, 78), ("Boats", 190, 78)]) == ["Harbour", "Boats"]


def test_names_of_two_lines_are_one_row():
    assert header_of([("Home", 110, 72), ("harbour", 110, 82), ("Boats", 190, 78)]) == ["Home harbour", "Boats"]


def test_words_above_a_grid_without_a_shade_are_no_header():
    assert header_of([("Harbour", 110, 78), ("Boats", 190, 78)], []) == ["Brest", "61"]


def test_a_title_over_the_columns_is_no_header():
    assert header_of([("Crews of the harbour in May", 120, 78)]) == ["Brest", "61"]


def test_a_caption_with_its_unit_is_no_header():
    assert header_of([("Table 3 Crew", 110, 78), ("(thousands)", 190, 78)]) == ["Brest", "61"]


def test_a_caption_above_a_header_is_left_out():
    words = [("Table 3 Crew", 110, 62), ("Harbour", 110, 78), ("Boats", 190, 78)]
    assert header_of(words) == ["Harbour", "Boats"]


def test_the_header_that_a_grid_has_itself_stays_one():
    slots = [
        Slot(row, column, box=box(100 + 80 * column, 100 + 20 * row, 180 + 80 * column, 120 + 20 * row))
        for row in range(3)
        for column in range(2)
    ]
    names = placed_words([printed("Harbour", 110, 78), printed("Boats", 190, 78)], 0)
    assert with_header_above(Cut(3, 2, slots, num_header_rows=2), names, SHADE).num_header_rows == 3


def test_values_above_a_grid_are_no_header():
    assert header_of([("Lisbon", 110, 78), ("40", 190, 78)]) == ["Brest", "61"]


def test_what_stands_far_above_a_grid_is_no_header():
    assert header_of([("Harbour", 110, 40), ("Boats", 190, 40)], [Ruling(box=box(100, 36, 260, 36.1))]) == [
        "Brest",
        "61",
    ]


def test_a_table_without_drawn_cells_has_no_header_above_it():
    cut = Cut(1, 1, [Slot(0, 0)])
    assert with_header_above(cut, placed_words([printed("Harbour", 110, 78)], 0), SHADE) == cut
