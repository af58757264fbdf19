"""Cells as near as words are parted where many rows have them so."""

from __future__ import annotations

from page_making import printed

from documents.tables.cells import baselines, placed_words
from documents.tables.close_columns import parted_alike
from documents.tables.table_columns import segments

COLUMNS = [(60.0, 90.0), (93.0, 120.0), (200.0, 230.0)]


def parted(rows):
    lines = [printed(text, x, 100 + 12 * k) for k, row in enumerate(rows) for x, text in row]
    split = parted_alike([segments(row, []) for row in baselines(placed_words(lines, 0))], COLUMNS)
    return [[" ".join(one.word.text for one in segment.words) for segment in row] for row in split]


def test_cells_that_stand_at_the_edges_of_their_columns_are_parted_in_all_rows():
    """Guards against a number and a type that are one cell since a mere space is between them."""
    rows = [[(60, "648765"), (93, "AAA"), (200, "Tulsa")] for _ in range(4)]
    assert parted(rows) == [["648765", "AAA", "Tulsa"]] * 4


def test_a_line_that_is_alone_in_its_row_is_not_parted():
    rows = [[(60, "648765"), (93, "AAA")] for _ in range(4)]
    assert parted(rows) == [["648765 AAA"]] * 4


def test_two_rows_may_stand_alike_by_chance():
    rows = [[(60, "648765"), (93, "AAA"), (200, "Tulsa")] for _ in range(2)]
    assert parted(rows) == [["648765 AAA", "Tulsa"]] * 2
