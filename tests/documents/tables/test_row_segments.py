"""Cells of a printed row by the gaps between them."""

from __future__ import annotations

from page_making import printed

from documents.tables.cells import baselines, placed_words
from documents.tables.row_segments import segments


def rows_of(*lines):
    return [segments(row) for row in baselines(placed_words(lines, 0))]


def test_words_with_a_blank_between_them_are_one_cell():
    ((first, second),) = rows_of(printed("Grey Lady", 60, 100), printed("04:10", 200, 100))
    assert [one.word.text for one in first.words] == ["Grey", "Lady"]
    assert [one.word.text for one in second.words] == ["04:10"]
