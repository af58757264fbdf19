"""Words whose letters a file does not say are read by OCR, and no others of their line."""

from __future__ import annotations

import numpy as np
import pytest
from block_making import blocks_of
from page_making import inspection, line, words_of

from documents.inspection import InkGrid
from documents.page.build_page import compose_page, draft_regions
from documents.regions import reread_words
from documents.values import Reading

BEFORE, LOST, AFTER = "The harbour master keeps a", "bo\ufffd\ufffd", "of all ships that wait for the tide"


def page_with(text, *, size=10.0, **more):
    """A page with a line in sound type that has this text in it; its ink is where its words are."""
    words = words_of(text, 60, 100, size)
    bad_share = round(text.count("\ufffd") / len(text), 3)
    lines = [line(text, words=words, bad_share=bad_share, **more), line("It is signed each evening.", y=114)]
    return inspection(*lines, ink=[word.box for word in words])


def drafts_of(page_inspection, **options):
    return draft_regions(page_inspection, [], blocks=blocks_of(page_inspection), **options)


def read(page_inspection, texts):
    """The page once OCR read these words, in the order in which they are to be read."""
    drafts = drafts_of(page_inspection)
    words = [draft for draft in drafts if draft.words_of is not None]
    assert len(words) == len(texts)
    readings = {draft.index: Reading(text=text) for draft, text in zip(words, texts, strict=True)}
    return compose_page(page_inspection, drafts, readings, {})


def text_of(page):
    return " ".join(region.text for region in page.regions).split(" It is")[0]


def test_only_the_words_without_letters_are_read():
    page_inspection = page_with(f"{BEFORE} {LOST} {AFTER}")
    [draft] = [one for one in drafts_of(page_inspection) if one.text_source == "ocr"]
    [own] = [word for word in page_inspection.lines[0].words if "\ufffd" in word.text]
    assert own.box.share_inside(draft.crop_box) == 1.0
    assert all(word.box.share_inside(draft.crop_box) == 0 for word in page_inspection.lines[0].words if word is not own)


@pytest.mark.parametrize("reading", ["book", "book  keeper", " book\n"])
def test_what_is_read_stands_in_its_place(reading):
    page = read(page_with(f"{BEFORE} {LOST} {AFTER}"), [reading])
    assert text_of(page) == f"{BEFORE} {' '.join(reading.split())} {AFTER}"
    assert [warning.code for warning in page.warnings] == ["words_read_again"]
    assert not page.dropped
    assert len(page.regions) == 1


def test_two_places_of_a_line_are_two_readings():
    page = read(page_with(f"{LOST} {BEFORE} \ufffdne {LOST} {AFTER}"), ["book", "fine look"])
    assert text_of(page) == f"book {BEFORE} fine look {AFTER}"


def test_what_is_not_read_stays_and_is_told():
    """Guards against words that vanish with an OCR that reads nothing."""
    page = read(page_with(f"{BEFORE} {LOST} {AFTER}"), [""])
    assert text_of(page) == f"{BEFORE} {LOST} {AFTER}"
    assert [warning.code for warning in page.warnings] == ["lost_characters"]


def test_a_page_without_ocr_has_its_regions_alone():
    page_inspection = page_with(f"{BEFORE} {LOST} {AFTER}")
    page = compose_page(page_inspection, drafts_of(page_inspection), {}, {})
    assert [region.text_source for region in page.regions] == ["text_layer"]


@pytest.mark.parametrize("text", [f"{BEFORE} \ufffd {AFTER}", f"{BEFORE} {AFTER}"])
def test_a_sign_alone_is_not_read(text):
    """A bullet without a name would become some letter."""
    assert all(draft.words_of is None for draft in drafts_of(page_with(text)))


def test_a_caller_that_asks_for_the_text_layer_gets_it():
    page_inspection = page_with(f"{BEFORE} {LOST} {AFTER}")
    assert all(draft.words_of is None for draft in drafts_of(page_inspection, text_source="text_layer"))


def test_words_without_ink_are_not_read():
    page_inspection = page_with(f"{BEFORE} {LOST} {AFTER}")
    ink = InkGrid.of(np.zeros_like(page_inspection.ink.cells()), page_inspection.ink.cell)
    bare = page_inspection.model_copy(update={"ink": ink})
    assert all(draft.words_of is None for draft in drafts_of(bare))


@pytest.mark.parametrize(("num_places", "message"), [(5, None), (8, "those in 3 more places were not read")])
def test_words_beyond_the_limit_are_reported(num_places, message, monkeypatch):
    """They stayed as characters without a meaning, and no warning counted them."""
    monkeypatch.setattr(reread_words, "MAX_WORDS", 5)
    page = read(page_with(" ".join(f"w{k} {LOST}" for k in range(num_places))), ["book"] * 5)
    [warning] = [one for one in page.warnings if one.code == "words_read_again"]
    assert warning.message.partition("; ")[2] == (message or "")
    assert text_of(page).count("book") == 5
