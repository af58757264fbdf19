"""Tables without a grid: rows and columns from where the words stand."""

from __future__ import annotations

from page_making import box, printed, printed_table

from documents.inspection import Ruling
from documents.tables.aligned import cut_by_alignment
from documents.tables.cells import Cut, placed_words


def cut_of(words, rules) -> Cut:
    cut = cut_by_alignment(words, rules)
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
    assert cut_by_alignment(placed_words(lines, 0), []) is None


def test_a_heading_over_two_columns_spans_them():
    rows = [["", "", ""], ["Port", "2009", "2010"], ["Hull", "60", "61"], ["Bergen", "50", "51"], ["Brest", "40", "41"]]
    lines = [*printed_table(rows), printed("Catch of the whole year", 165, 100)]
    cut = cut_of(placed_words(lines, 0), [])
    (head,) = [slot for slot in cut.slots if slot.row == 0]
    assert (head.column, head.num_columns) == (1, 2)


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
