"""Lines of the text layer where OCR is to read: replaced, kept or told as dropped, and never gone without a word."""

from __future__ import annotations

import pytest
from block_making import blocks_of
from page_making import box, detection_of, inspection, line, printed

from documents.boxes import BoundingBox
from documents.page.build_page import compose_page, draft_regions
from documents.values import PageWarning, Reading, ReadLine

PROSE = "The harbour master signs the ledger every morning before the fog lifts."
PLACE = detection_of("plain text", 55, 95, 500, 115)
READ = Reading(text="Read again", lines=(ReadLine(text="Read again", box=box(0, 0, 90, 10), confidence=0.9),))


def composed(page_inspection, reading, detections=(PLACE,), text_source="ocr"):
    drafts = draft_regions(page_inspection, detections, text_source=text_source, blocks=blocks_of(page_inspection))
    readings = {draft.index: reading for draft in drafts if draft.text_source == "ocr"}
    return compose_page(page_inspection, drafts, readings, dict.fromkeys(readings, (450, 20)))


def codes(page):
    return [warning.code for warning in page.warnings]


@pytest.mark.parametrize("nothing", [Reading(text=""), Reading(text=" \n")])
def test_the_text_layer_stands_in_where_ocr_reads_nothing(nothing):
    """Guards against printed words that are in no answer because a reader failed over them."""
    page = composed(inspection(line(PROSE)), nothing)
    (region,) = page.regions
    assert (region.text, region.text_source, region.reason) == (PROSE, "text_layer", "OCR read nothing")
    assert [span.text for span in region.spans] == [PROSE]
    assert codes(page) == ["text_layer_kept"]
    assert page.warnings[0].box == region.box
    assert page.dropped == ()


def test_words_that_ocr_is_unsure_of_are_not_nothing():
    """Guards against a rejected text layer that stands where there is print which OCR has a guess of."""
    guess = ReadLine(text="Pead anow", box=box(0, 0, 90, 10), confidence=0.2)
    page = composed(inspection(line(PROSE)), Reading(text="", unreadable=(guess,)))
    (region,) = page.regions
    assert (region.text, region.text_source) == ("", "ocr")
    assert [unreadable.guess for unreadable in region.unreadable] == ["Pead anow"]
    assert [(drop.text, drop.reason) for drop in page.dropped] == [(PROSE, "asked for")]
    assert codes(page) == ["unreadable_lines"]


def test_what_ocr_read_goes_before_the_text_layer_which_is_told_as_dropped():
    page = composed(inspection(line(PROSE)), READ)
    (region,) = page.regions
    assert (region.text, region.text_source) == ("Read again", "ocr")
    assert [(drop.text, drop.box, drop.reason) for drop in page.dropped] == [(PROSE, line(PROSE).box, "asked for")]
    assert "text_layer_kept" not in codes(page)


def test_lines_without_ink_are_kept_though_there_is_nothing_for_ocr_to_read():
    """Guards against visible lines that a coarse grid of ink does not show."""
    page_inspection = inspection(line(PROSE))
    page_inspection = page_inspection.model_copy(update={"ink": inspection().ink})
    page = composed(page_inspection, READ)
    assert [(region.text, region.reason) for region in page.regions] == [(PROSE, "no ink to read")]
    assert codes(page) == ["text_layer_kept"]


def test_characters_without_a_meaning_do_not_stand_in():
    """Guards against private characters as the text of a page; that they are there is told."""
    noise = line("\ue054\ue068" * 20, bad_share=1.0)
    page = composed(inspection(noise), Reading(text=""), text_source="auto")
    assert [(region.text, region.text_source) for region in page.regions] == [("", "ocr")]
    assert [(drop.text, drop.reason) for drop in page.dropped] == [(noise.text, "characters without a meaning")]
    assert codes(page) == ["text_layer_rejected"]


def test_of_a_doubtful_region_the_sound_lines_stand_in():
    noise = line("\ue054\ue068" * 60, y=112, bad_share=1.0)
    page = composed(
        inspection(line(PROSE), noise), Reading(text=""), [detection_of("plain text", 55, 95, 600, 125)], "auto"
    )
    assert [region.text for region in page.regions] == [PROSE]
    assert [(drop.text, drop.reason) for drop in page.dropped] == [(noise.text, "characters without a meaning")]


def test_lines_of_a_font_that_lies_do_not_stand_in():
    """Guards against nonsense whose letters are shifted, as the text of a region that nobody could read."""
    shifted = line("Wkh kduerxu pdvwhu vljqv wkh ohgjhu hyhub pruqlqj ehiruh wkh irj oliwv dqg jrhv krph.")
    page = composed(inspection(shifted), Reading(text=""), text_source="auto")
    assert [region.text for region in page.regions] == [""]
    assert [drop.reason for drop in page.dropped] == ["implausible letters"]


def test_what_nobody_read_is_told_as_dropped_and_stays_to_be_read():
    """`/v1/layout` composes pages of which nothing is read: their text would come from OCR."""
    page_inspection = inspection(line(PROSE))
    page = compose_page(
        page_inspection,
        draft_regions(page_inspection, [PLACE], text_source="ocr", blocks=blocks_of(page_inspection)),
        {},
        {},
    )
    assert [(region.text, region.text_source) for region in page.regions] == [("", "ocr")]
    assert [drop.text for drop in page.dropped] == [PROSE]


def test_warnings_of_a_reading_stay_where_the_text_layer_stands_in():
    cut = PageWarning(code="repetition_cut", message="cut")
    page = composed(inspection(line(PROSE)), Reading(text="", warnings=(cut,)))
    assert codes(page) == ["text_layer_kept", "repetition_cut"]


def test_hidden_lines_are_not_told_as_dropped():
    """Guards against text that nobody sees coming in by another door."""
    page = composed(inspection(line(PROSE), line("Secret", y=300, hidden="no_ink")), READ)
    assert [drop.text for drop in page.dropped] == [PROSE]


def test_a_line_that_an_author_s_tree_cuts_is_not_dropped_as_a_whole():
    """Drafts hold its parts, and the page is composed of the lines as the file has them."""
    whole = printed("Harbour dues are due at noon", 72, 100)
    parts = [
        whole.model_copy(
            update={
                "text": " ".join(word.text for word in words),
                "box": BoundingBox.around([word.box for word in words]),
                "words": words,
            }
        )
        for words in (whole.words[:2], whole.words[2:])
    ]
    drafts = draft_regions(inspection(*parts), [])
    assert compose_page(inspection(whole), drafts, {}, {}).dropped == ()
    missing = [draft.model_copy(update={"lines": draft.lines[:1]}) for draft in drafts]
    assert [line.text for line in compose_page(inspection(whole), missing, {}, {}).dropped] == [whole.text]
