"""Columns by gaps and by rules."""

from __future__ import annotations

from page_making import box, printed

from documents.inspection import Ruling
from documents.tables.cells import baselines, placed_words
from documents.tables.table_columns import columns, segments


def rows_of(*lines, uprights=()):
    return [segments(row, uprights) for row in baselines(placed_words(lines, 0))]


def test_words_with_a_blank_between_them_are_one_cell():
    ((first, second),) = rows_of(printed("Grey Lady", 60, 100), printed("04:10", 200, 100))
    assert [one.word.text for one in first.words] == ["Grey", "Lady"]
    assert [one.word.text for one in second.words] == ["04:10"]


def test_an_upright_rule_parts_cells_that_stand_close():
    row = (printed("ab", 60, 100), printed("cd", 75, 100))
    rule = Ruling(box=box(72, 90, 72.5, 200))
    assert len(rows_of(*row)[0]) == 1
    assert len(rows_of(*row, uprights=[rule])[0]) == 2


def test_a_short_heading_between_two_columns_does_not_join_them():
    rows = rows_of(
        printed("Sum", 150, 100),
        *(printed(t, x, y) for y in (120, 140, 160) for t, x in (("Hull", 60), ("12", 120), ("13", 200))),
    )
    rule = Ruling(box=box(115, 112, 215, 112.5))
    assert len(columns(rows, [rule])) == 3
