"""Tables without a grid: rows and columns from where the words stand."""

from __future__ import annotations

from page_making import box, printed, printed_table

from documents.inspection import Ruling
from documents.tables.cells import Cut, placed_words
from documents.tables.judged.judged_cut import cut_by_judge
from documents.tables.judged.weights import cell_judge


def cut_of(words, rules) -> Cut:
    cut = cut_by_judge(words, rules, cell_judge())
    assert cut is not None
    return cut


def texts(cut):
    grid = [[""] * cut.num_columns for _ in range(cut.num_rows)]
    for slot in cut.slots:
        grid[slot.row][slot.column] = " ".join(one.word.text for one in slot.words)
    return grid


def rule(y, x0=55, x1=400):
    return Ruling(box=box(x0, y, x1, y + 0.5))


def test_words_that_stand_in_columns_are_a_table_without_any_rule():
    rows = [["Boat", "Left", "Crew"], ["Alma", "04:10", "6"], ["Grey Lady", "04:25", "4"]]
    cut = cut_of(placed_words(printed_table(rows), 0), [])
    assert texts(cut) == rows


def test_prose_is_no_table():
    """Guards against paragraphs in a box that was taken for a table."""
    lines = [printed("The harbour master signs the ledger every morning", 60, 100 + 12 * k) for k in range(6)]
    assert cut_by_judge(placed_words(lines, 0), [], cell_judge()) is None


def test_lines_of_one_cell_stay_one_row_between_rules():
    """Guards against a cell of several lines that becomes several rows."""
    lines = printed_table(
        [["Clause", "Text"], ["1.1", "Four score and"], ["", "seven years ago"], ["2.1", "our fathers"]], pitch=12
    )
    ruled = [rule(y) for y in (99, 111.5, 135.5)]
    assert texts(cut_of(placed_words(lines, 0), ruled)) == [
        ["Clause", "Text"],
        ["1.1", "Four score and seven years ago"],
        ["2.1", "our fathers"],
    ]


def test_a_line_of_figures_without_a_label_is_a_row_of_its_own():
    """Guards against sums that are drawn into the row above them."""
    rows = [["Item", "Hull", "Brest"], ["Rope", "13.17", "26.34"], ["", "39.51", "52.68"]]
    assert texts(cut_of(placed_words(printed_table(rows, pitch=12), 0), [])) == rows


def test_headers_of_several_lines_are_one_row_above_their_rule():
    rows = [
        ["", "Total", "Direct"],
        ["Category", "costs", "costs"],
        ["Rope", "13", "26"],
        ["Sails", "39", "52"],
        ["Oars", "1", "2"],
    ]
    cut = cut_of(placed_words(printed_table(rows, pitch=12), 0), [rule(123)])
    assert texts(cut)[0] == ["Category", "Total costs", "Direct costs"]
    assert cut.num_header_rows == 1


def test_two_values_of_a_column_are_two_rows():
    """Guards against rows drawn into the one above them where names of groups stand apart."""
    rows = [["Item", "Hull", "Brest"], ["Rope", "13.17", "26.34"], ["Sail", "39.51", "52.68"], ["Oars", "1.00", "2.00"]]
    ruled = [rule(98), rule(111.5), rule(200)]
    assert texts(cut_of(placed_words(printed_table(rows, pitch=12), 0), ruled)) == rows


def test_a_label_between_two_rules_is_no_part_of_the_header():
    rows = [["Port", "2009", "2010"], ["North Sea", "", ""], ["Hull", "60", "61"], ["Grimsby", "50", "51"]]
    cut = cut_of(placed_words(printed_table(rows), 0), [rule(115), rule(135), rule(155)])
    assert cut.num_header_rows == 1
    assert texts(cut) == rows


def test_names_of_columns_with_a_space_between_them_are_parted_over_their_values():
    """Guards against one cell for the names of all narrow columns."""
    body = [("Hull", "60.1", "61.5", "3.02"), ("Oban", "50.2", "51.0", "4.11"), ("Kiel", "40.0", "41.9", "5.23")]
    places = (20, 90, 133, 176)
    lines = [printed(text, x, 130 + 12 * k) for k, row in enumerate(body) for x, text in zip(places, row, strict=True)]
    lines += [printed("Any", 92, 100), printed("Male", 133, 100), printed("sterling shilling drachmas", 80, 112)]
    cut = cut_of(placed_words(lines, 0), [])
    assert texts(cut)[0] == ["", "Any sterling", "Male shilling", "drachmas"]


