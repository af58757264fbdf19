"""Rows that no rule parts within a row that rules draw."""

from __future__ import annotations

from itertools import pairwise

import pytest
from page_making import box, printed

from documents.inspection import Word
from documents.tables.cells import PlacedWord, Slot, placed_words
from documents.tables.rows_within import rows_within, tightness_of
from documents.tables.ruled import cut_by_grid


def rows_of(*columns):
    """A ruled header and one ruled row below it, each of whose cells holds lines with where they stand."""
    width = 150
    cells = [box(width * c, y0, width * (c + 1), y1) for y0, y1 in ((0, 20), (20, 300)) for c in range(len(columns))]
    lines = [printed(f"Name{c}", 5 + width * c, 5) for c in range(len(columns))]
    lines += [printed(text, 5 + width * c, y) for c, texts in enumerate(columns) for text, y in texts]
    cut = cut_by_grid(cells, placed_words(lines, 0))
    assert cut is not None
    rows = [[""] * cut.num_columns for _ in range(cut.num_rows)]
    for slot in cut.slots:
        rows[slot.row][slot.column] = " ".join(one.word.text for one in slot.words)
    return rows[1:]


def test_a_sum_below_the_values_is_a_row_though_it_has_no_label():
    """Guards against four quarters and their sum that are one cell."""
    labels = [("First", 30), ("Second", 42)]
    values = [("12", 30), ("15", 42), ("27", 54)]
    assert rows_of(labels, values) == [["First", "12"], ["Second", "15"], ["", "27"]]


@pytest.mark.parametrize("dash", ["-", "\u2010", "\u2013", "\u2212", "/"])
def test_lines_that_end_with_a_dash_go_on(dash):
    values = [(f"2012{dash}", 30), (f"2013{dash}", 42), ("14", 54)]
    assert len(rows_of([("Years", 30), ("of fog", 42)], values)) == 1


def test_rows_beside_a_tall_word_do_not_overlap():
    """Guards against words of the second row that are put into the first, because a bracket reaches further."""
    tops = (30, 56, 70, 84)
    labels = placed_words([printed(text, 5, y) for text, y in zip(("First", "Second", "Third"), tops, strict=False)], 0)
    values = placed_words([printed(text, 105, y) for text, y in zip(("12", "15", "27", "54"), tops, strict=True)], 0)
    around = box(60, 30, 70, 90)
    bracket = PlacedWord(Word(text="}", box=around, font_size=60), around)
    stretches = rows_within([Slot(0, 0, words=[*labels, bracket]), Slot(0, 1, words=values)], 1.2)
    assert [top for top, _ in stretches] == list(tops)
    assert all(above[1] <= below[0] for above, below in pairwise(stretches))


def test_rows_of_text_are_apart_by_more_than_their_lines():
    """Guards against a group of rows with a name above them that is one cell, where it is set tightly."""
    labels = [("Crews:", 30), ("Alma of", 46), ("the harbour", 55), ("Rosa", 71)]
    texts = [("sails at", 46), ("night only", 55), ("stays in", 71), ("port", 80)]
    assert rows_of(labels, texts) == [
        ["Crews:", ""],
        ["Alma of the harbour", "sails at night only"],
        ["Rosa", "stays in port"],
    ]


def test_a_label_that_goes_on_below_a_blank_is_of_the_row_above():
    labels = [("Alma", 30), ("See notes", 62)]
    texts = [("sails at", 30), ("night only", 39), ("of the year", 48)]
    assert len(rows_of(labels, texts)) == 1


def test_words_without_height_have_a_tightness():
    """Guards against a page that fails for a word whose type has no height."""
    flat = [box(0, y, 20, y) for y in (10, 20, 30, 40)]
    words = [PlacedWord(Word(text="word", box=around, font_size=0), around) for around in flat]
    assert tightness_of([Slot(0, 0, words=words)]) > 1


def test_the_result_below_a_value_is_no_row():
    """Guards against the lines of a calculation in each cell, which stand level, as rows of their own."""
    values = [("1/1.54", 30), ("=0.65", 39)]
    assert rows_of([("R1", 30)], values) == [["R1", "1/1.54 =0.65"]]
    assert len(rows_of(values, [("5/6.66", 30), ("=0.75", 39)])) == 1
    assert len(rows_of([("1.54", 30), ("0.65", 39)], [("6.66", 30), ("0.75", 39)])) == 2
