"""Numbers that stand apart in the margin go with the line that they number."""

from __future__ import annotations

import pytest
from page_making import detection_of, inspection, line

from documents.structure.build_page import compose_page, draft_regions
from documents.structure.hanging_numbers import hanging_numbers

CLAUSE = line("The board may at any time", x=90, y=100)


@pytest.mark.parametrize("text", ["1.", "(a)", "b)", "2.1", "10.3.1", "(iv)", ".1", ".12"])
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


def specification(page):
    """Numbers in two columns of their own, as specifications have them: of parts, and of their articles."""
    page.insert_text((54, 60), "Contract for the new quay", fontsize=11, fontname="hebo")
    for y, x, number, text in (
        (150, 54, "1.", "SCOPE"),
        (186, 90, ".1", "The works are the quay, its stairs and the two cranes that"),
        (204, 0, "", "stand on it today."),
        (240, 90, ".2", "Drawings are part of the contract."),
        (290, 54, "2.", "PAYMENT"),
        (326, 90, ".1", "Fees are paid for"),
        (346, 144, ".1", "each ship and"),
        (366, 144, ".2", "each crane."),
    ):
        if number:
            page.insert_text((x, y), number, fontsize=11)
        page.insert_text((198 if x == 144 else 144, y), text, fontsize=11)


def test_numbers_of_parts_stand_with_their_texts_however_far_in_the_margin(with_pool, pdf_of):
    """Guards against ".1" and ".2" as paragraphs, and "1." above the head of the page, far from what they number."""
    source = pdf_of(specification)

    async def use(pool):
        page = (await pool.inspect(source, 1)).inspection()
        return compose_page(page, draft_regions(page, [], text_source="text_layer"), {}, {})

    text = "\n".join(region.text for region in with_pool(use).regions)
    assert [line for line in text.split("\n") if line] == [
        "Contract for the new quay",
        "1. SCOPE",
        ".1 The works are the quay, its stairs and the two cranes that stand on it today.",
        ".2 Drawings are part of the contract.",
        "2. PAYMENT",
        ".1 Fees are paid for",
        ".1 each ship and",
        ".2 each crane.",
    ]


@pytest.mark.parametrize("between", [line("words", x=80, y=88, width=20), line("of a column", x=10, y=112, width=90)])
def test_a_number_far_from_a_line_is_its_own_if_nothing_stands_between_and_other_lines_begin_there(between):
    """Guards against the last number of a column that goes to a line of the next one."""
    mark, clause = line("1.", x=20, y=100), line("The board may at any time", x=110, y=100)
    below = line("demand that the fee be paid.", x=110, y=160)
    assert hanging_numbers([mark, clause, below]) == [(mark, clause)]
    assert hanging_numbers([mark, clause]) == []
    assert hanging_numbers([mark, clause, below, between]) == []
