"""Links and what is struck out stand on their own words in every export."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import cmarkgfm
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from page_making import box, page, region

from documents.exports.html import to_html
from documents.exports.linked_text import lines_of, on_one_line, struck_text
from documents.exports.markdown import markdown
from documents.exports.plain_text import plain_text
from documents.region_values import Link, ListItem, Table, TableCell, TextRange
from documents.values import Document

TEXT = "The rent is 310 euros and 275 euros."
OLD = (TextRange(start=12, end=21),)


def one(*regions):
    return Document(id="d", revision=1, pages=(page(*regions),))


class Struck(HTMLParser):
    """The text of an HTML page, and that of its struck elements."""

    def __init__(self, html):
        super().__init__()
        self.depth, self.struck, self.text = 0, "", ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.depth += tag in ("s", "del")

    def handle_endtag(self, tag):
        self.depth -= tag in ("s", "del")

    def handle_data(self, data):
        self.text += data
        self.struck += data if self.depth else ""


def squeezed(text):
    return "".join(text.split())


def test_a_link_stands_where_the_file_has_it():
    """Guards against `here` linked inside "There", because its letters stand there first."""
    link = Link(text="here", uri="https://a.example/", start=19, end=23)
    assert markdown(one(region("There is more, see here.", links=(link,)))) == (
        "There is more, see [here](https://a.example/).\n"
    )
    assert 'see <a href="https://a.example/"' in to_html(one(region("There is more, see here.", links=(link,))), {})


def test_a_link_without_a_place_is_where_its_words_stand_next():
    """Guards against stored pages of older schemas whose links are gone."""
    links = (Link(text="here", uri="https://a.example/"), Link(text="here", uri="https://b.example/"))
    assert markdown(one(region("See here and here.", links=links))) == (
        "See [here](https://a.example/) and [here](https://b.example/).\n"
    )


def test_a_paragraph_that_goes_on_keeps_its_links_and_strikes_in_their_places():
    """Guards against marks on other words once a paragraph is joined over two columns, a hyphen taken out between."""
    first = region("See the har-", struck=(TextRange(start=8, end=12),))
    link = Link(text="here", uri="https://a.example/", start=13, end=17)
    more = region("bour. There, here.", continues=True, struck=(TextRange(start=0, end=5),), links=(link,))
    assert markdown(one(first, more)) == "See the ~~harbour.~~ There, [here](https://a.example/).\n"


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (region(TEXT, struck=OLD), "The rent is ~~310 euros~~ and 275 euros."),
        (region(TEXT, "title", level=2, struck=OLD), "## The rent is ~~310 euros~~ and 275 euros."),
        (region("• one\n• two", struck=(TextRange(start=2, end=11),)), "- ~~one~~\n- ~~two~~"),
        (region("x = 1\ny = 2", code=True, struck=(TextRange(start=0, end=11),)), "```\n~~x = 1~~\n~~y = 2~~\n```"),
        (region(TEXT, "table", struck=OLD), "The rent is ~~310 euros~~ and 275 euros."),
        (region(TEXT, note="side", struck=OLD), "> The rent is ~~310 euros~~ and 275 euros."),
    ],
)
def test_struck_words_are_between_tildes_in_markdown_and_in_their_tag_in_html(made, expected):
    """Guards against words that their author crossed out and everybody reads as valid."""
    if made.text.startswith("•"):
        items = tuple(ListItem(line=k, marker="•", box=box(0, 0, 1, 1)) for k in range(2))
        made = made.model_copy(
            update={"items": items, "struck": (TextRange(start=2, end=5), TextRange(start=8, end=11))}
        )
    assert markdown(one(made)) == expected + "\n"
    html = Struck(to_html(one(made), {}))
    assert squeezed(html.struck) == squeezed("".join(made.text[words.start : words.end] for words in made.struck))
    assert plain_text(one(made)).count("~~") == expected.count("~~")


@pytest.mark.parametrize("num_columns", [1, 2])
def test_struck_words_of_a_cell_are_shown_as_such(num_columns):
    """Guards against an old price that stands in a table beside the new one, as good as that."""
    cells = (
        TableCell(row=0, column=0, text="Price", box=box(0, 0, 1, 1), num_columns=num_columns),
        TableCell(row=1, column=0, text="12 | 15", box=box(0, 0, 1, 1), struck=(TextRange(start=0, end=2),)),
        TableCell(row=1, column=1, text="all", box=box(0, 0, 1, 1), struck=(TextRange(start=0, end=3),)),
    )
    table = Table(num_rows=2, num_columns=2, num_header_rows=1, cells=cells)
    document = one(region("Price\n12 | 15\tall", "table", table=table))
    shown = "| ~~12~~ \\| 15 | ~~all~~ |" if num_columns == 1 else "<td><s>12</s> | 15</td><td><s>all</s></td>"
    assert shown in markdown(document)
    assert "<td><s>12</s> | 15</td><td><s>all</s></td>" in to_html(document, {})
    assert plain_text(document) == "Price\n~~12~~ | 15\t~~all~~\n"


@given(st.text("ab .,!~*[]()|\\\n", max_size=30), st.lists(st.integers(0, 30), max_size=4, unique=True))
@example("a.b", [1, 3])
@example("(a)b", [0, 3])
@example("[[[ \n[", [0, 6])
def test_what_is_struck_out_is_so_where_the_markdown_is_shown(text, ends):
    """Guards against tildes that begin or end nothing beside a letter; the oracle is cmark's own extension."""
    ends = sorted(end for end in ends if end <= len(text))
    struck = tuple(TextRange(start=start, end=end) for start, end in zip(ends[::2], ends[1::2], strict=False))
    made = region(text, struck=struck)
    assume(not made.items)  # their markers become those of Markdown
    source = markdown(one(made))
    html = Struck(cmarkgfm.github_flavored_markdown_to_html(source, cmarkgfm.cmark.Options.CMARK_OPT_UNSAFE))
    assert squeezed(html.text) == squeezed(text)
    assert squeezed(html.struck) == squeezed("".join(text[words.start : words.end] for words in struck))


@given(st.text(max_size=40), st.lists(st.integers(0, 40), max_size=4, unique=True))
def test_lines_and_runs_hold_the_whole_text(text, ends):
    """The oracle is the standard library's own way to set a text on one line."""
    struck = [
        TextRange(start=min(a, len(text)), end=min(b, len(text)))
        for a, b in zip(*[iter(sorted(ends))] * 2, strict=False)
    ]
    lines = lines_of(text, (), struck)
    assert "\n".join("".join(run.text for run in line) for line in lines) == text
    assert "".join(run.text for run in on_one_line(lines)) == " ".join(text.split())
    assert re.sub("~~", "", struck_text(text, struck)) == text.replace("~~", "")
