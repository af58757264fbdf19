"""Markdown that shows what is printed and does nothing else."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from page_making import page, region

from documents.exports.markdown import markdown
from documents.exports.markdown_text import escaped
from documents.region_values import Link
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
        "![x](x.png)",
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
    assert MarkdownIt().render(escaped(text)) == f"<p>{html.escape(text)}</p>\n"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("See https://a.example/x_y(1).", "See `https://a.example/x_y(1)`."),
        ("(www.a.example)", "(`www.a.example`)"),
        ("Write to a_b@c.example, or call", "Write to `a_b@c.example`, or call"),
        ("请看https://a.example了解", "请看`https://a.example`了解"),
        ("model.py, e.g. from a.com", r"model\.py, e.g. from a\.com"),
        ("at 3.14 p.m. in the U.S.", "at 3.14 p.m. in the U.S."),
    ],
)
def test_addresses_that_the_file_does_not_link_are_code(text, shown):
    """Guards against links that GitHub's Markdown makes of text, in spite of a backslash."""
    assert escaped(text) == shown


def test_links_of_the_file_are_links_on_their_words():
    """Guards against addresses that are collected and lost, and words linked where they first stand by chance."""
    links = (Link(text="the ferry", uri="https://a.example/x(1)?q=<b>"), Link(text="Write [us]", uri="mailto:a@b.c"))
    text = shown(region("See the ferry, then Write [us] soon.", links=links))
    assert text == (
        "See [the ferry](https://a.example/x%281%29?q=%3Cb%3E), then [Write \\[us\\]](mailto:a@b.c) soon.\n"
    )


@pytest.mark.parametrize(
    "uri", ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "https://", " https:x"]
)
def test_only_addresses_of_the_web_and_of_mail_are_linked(uri):
    """Guards against a document that runs something when a reader follows its words."""
    assert shown(region("See the ferry.", links=(Link(text="ferry", uri=uri),))) == "See the ferry.\n"


def test_words_that_were_mended_are_text():
    """Guards against a link on other words than the file's."""
    assert shown(region("See the ferry.", links=(Link(text="fer- ry", uri="https://a.example"),))) == "See the ferry.\n"


@given(st.text(max_size=40), st.text(max_size=40))
def test_no_address_can_open_a_tag_or_end_its_link(text, tail):
    """Guards against an address that writes markup into the page that shows it."""
    linked = shown(region("x", links=(Link(text="x", uri="https://" + text + tail),)))
    assert re.fullmatch(r"x\n|\[x\]\([^\s<>()\[\]`*\\]*\)\n", linked)


def test_programs_are_fenced_with_their_indent_and_cannot_leave_the_fence():
    """Guards against code that runs together, and a listing that goes on as markup."""
    code = "def f():\n    return 1"
    assert shown(region(code, code=True), region("y = 2", code=True)) == f"```\n{code}\n\ny = 2\n```\n"
    assert shown(region("a\n````\n# b", code=True)) == "`````\na\n````\n# b\n`````\n"


def test_a_numbered_heading_is_written_as_it_is_printed():
    """Guards against "3\\. Boats" in headings, where no list can begin."""
    assert shown(region("3. Boats * Crews", "title", level=2)) == "## 3. Boats \\* Crews\n"


def listed(text, *levels, **more):
    whole = region(text, **more)
    items = (item.model_copy(update={"level": level}) for item, level in zip(whole.items, levels, strict=True))
    return whole.model_copy(update={"items": tuple(items)})


def test_lists_in_lists_are_indented_to_the_text_above_them_also_over_regions():
    """Guards against nested items that Markdown shows as one list, as code, or as text."""
    text = shown(
        listed("1. one\n• first\n– deep\na) alpha\n2. two", 1, 2, 3, 2, 1), listed("• under two\n10. ten", 2, 1)
    )
    assert text == ("1. one\n   - first\n     - deep\n   - a) alpha\n2. two\n\n   - under two\n10. ten\n")
    html = MarkdownIt().render(text)
    assert html.count("<ul>") == 3
    assert "<code>" not in html


def test_a_box_before_an_item_stays_and_says_whether_it_is_ticked():
    """Guards against checklists of which Markdown tells no item that is done."""
    assert shown(region("☒ paid\n☐ packed\n• sent")) == "- ☒ paid\n- ☐ packed\n- sent\n"


def test_an_item_below_text_is_one_wherever_its_number_begins():
    """Guards against "7. seven" that Markdown takes for the text above it."""
    assert shown(region("Text:\n7. seven")) == "Text:\n\n7. seven\n"
    assert MarkdownIt().render(shown(listed("• one\n4. four", 1, 2))).count("<li>") == 2


def test_an_item_whose_list_was_left_stands_at_the_margin():
    """Guards against an indent that makes code of an item below a paragraph."""
    assert shown(listed("• one", 1), region("Text."), listed("– under one", 3)) == "- one\n\nText.\n\n- under one\n"


def test_notes_in_the_margin_are_set_apart():
    """Guards against marginalia that read as a part of the text."""
    assert shown(region("Text."), region("> So they\nsay.", note="side")) == "Text.\n\n> \\> So they\n> say.\n"


def test_an_empty_document_is_empty():
    """Guards against a file of one blank line for a document without text."""
    assert shown() == ""


def test_figures_are_shown_as_pictures_or_told_as_comments_only_where_that_is_asked_for():
    """Guards against a Markdown whose pictures lead nowhere."""
    document = Document(id="id", revision=1, pages=(page(region("Text"), region("", "figure"), region("", "figure")),))
    assert markdown(document) == "Text\n"
    shown = markdown(document, {"figures/page-0001-01.png": "data:image/png;base64,AA=="})
    assert shown == "Text\n\n![Image](data:image/png;base64,AA==)\n\n<!-- image -->\n"


def test_the_words_of_a_figure_stand_in_place_of_its_picture_and_never_first():
    """Guards against words that search finds and nobody can read; `![^` would be a footnote to GitHub's parser."""
    document = Document(id="id", revision=1, pages=(page(region("^[1]\n\nFlexloc nut", "figure")),))
    name = "figures/page-0001-01.png"
    assert markdown(document) == ""
    assert markdown(document, {name: "nut.png"}) == "![Image: ^\\[1\\] Flexloc nut](nut.png)\n"
