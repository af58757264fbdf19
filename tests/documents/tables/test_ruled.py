"""Tables that rules draw: cells, merged cells, and what a frame holds besides."""

from __future__ import annotations

from page_making import box, printed, printed_table

from documents.tables.cells import Cut, placed_words
from documents.tables.ruled import cut_by_grid


def grid(num_rows, num_columns, *, width=100, height=20):
    return [
        box(60 + width * c, 100 + height * r, 160 + width * c, 120 + height * r)
        for r in range(num_rows)
        for c in range(num_columns)
    ]


def cut_of(cells, cell_words) -> Cut:
    cut = cut_by_grid(cells, cell_words)
    assert cut is not None
    return cut


def words(rows, height=20):
    lines = [
        printed(text, 65 + 100 * c, 105 + height * r)
        for r, texts in enumerate(rows)
        for c, text in enumerate(texts)
        if text
    ]
    return placed_words(lines, 0)


def test_each_box_is_a_cell():
    cut = cut_of(grid(2, 2), words([["Boat", "Left"], ["Alma", "04:10"]]))
    assert [(s.row, s.column, s.words[0].word.text) for s in cut.slots] == [
        (0, 0, "Boat"),
        (0, 1, "Left"),
        (1, 0, "Alma"),
        (1, 1, "04:10"),
    ]


def test_a_box_over_two_columns_and_one_over_two_rows_span_them():
    cells = [box(60, 100, 160, 140), box(160, 100, 360, 120), *grid(3, 3)[4:]]
    rows = [["Region", "2023", ""], ["", "Land", "Sea"], ["North", "12", "7"]]
    spans = {s.words[0].word.text: (s.num_rows, s.num_columns) for s in cut_of(cells, words(rows)).slots}
    assert spans["Region"] == (2, 1)
    assert spans["2023"] == (1, 2)
    assert spans["Land"] == (1, 1)


def test_a_title_within_the_frame_is_no_row():
    """Guards against headings and notes that a frame makes cells."""
    title = "State implementation of the one percent rule in all ports of the coast and islands"
    cells = [box(60, 80, 260, 100), *grid(2, 2)]
    cell_words = [*words([["Boat", "Left"], ["Alma", "04:10"]]), *placed_words([printed(title, 62, 85, size=3)], 0)]
    cut = cut_of(cells, cell_words)
    assert cut.num_rows == 2
    assert all(len(slot.words) == 1 for slot in cut.slots)


def test_columns_of_figures_between_upright_rules_alone_are_parted_into_rows():
    """Guards against tables with a rule below the head and none between their rows."""
    cells = [*grid(1, 2), box(60, 120, 160, 180), box(160, 120, 260, 180)]
    rows = [["Boat", "Catch"], ["Alma", "1"], ["Dunlin", "2"], ["Brest", "3"]]
    cut = cut_of(cells, words(rows))
    assert (cut.num_rows, cut.num_columns) == (4, 2)


def test_a_shade_behind_one_line_of_a_cell_is_no_cell():
    cells = [*grid(2, 2), box(62, 122, 158, 130)]
    cut = cut_of(cells, words([["Boat", "Left"], ["Alma", "04:10"]]))
    assert (cut.num_rows, cut.num_columns) == (2, 2)


def test_a_frame_around_prose_is_no_table():
    assert cut_by_grid([box(60, 100, 360, 160), box(60, 160, 360, 200)], words([["Some words"], [], ["more"]])) is None


def test_a_label_and_its_values_without_a_rule_between_them_are_cells():
    """Guards against rows that are one cell over all columns, since only their header has upright rules."""
    cells = [*grid(1, 3), box(60, 120, 360, 140), box(60, 140, 360, 160)]
    rows = [["Boat", "2009", "2010"], ["Alma", "1.9", "2.1"], ["Grey Lady", "4.5", "5.6"]]
    assert [len(slot.words) for slot in cut_of(cells, words(rows)).slots if slot.row == 1] == [1, 1, 1]


def test_words_over_columns_stay_one_cell():
    cells = [*grid(1, 3), box(60, 120, 360, 140), *grid(4, 3)[6:]]
    rows = [["Boat", "2009", "2010"], [], ["Alma", "1.9", "2.1"], ["Brest", "1.9", "2.1"]]
    group_words = placed_words([printed("Boats of the harbour of Hull", 120, 125)], 0)
    (group,) = [slot for slot in cut_of(cells, [*words(rows), *group_words]).slots if slot.row == 1]
    assert group.num_columns == 3


def test_names_that_stand_wide_apart_on_one_shade_are_cells():
    """Guards against a header that is one cell over all columns, since it has one shade and no upright rules."""
    cells = [box(60, 100, 360, 120), *grid(3, 3)[3:]]
    rows = [["Boat", "Left", "Port"], ["Alma", "04:10", "Hull"], ["Rosa", "05:15", "Kiel"]]
    assert [len(slot.words) for slot in cut_of(cells, words(rows)).slots if slot.row == 0] == [1, 1, 1]


def test_a_name_over_two_of_the_columns_on_a_shade_is_not_parted():
    cells = [box(60, 100, 360, 120), *grid(3, 3)[3:]]
    names = placed_words([printed("Boat", 65, 105), printed("Left at and came to", 200, 105)], 0)
    rows = words([[], ["Alma", "04:10", "Hull"], ["Rosa", "05:15", "Kiel"]])
    assert len([slot for slot in cut_of(cells, [*names, *rows]).slots if slot.row == 0]) == 1


def test_columns_that_a_frame_holds_empty_at_its_ends_are_none():
    rows = [["Port", "2009"], ["Hull", "60"], ["Brest", "40"]]
    words = placed_words(printed_table(rows, x=165, y=105), 0)
    cut = cut_of(grid(3, 4), words)
    assert cut.num_columns == 2
    assert {slot.column for slot in cut.slots if slot.words} == {0, 1}


def test_empty_cells_beside_the_labels_of_a_form_are_its_columns():
    """Guards against a form that nobody filled in as a figure, whose labels no text holds."""
    rows = words([["Name of the boat"], ["Port"], ["Left"]])
    assert cut_of(grid(3, 3), rows).num_columns == 3
    assert cut_by_grid([cell for cell in grid(3, 2) if cell.x0 < 100 or cell.y0 < 130], rows) is None, (
        "one row lacks it"
    )
    margin = [box(160 + x, 100 + 20 * k, 160 + x + w, 120 + 20 * k) for k in range(3) for x, w in ((0, 20), (20, 80))]
    assert cut_of([*grid(3, 1), *margin], rows).num_columns == 3, "between them, a tick box or a currency"
    narrow = [cell if cell.x0 < 100 else cell.model_copy(update={"x1": 180.0}) for cell in grid(3, 2)]
    assert cut_by_grid(narrow, rows) is None, "a margin"
    assert cut_by_grid(grid(3, 2), placed_words([printed("Port", 165, 105 + 20 * k) for k in range(3)], 0)) is None
