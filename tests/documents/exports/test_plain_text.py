"""The words alone."""

from __future__ import annotations

from page_making import page, region

from documents.exports.plain_text import plain_text
from documents.values import Document


def test_plain_text_has_blocks_and_no_marks():
    """Guards against Markdown's signs in what is asked for as plain text."""
    kept = (region("Head", "abandon"), region("A <Title>", "title", level=1), region("One *two*."))
    assert plain_text(Document(id="id", revision=1, pages=(page(*kept),))) == "A <Title>\n\nOne *two*.\n"


def test_items_of_lists_in_lists_stand_further_in():
    """Guards against lists whose levels plain text does not show."""
    whole = region("1. one\n• two")
    one, two = whole.items
    whole = whole.model_copy(update={"items": (one, two.model_copy(update={"level": 2}))})
    assert plain_text(Document(id="id", revision=1, pages=(page(whole),))) == "1. one\n  • two\n"