def test_values_beside_the_middle_of_a_label_are_in_its_row():
    lines = [printed("Item", 60, 100), printed("Hull", 260, 100)]
    for k in range(3):
        lines += [printed("Ropes of the", 60, 120 + 26 * k), printed("first quality", 60, 132 + 26 * k)]
        lines += [printed("13", 260, 126 + 26 * k)]
    assert texts(cut_of(placed_words(lines, 0), []))[1] == ["Ropes of the first quality", "13"]


def test_a_header_beside_its_columns_is_theirs():
    """Guards against columns for the header alone, whose names are flush left above numbers flush right."""
    lines = [printed("Year", 60, 100), printed("Ducks", 160, 100)]
    lines += [printed(text, x, 120 + 12 * k) for k in range(4) for x, text in ((100, f"201{k}"), (230, "120"))]
    cut = cut_of(placed_words(lines, 0), [])
    assert texts(cut)[:2] == [["Year", "Ducks"], ["2010", "120"]]


def test_no_value_stands_below_the_header_that_a_rule_ends():
    """Guards against a header that ends at a rule between its own lines."""
    rows = [["Port", "Catch", "Sold"], ["", "tons", "tons"], ["Hull", "60", "61"], ["Brest", "40", "41"]]
    cut = cut_of(placed_words(printed_table(rows, pitch=14), 0), [rule(112), rule(126)])
    assert cut.num_header_rows is not None
    assert texts(cut)[-2:] == rows[2:]


def test_names_of_columns_in_two_lines_beside_their_values_are_theirs():
    """Guards against a column of nothing but a header of two lines, flush left beside what it names."""
    lines = [
        printed("Year", 60, 100),
        printed("Ducks", 160, 100),
        printed("(e. C.)", 60, 112),
        printed("seen", 160, 112),
    ]
    lines += [printed(text, x, 130 + 12 * k) for k in range(5) for x, text in ((60, f"201{k}"), (230, "120"))]
    cut = cut_of(placed_words(lines, 0), [])
    assert cut.num_columns == 2
    assert texts(cut)[-1] == ["2014", "120"]


def test_a_header_of_two_lines_needs_no_rule_where_values_follow():
    body = [[name, "60", "61"] for name in ("Hull", "Brest", "Kiel")]
    rows = [["Port", "Catch", "Sold"], ["name", "tons", "tons"], *body]
    cut = cut_of(placed_words(printed_table(rows, pitch=12), 0), [])
    assert texts(cut) == [["Port name", "Catch tons", "Sold tons"], *body]


def test_a_rule_drawn_cell_by_cell_parts_the_header_as_one_does():
    rows = [["Port", "Catch", "Sold"], ["", "tons", "tons"], ["Hull", "full", "all"], ["Brest", "half", "most"]]
    ruled = [rule(126, x0, x0 + 100) for x0 in (55, 155, 255)]
    cut = cut_of(placed_words(printed_table(rows, pitch=14), 0), ruled)
    assert cut.num_header_rows == 1
    assert texts(cut)[0] == ["Port", "Catch tons", "Sold tons"]


def test_a_rule_between_rows_of_values_does_not_end_the_header():
    """Guards against a table of two blocks, all rows of whose first were one row of names."""
    rows = [[name, "60", "1,062"] for name in ("Hull", "Brest", "Kiel", "Riga", "Oslo", "Bergen")]
    cut = cut_by_judge(placed_words(printed_table(rows), 0), [Ruling(box=box(55, 155, 300, 155.4))], cell_judge())
    assert cut is not None
    assert (cut.num_rows, cut.num_header_rows) == (6, None)


def test_a_heading_over_two_columns_spans_them():
    rows = [["", "", ""], ["Port", "2009", "2010"], ["Hull", "60", "61"], ["Bergen", "50", "51"], ["Brest", "40", "41"]]
    lines = [*printed_table(rows), printed("Catch of the whole year", 165, 100)]
    cut = cut_of(placed_words(lines, 0), [])
    (head,) = [slot for slot in cut.slots if slot.row == 0]
    assert (head.column, head.num_columns) == (1, 2)


def test_the_name_of_a_column_stands_beside_that_of_a_group():
    rows = [["", "Catch", ""], ["Port", "2009", "2010"], ["Hull", "60", "61"], ["Brest", "40", "41"]]
    head = printed("Catch of the whole year", 165, 100)
    cut = cut_of(placed_words([head, *printed_table(rows)[1:]], 0), [rule(117, 160, 290), rule(137)])
    (port,) = [slot for slot in cut.slots if slot.column == 0 and slot.row == 0]
    assert (cut.num_header_rows, port.num_rows) == (2, 2)
