"""Numbers that stand apart in the margin go with the line that they number."""

from __future__ import annotations

import pytest
from page_making import detection_of, inspection, line

from documents.structure.build_page import draft_regions
from documents.structure.hanging_numbers import hanging_numbers

CLAUSE = line("The board may at any time", x=90, y=100)


@pytest.mark.parametrize("text", ["1.", "(a)", "b)", "2.1", "10.3.1", "(iv)"])
def test_a_mark_belongs_to_the_line_right_of_it(text):
    """Guards against clauses that lose their numbers."""
    mark = line(text, x=60, y=100)
    below = line("demand that the fee be paid.", x=90, y=112)
    assert hanging_numbers([below, CLAUSE, mark]) == [(mark, CLAUSE)]


@pytest.mark.parametrize(
    "others",
    [
        [line("(3)", x=60, y=100), line("x = y", x=20, y=100)],  # the number of a formula, beside another column
        [line("17", x=60, y=100)],  # a page or a line
        [line("1.", x=20, y=100)],  # too far
        [line("1.", x=60, y=107)],  # of another line
        [line("word", x=60, y=100)],
        [line("1.", x=60, y=100, angle=90)],
        [line("1.", x=60, y=94, size=20)],  # of another type
    ],
)
def test_what_is_no_mark_of_a_line_is_left_where_it_is(others):
    """Guards against numbers of formulas, pages and printed lines that are drawn into the text."""
    assert hanging_numbers([CLAUSE, *others]) == []


@pytest.mark.parametrize("text", ["•", "»", "o", "–", "❖"])
def test_a_bullet_that_is_a_line_of_its_own_belongs_to_its_item_also_in_the_right_column(text):
    """Guards against bullets that stand in a paragraph of their own, or in the heading above their list."""
    mark = line(text, x=76, y=100, size=7)
    left = line("the end of a line beside it", x=20, y=100, width=40)
    assert hanging_numbers([left, mark, CLAUSE]) == [(mark, CLAUSE)]


def test_a_dot_between_two_words_of_a_row_is_no_bullet():
    """Guards against `STRATEGY • DATA` in a foot that begins an item."""
    assert hanging_numbers([line("STRATEGY", x=40, y=100, width=35), line("•", x=80, y=100), CLAUSE]) == []


def test_clauses_and_headings_keep_their_numbers_whatever_was_detected():
    """Guards against "1. 1.1" as a paragraph beside the clauses."""
    lines = [
        line("1.", x=60, y=80, bold=True),
        line("Of Fees", x=90, y=80, bold=True),
        line("1.1", x=60, y=100),
        CLAUSE,
        line("demand that the fee be paid.", x=90, y=112),
    ]
    detections = [
        detection_of("plain text", 58, 78, 80, 112),
        detection_of("title", 88, 78, 140, 92),
        detection_of("plain text", 88, 98, 300, 124),
    ]
    drafts = draft_regions(inspection(*lines), detections)
    kinds = {d.kind: {one.text for one in d.lines} for d in drafts}
    assert kinds["title"] == {"1.", "Of Fees"}
    assert kinds["plain text"] == {"1.1", CLAUSE.text, "demand that the fee be paid."}
