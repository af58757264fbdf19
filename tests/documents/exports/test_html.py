"""HTML that shows what is printed and does nothing else."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_making import box, page, region

from documents.exports.html import to_html
from documents.region_values import Link, Table, TableCell
from documents.values import Document

TAGS = {"html", "head", "meta", "title", "body", "h1", "h2", "h3", "p", "ul", "li", "a", "table", "tr", "th", "td"}
TAGS |= {"pre", "code", "figure", "img"}


class Seen(HTMLParser):
    """The tags and the words of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.words += data.split()


def shown(*regions, pictures=None, title=""):
    return to_html(Document(id="d", revision=1, pages=(page(*regions),)), pictures or {}, title=title)


def test_headings_lists_tables_code_and_figures_have_their_tags():
    """Guards against HTML that loses the structure that was found."""
    cells = (
        TableCell(row=0, column=0, num_columns=2, text="Boats", box=box(0, 0, 9, 9)),
        TableCell(row=1, column=0, text="Alma", box=box(0, 9, 4, 18)),
    )
    table = Table(num_rows=2, num_columns=2, num_header_rows=1, cells=cells)
    text = shown(
        region("Harbour", "title", level=1),
        region("First.\n\nThings:\n• one\n2. two"),
        region("Boats", "table", table=table),
        region("let x = 1", code=True),
        region("", "figure"),
    )
    assert "<h1>Harbour</h1>\n<p>First.</p>\n<p>Things:</p>\n<ul>\n<li>one</li>\n<li>two</li>\n</ul>" in text
    assert '<th colspan="2">Boats</th>' in text
    assert "<pre><code>let x = 1</code></pre>" in text
    assert "<!-- image -->" in text


def test_a_figure_shows_the_picture_that_is_given():
    name = "figures/page-0001-01.png"
    assert '<img src="data:image/png;base64,AA==" alt="">' in shown(
        region("", "figure"), pictures={name: "data:image/png;base64,AA=="}
    )


def test_the_words_of_a_figure_are_its_alternative_text():
    """Guards against a picture that says nothing to those who cannot see it, and quotes that end the attribute."""
    document = Document(id="id", revision=1, pages=(page(region('Flexloc\n"nut" <1>', "figure")),))
    written = to_html(document, {"figures/page-0001-01.png": "data:image/png;base64,AA=="})
    assert 'alt="Flexloc &quot;nut&quot; &lt;1&gt;"' in written


@given(st.text(max_size=60), st.sampled_from(["plain text", "title", "table", "figure_caption"]))
def test_nothing_that_is_printed_becomes_a_tag(text, kind):
    """Guards against markup that a page smuggles into somebody's browser."""
    parser = Seen(shown(region(f"<script>x</script> {text}", kind), title=text))
    assert {tag for tag, _ in parser.tags} <= TAGS - {"a", "img"}
    assert all(not attributes or attributes == {"charset": "UTF-8"} for _, attributes in parser.tags)


@pytest.mark.parametrize(("uri", "linked"), [('https://a.example/?a=1&b="', True), ("javascript:alert(1)", False)])
def test_only_addresses_of_the_web_are_linked_and_each_once(uri, linked):
    """Guards against links that run scripts, and against links on words that have none."""
    parser = Seen(shown(region("see here\n\nand here", links=(Link(text="here", uri=uri),))))
    assert [attributes["href"] for tag, attributes in parser.tags if tag == "a"] == ([uri] if linked else [])
