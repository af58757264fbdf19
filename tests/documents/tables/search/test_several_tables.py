"""Rows that stand near one another are of one table, or of several."""

from __future__ import annotations

import pytest
from page_making import box, printed, printed_table

from documents.inspection import TextLine
from documents.tables.cells import baselines, placed_words
from documents.tables.search.several_tables import SeveralTables, Surroundings, several_tables
from documents.tables.table_columns import segments

ALONE = Surroundings(known=(), levels=())
CATCH = [["Port", "Nets", "Lines"], *([name, "60", "1,062"] for name in ("Hull", "Brest", "Kiel", "Riga"))]
CREWS = [["Boat", "Left", "Back", "Hands"], *([name, "0410", "1930", "7"] for name in ("Alma", "Rosa", "Dunlin"))]


def texts_of(lines, around=ALONE):
    rows = [segments(row, []) for row in baselines(placed_words(lines, 0))]
    return [
        [[" ".join(one.word.text for one in cell.words) for cell in row] for row in part]
        for part in several_tables(rows, around, SeveralTables())
    ]


def test_rows_below_a_gap_whose_cells_stand_between_the_columns_above_are_another_table():
    """Guards against two tables, one closely above the other, that became one with columns of neither."""
    lines = printed_table(CATCH, width=120, pitch=12) + printed_table(CREWS, x=75, y=180, width=75, pitch=12)
    assert texts_of(lines) == [CATCH, CREWS]


def test_names_of_columns_below_a_gap_begin_another_table():
    """Guards against tables whose columns happen to stand below one another."""
    lines = printed_table(CATCH, pitch=12) + printed_table(CREWS, y=180, pitch=12)
    assert texts_of(lines) == [CATCH, CREWS]


def test_a_title_between_is_of_neither():
    lines = printed_table(CATCH, width=120, pitch=12) + printed_table(CREWS, x=75, y=190, width=75, pitch=12)
    assert texts_of([*lines, printed("Crews of the boats", 60, 172)]) == [CATCH, CREWS]


def test_rows_set_apart_in_the_same_columns_are_of_one_table():
    """Guards against groups of rows that became tables of their own."""
    rows = [*CATCH, ["Oslo", "55", "870"], ["Bergen", "56", "900"]]
    lines = printed_table(rows[:5], pitch=12) + printed_table(rows[5:], y=180, pitch=12)
    assert texts_of(lines) == [rows]


def test_names_of_columns_are_no_table_above_their_rows():
    """Guards against headers over several columns, which stand over the gaps between these."""
    head = [printed(text, x, y) for y in (76, 88) for x, text in ((60, "Name"), (150, "of what was landed there"))]
    assert len(texts_of([*head, *printed_table(CATCH[1:], y=120, pitch=12)])) == 1


def test_many_like_gaps_part_no_tables():
    """Guards against rows with long cells, between which wide gaps are usual."""
    rows = [[name, "60,000 crates", "70,000 crates"] for name in ("Hull harbour", "Brest harbour")]

    def groups(num) -> list[TextLine]:
        parts = (printed_table(rows, x=60 + 30 * (k % 2), y=100 + 40 * k, width=75, pitch=12) for k in range(num))
        return [line for part in parts for line in part]

    assert len(texts_of(groups(2))) == 2
    assert len(texts_of(groups(6))) == 1


def test_what_does_not_stand_level_across_a_gutter_is_two_tables():
    """Guards against tables side by side whose lines were joined to rows."""
    left = printed_table(CATCH, width=60, pitch=12)
    right = printed_table(CREWS, x=330, y=104, width=50, pitch=17)
    assert texts_of([*left, *right]) == [CATCH, CREWS]
    assert len(texts_of([*left, *printed_table(CREWS, x=330, width=50, pitch=12)])) == 1


def test_rules_that_end_at_a_gutter_show_two_tables():
    lines = printed_table(CATCH, width=60, pitch=12) + printed_table(CREWS, x=330, width=50, pitch=12)
    left = [box(60, y, 220, y + 0.5) for y in (98, 160)]
    right = [box(330, y, 510, y + 0.5) for y in (98, 148)]
    assert texts_of(lines, Surroundings(known=(), levels=[*left, *right])) == [CATCH, CREWS]
    across = [box(60, y, 510, y + 0.5) for y in (98, 160)]
    assert len(texts_of(lines, Surroundings(known=(), levels=[*left, *right, *across]))) == 1


def test_two_tables_that_the_network_saw_side_by_side_are_two():
    lines = printed_table(CATCH, width=60, pitch=12) + printed_table(CREWS, x=330, width=50, pitch=12)
    known = [box(58, 98, 225, 160), box(328, 98, 515, 150)]
    assert texts_of(lines, Surroundings(known=known, levels=())) == [CATCH, CREWS]
    assert len(texts_of(lines, Surroundings(known=[*known, box(58, 98, 515, 160)], levels=()))) == 1


@pytest.mark.parametrize("missing", ["–", "n/a", "..."])
def test_a_group_whose_first_row_has_no_values_is_no_table_of_its_own(missing):
    """Guards against a row of dashes taken for names of columns, which cut a table in two where a group ends."""
    group = [["Iron", missing, missing], *([name, "60", "1,062"] for name in ("Coal", "Salt", "Hemp"))]
    lines = printed_table(CATCH, width=120, pitch=12) + printed_table(group, y=180, width=120, pitch=12)
    assert texts_of(lines) == [[*CATCH, *group]]


SPARSE = [
    ["Code", "Place", "Due", "Done", "Gap", "State"],
    ["8847", "A-12", "450", None, None, None],
    [None, "B-07", None, "289", "23", None],
    ["9201", None, "780", "778", None, "OK"],
    [None, "C-15", None, None, "15", None],
    ["4563", "D-22", None, "156", None, "LATE"],
    [None, None, "180", None, "24", None],
    ["7728", "A-08", "920", None, None, None],
    [None, None, None, "935", "15", "OK"],
]


@pytest.mark.parametrize("rows", [SPARSE, [row[::-1] for row in SPARSE], [SPARSE[0], *SPARSE[:0:-1]]])
def test_rows_with_one_side_empty_are_of_one_table(rows):
    """Guards against a sparse table that was parted where most of its rows have values on one side alone."""
    assert len(texts_of(printed_table(rows, width=72, pitch=24))) == 1
