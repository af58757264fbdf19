"""Notes at the foot of columns are told from text, and stay where a rule of their own sets them apart."""

from __future__ import annotations

import pymupdf
import pytest
from page_making import box

from documents.structure.build_page import compose_page, draft_regions
from documents.structure.footnotes import PlacedRegion, foot_notes

LEFT, RIGHT = (60, 296), (316, 552)


def placed(text, top, bottom, column=LEFT, kind="plain text"):
    return PlacedRegion(kind, box(column[0], top, column[1], bottom), text)


def two_columns(note="3 See the ledger.", text="The fog lifts.3 The ferry leaves with the"):
    return [
        placed(text, 60, 500),
        placed(note, 520, 560),
        placed("tide and comes back at night.4 Nobody waits.", 60, 480, RIGHT),
        placed("4 See the almanac.", 530, 560, RIGHT),
    ]


def test_numbered_notes_that_the_text_calls_are_foot_notes():
    """Guards against a sentence that is interrupted by notes when it goes on in the next column."""
    assert foot_notes(two_columns(), [], 10.0) == {1, 3}


def test_a_note_below_a_rule_of_its_own_stays_with_its_column():
    """Guards against moving notes that the page itself closes a column with."""
    rules = [box(60, 514, 150, 514.5), box(316, 524, 406, 524.5)]
    assert foot_notes(two_columns(), rules, 10.0) == set()


def test_a_rule_across_all_columns_is_no_columns_own():
    """Guards against columns read with their notes below a rule that parts the page's notes from its text."""
    assert foot_notes(two_columns(), [box(60, 514, 552, 514.5)], 10.0) == {1, 3}


@pytest.mark.parametrize("note", ["12 boats lie in the harbour.", "The last paragraph.", "7. Count the boats."])
def test_what_no_text_calls_is_text(note):
    """Guards against items of a list, and paragraphs that begin with a figure, read behind the other column."""
    assert foot_notes(two_columns(note, text="The fog lifts.3 All is well."), [], 10.0) == {3}


def test_numbers_with_decimals_and_percents_are_no_calls():
    """Guards against figures of the text taken for the call of an item."""
    assert foot_notes(two_columns(text="It rose by 1.3 metres, or 2,3 and 3% of it."), [], 10.0) == {3}


def test_the_digits_of_formulas_and_names_are_no_calls():
    """Guards against a step that is read behind all columns, since the text speaks of CO2, H2O and B12."""
    assert foot_notes(two_columns("2. Measure it again.", text="Of CO2 and H2O, and of B12."), [], 10.0) == {3}


def test_a_note_without_a_blank_above_is_text():
    """Guards against the last item of a list that a word with a figure seems to call."""
    regions = two_columns()
    regions[1] = placed("3 See the ledger.", 503, 560)
    assert foot_notes(regions, [], 10.0) == {3}


def test_a_note_stands_last_in_its_column():
    """Guards against text below a boxed note that is read before it."""
    assert 1 not in foot_notes([*two_columns(), placed("The ferry is late.", 580, 640)], [], 10.0)


def test_the_rest_of_a_note_from_the_page_before_goes_with_the_notes():
    """Guards against half a note amid a sentence."""
    regions = two_columns("Captain's Ledger, volume two.")
    assert foot_notes(regions, [], 10.0) == {1, 3}
    regions[0] = placed("The fog lifts and the ferry leaves.", 60, 500)
    assert foot_notes(regions, [], 10.0) == {3}


def test_a_note_next_to_one_that_is_called_needs_no_call():
    """Guards against one note left amid the text because its raised figure was lost."""
    regions = two_columns(text="The fog lifts. All is well.")
    assert foot_notes(regions, [], 10.0) == {3}
    regions[1] = placed("5 See the ledger.", 520, 560)
    assert foot_notes(regions, [], 10.0) == {1, 3}


def order_of(pdf_of, with_pool, draw):
    source = pdf_of(draw)

    async def use(pool):
        return (await pool.inspect(source, 1)).inspection()

    page_inspection = with_pool(use)
    page = compose_page(page_inspection, draft_regions(page_inspection, []), {}, {})
    return "".join(region.text[:1] for region in page.regions if region.text)


WORDS = "harbour masters sign the ledger each morning before fog lifts over the quay and boats leave " * 3


@pytest.mark.parametrize(("ruled", "expected"), [(False, "ABC123"), (True, "A1B2C3")])
def test_three_columns_with_notes_on_a_page(pdf_of, with_pool, ruled, expected):
    """Guards against rules and calls that only made regions have: lines, sizes and strokes are a file's here."""

    def draw(page):
        for k, first in enumerate("ABC"):
            x, stop = 50 + 180 * k, "" if k < 2 else "."
            text = f"{first}ll {WORDS}quay.{k + 1} Then {WORDS.strip()}{stop}"
            page.insert_textbox(pymupdf.Rect(x, 60, x + 150, 620), text, fontsize=10, fontname="tiro")
            page.insert_textbox(
                pymupdf.Rect(x, 690, x + 150, 740), f"{k + 1} See the ledger of that year.", fontsize=8, fontname="tiro"
            )
            if ruled:
                page.draw_line((x, 685), (x + 60, 685), width=0.5)

    assert order_of(pdf_of, with_pool, draw) == expected


def test_a_region_that_begins_with_nought_is_no_note_and_no_failure() -> None:
    """Guards against calls that are counted only where some number is not 0."""
    assert foot_notes([PlacedRegion("plain text", box(60, 100, 300, 110), "0 degrees")], [], 10.0) == set()
