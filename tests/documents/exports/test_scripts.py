"""What is raised or lowered on the page is so in every format, also where Unicode has no characters for it."""

from __future__ import annotations

from html import escape

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
def test_markdown_sets_off_what_unicode_has_no_characters_for(kind):
    text = markdown(document(region(TEXT, kind, scripts=SCRIPTS)))
    assert r"Let x₁ be 10⁻³, λ\_g and e^(−kt) on the 4th day.¹" in text
    for name, html in markdown_renderings(text):
        assert TEXT.replace("λg", "λ_g") in rendered(html).text, name


def test_html_has_tags_for_all():
    html = to_html(document(region(TEXT, scripts=SCRIPTS)), {})
    words = (
        "Let x<sub>1</sub> be 10<sup>-3</sup>, λ<sub>g</sub> and e<sup>−kt</sup> on the 4<sup>th</sup> day.<sup>1</sup>"
    )
    assert words in html


@pytest.mark.parametrize("piece", ["<b>", "*", "](x", "&amp;", "`"])
def test_a_raised_text_is_no_markup(piece):
    """Guards against HTML and Markdown that a page prints within an index."""
    scripts = (Script(start=1, end=1 + len(piece), rise="sub"),)
    source = markdown(document(region(f"x{piece} so", scripts=scripts)))
    shown = rendered(dict(markdown_renderings(source))["html"])
    assert shown.text.strip() == f"x_{piece if len(piece) == 1 else f'({piece})'} so"
    assert [one.name for one in shown.elements] == ["p"]
    html = to_html(document(region(f"x{piece} so", scripts=scripts)), {})
    assert f"<p>x<sub>{escape(piece, quote=False)}</sub> so</p>" in html


def test_scripts_move_with_a_text_that_goes_on_over_pages():
    one, more = (
        region("It begins with x"),
        region("goes on λg.", continues=True, scripts=(Script(start=9, end=10, rise="sub"),)),
    )
    two = Document(id="d", revision=1, pages=(page(one), page(more, number=2)))
    assert r"x goes on λ\_g." in markdown(two)
