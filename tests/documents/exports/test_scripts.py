"""What is raised or lowered on the page is so in every format, also where Unicode has no characters for it."""

from __future__ import annotations

import pytest
from page_making import page, region
from rendered import markdown_renderings, rendered

from documents.exports.html import to_html
from documents.exports.markdown import markdown
from documents.region_values import Script
from documents.values import Document

TEXT = "Let x₁ be 10⁻³, λg and e^(−kt) on the 4th day.¹"
SCRIPTS = tuple(
    Script(start=TEXT.index(part) + lead, end=TEXT.index(part) + len(part), rise=rise, is_note=is_note)
    for part, lead, rise, is_note in [
        ("x₁", 1, "sub", False),
        ("10⁻³", 2, "super", False),
        ("λg", 1, "sub", False),
        ("e^(−kt)", 1, "super", False),
        ("4th", 1, "super", False),
        (".¹", 1, "super", True),
    ]
)


def document(*regions):
    return Document(id="d", revision=1, pages=(page(*regions),))


@pytest.mark.parametrize("kind", ["plain text", "title", "table_footnote"])
def test_markdown_has_tags_where_unicode_has_no_characters(kind):
    text = markdown(document(region(TEXT, kind, scripts=SCRIPTS)))
    assert "Let x₁ be 10⁻³, λ<sub>g</sub> and e<sup>−kt</sup> on the 4th day.¹" in text
    for _, html in markdown_renderings(text):
        assert "λ" in html
    assert [one.name for one in rendered(dict(markdown_renderings(text))["html"]).elements if one.name[:2] == "su"] == [
        "sub",
        "sup",
    ]


def test_html_has_tags_for_all():
    html = to_html(document(region(TEXT, scripts=SCRIPTS)), {})
    words = (
        "Let x<sub>1</sub> be 10<sup>-3</sup>, λ<sub>g</sub> and e<sup>−kt</sup> on the 4<sup>th</sup> day.<sup>1</sup>"
    )
    assert words in html


@pytest.mark.parametrize("piece", ["<b>", "*", "](x", "&amp;", "`"])
def test_a_raised_text_is_no_markup(piece):
    """Guards against HTML and Markdown that a page prints within an exponent."""
    text = f"x{piece} so"
    scripts = (Script(start=1, end=1 + len(piece), rise="sub"),)
    source = markdown(document(region(text, scripts=scripts)))
    shown = rendered(dict(markdown_renderings(source))["html"])
    assert shown.text.strip() == text
    assert [one.name for one in shown.elements] == ["p", "sub"]


def test_scripts_move_with_a_text_that_goes_on_over_pages():
    one, more = (
        region("It begins with x"),
        region("goes on λg.", continues=True, scripts=(Script(start=9, end=10, rise="sub"),)),
    )
    two = Document(id="d", revision=1, pages=(page(one), page(more, number=2)))
    assert "x goes on λ<sub>g</sub>." in markdown(two)
