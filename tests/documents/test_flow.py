"""The blocks of a document."""

from __future__ import annotations

from page_making import page, region

from documents.flow import blocks
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
