"""Columns between stretches that the words of nearly all rows leave white."""

from __future__ import annotations

from page_making import printed

from documents.tables.cells import baselines, placed_words
from documents.tables.settings import DEFAULT
from documents.tables.white_columns import _among_names, river_columns


def columns_of(rows, pitch=12):
    """`rows` hold texts with where each begins."""
    lines = [printed(text, x, 100 + pitch * k) for k, row in enumerate(rows) for x, text in row]
    return river_columns(baselines(placed_words(lines, 0)), DEFAULT)


def test_a_gap_as_narrow_as_a_space_parts_columns_if_all_rows_have_it():
    """Guards against rows like `Austria 92.9 7.1` that are one cell: their gaps are narrower than other rows have."""
    rows = [[(60, "Austria"), (99, "92.9"), (123, "7.1")] for _ in range(8)]
    assert len(columns_of(rows)) == 3


def test_spaces_of_prose_part_nothing():
    texts = [
        "The harbour master signs",
        "a ledger every morning and",
        "keeps it locked at night",
        "so nobody can say which",
        "ship was there when fog",
        "came over the long pier",
        "and what she had on board",
    ]
    assert columns_of([[(60, text)] for text in texts]) == []


def test_a_heading_over_the_rows_closes_no_river():
    rows = [[(60, "Catch of herring and cod")], *([(60, "Bergen"), (120, "50"), (150, "51")] for _ in range(9))]
    assert len(columns_of(rows)) == 3


def test_dots_that_lead_to_a_value_belong_to_no_column():
    rows = [[(60, "Herring"), (97, "." * (9 + k % 3)), (160, "12"), (190, "13")] for k in range(8)]
    assert [round(left) for left, _ in columns_of(rows)[1:]] == [160, 190]


def test_a_column_that_has_nothing_but_its_name_stays():
    """Guards against columns for values that nobody filled in."""
    rows = [[(60, "Port"), (140, "2009"), (200, "2010"), (260, "2011")]]
    rows += [[(60, "Bergen"), (140, "50")] for _ in range(9)]
    assert len(columns_of(rows)) == 4


def test_amounts_and_sums_that_no_row_has_both_of_are_two_columns():
    rows = [[(60, "Bergen"), (140, "50")] for _ in range(5)] + [[(60, "Sum"), (200, "250")] for _ in range(3)]
    assert len(columns_of(rows)) == 3


def test_gaps_between_names_are_no_part_of_a_river():
    """Guards against columns that overlap, where a name above reaches into a river."""
    names = [[(60, "Port"), (108, "A"), (126, "B"), (150, "C")], [(60, "Bergen")], [(60, "Brest")]]
    lines = [printed(text, x, 100 + 12 * k) for k, row in enumerate(names) for x, text in row]
    rows = baselines(placed_words(lines, 0))
    assert list(_among_names(rows, [(100, 120)], 7.5)) == [(120, 126), (131, 150)]
    assert list(_among_names(rows, [(100, 130)], 7.5)) == [(131, 150)]


def test_columns_with_names_stay_two_though_few_rows_fill_both():
    """Guards against `Variance Status` as one column: only the last of eight rows has words in both."""
    names = [(60, "Code"), (130, "Gap"), (200, "State")]
    rows = [[(60, f"SKU-{k}"), ((130, "+15") if k % 2 else (200, "OK"))] for k in range(8)]
    assert len(columns_of([names, *rows], pitch=24)) == 3
    assert len(columns_of([*rows[1:], [(60, "SKU-9"), (130, "words in a line of text")]], pitch=24)) == 2
