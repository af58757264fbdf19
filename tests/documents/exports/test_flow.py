"""The blocks of a document."""

from __future__ import annotations

from page_making import page, region

from documents.exports.flow import blocks, figures
from documents.values import Document


def texts(*regions):
    return [block.text for block in blocks(Document(id="id", revision=1, pages=(page(*regions),)))]


def test_furniture_figures_and_empty_regions_are_left_out():
    """Guards against running heads in the middle of the text."""
    assert texts(region("Head", "abandon"), region("label", "figure"), region("  "), region("Text")) == ["Text"]


def test_a_paragraph_that_goes_on_is_one_block_and_what_stands_between_follows_it():
    """Guards against captions in the middle of sentences."""
    kept = texts(
        region("the conti-"),
        region("Figure 1", "figure_caption"),
        region("nent lay", continues=True),
        region("Another paragraph."),
    )
    assert kept == ["the continent lay", "Figure 1", "Another paragraph."]


def test_a_paragraph_goes_on_beyond_notes_and_keeps_its_items():
    """Guards against a note of the margin in the middle of a sentence, and items that lose their lines."""
    regions = (
        region("Boats:\n• the Alma and"),
        region("So they say.", note="side"),
        region("her crew\n• the Rosa", continues=True),
    )
    text, note = blocks(Document(id="id", revision=1, pages=(page(*regions),)))
    assert text.text == "Boats:\n• the Alma and her crew\n• the Rosa"
    assert [text.text.split("\n")[item.line][0] for item in text.items] == ["•", "•"]
    assert note.note == "side"


def test_every_region_with_text_is_in_exactly_one_block():
    """Guards against text that is dropped or doubled where a paragraph is interrupted."""
    kinds = [
        "title",
        "plain text",
        "figure_caption",
        "plain text",
        "table",
        "isolate_formula",
        "title",
        "table_footnote",
    ]
    regions = [region(f"text {k}", kind) for k, kind in enumerate(kinds)]
    assert sorted(texts(*regions)) == [f"text {k}" for k in range(len(kinds))]


def test_figures_stand_in_their_places_where_they_are_asked_for_and_have_the_names_of_their_pictures():
    """Guards against a figure in the middle of a sentence, and against names that fit no picture."""
    parts = (region("the conti-"), region("", "figure"), region("nent lay", continues=True), region("inside", "figure"))
    document = Document(id="id", revision=1, pages=(page(*parts), page(region("x", "figure"), number=2)))
    kept = [block.figure or block.text for block in blocks(document, with_figures=True)]
    assert kept == ["the continent lay", *(name for name, _, _ in figures(document))]
