"""Markdown that shows what is printed and does nothing else."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_making import page, region

from documents.markdown import escaped, markdown
from documents.values import Document


def shown(*regions):
    return markdown(Document(id="id", revision=1, pages=(page(*regions),)))


def test_headings_paragraphs_and_lists_are_written_as_such():
    """Guards against Markdown that loses the structure that was found."""
    text = shown(
        region("The Title", "title", level=1),
        region("First.\n\nSecond."),
        region("Things:\n• one\n• two\n3. three"),
        region("A Part", "title", level=3),
    )
    assert text == "# The Title\n\nFirst.\n\nSecond.\n\nThings:\n- one\n- two\n3. three\n\n### A Part\n"


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "[click](javascript:alert(1))",
        "![x](http://198.51.100.7/x.png)",
        "`code`",
        "<!-- comment -->",
        "&lt;b&gt;",
        "# no heading",
        "a | b",
        "$x$ and ~~y~~ and **z**",
        "1. no list",
    ],
)
def test_printed_markup_stays_text(text):
    """Guards against documents that run scripts or load pictures where their Markdown is shown."""
    escaped_text = escaped(text)
    bare = re.sub(r"\\.", "", escaped_text)
    assert not re.search(r"[<>`\[\]|$~*]|^#|&(?!amp;)", bare)
    assert not re.match(r"\d+[.)]\s", bare)


@given(st.text(max_size=80))
def test_no_text_can_open_a_tag_or_a_link(text):
    """Guards against a document that writes scripts or links into the page that shows it."""
    bare = re.sub(r"\\.", "", shown(region(text or "x")), flags=re.DOTALL)
    assert not set("<>[]`") & set(bare)


def test_an_empty_document_is_empty():
    """Guards against a file of one blank line for a document without text."""
    assert shown() == ""
