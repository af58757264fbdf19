"""Digits that the benchmark changes, and how it counts what is delivered."""

import random

from benchmarks.digits import delivered
from benchmarks.truths.changed_digits import Outcome, changed
from benchmarks.truths.written_values import in_answers, in_extractions
from documents.region_values import Table, TableCell, TextRange, region_of
from documents.text.digit_strings import counted
from documents.values import Document, Page
from tests.documents.page_making import box

PLACE = box(0, 0, 90, 22)


def page(*regions):
    return Page(number=1, size=(100, 100), regions=regions)


def text(words, *unproved):
    ranges = [TextRange(start=start, end=end) for start, end in unproved]
    return region_of("plain text", box=PLACE, score=1.0, text=words, unproved=ranges)


def test_a_change_is_of_one_digit_and_never_of_a_tag():
    markup = '<table><tr><td colspan="2">1,240</td></tr></table>'
    wrong, value = changed(markup, random.Random(1))
    assert sum(a != b for a, b in zip(markup, wrong, strict=True)) == 1
    assert 'colspan="2"' in wrong
    assert counted([wrong]) == {value: 1}


def test_marked_strings_of_texts_and_cells_are_not_delivered_bare():
    cell = TableCell(row=0, column=0, text="17", box=PLACE, unproved=(TextRange(start=0, end=2),))
    table = Table(num_rows=1, num_columns=1, num_header_rows=0, cells=(cell,))
    bare, whole = delivered(
        page(text("12 and 13", (7, 9)), region_of("table", box=PLACE, score=1.0, text="17", table=table))
    )
    assert (bare, whole) == ({"12": 1}, {"12": 1, "13": 1, "17": 1})


def test_values_and_answers_with_a_changed_digit_are_counted():
    document = Document(id="d", revision=1, pages=(page(text("Sum 12,345.67"), text("Paid on 2024-03-05 by 98765")),))
    for judged in (in_extractions, in_answers):
        outcome = judged([document], 20, random.Random(2))
        assert outcome.num_planted == 20
        assert outcome.num_caught >= 19
        assert outcome.num_false_marks == 0
    assert Outcome(num_planted=4, num_caught=3).figures()["caught"] == 0.75
