"""The blocks of a document."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from page_making import box, page, page_table, region
from work import steps_of

from documents.exports.text_blocks import blocks, figures
from documents.text.running_text import TAIL_CHARACTERS, join_lines
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
    assert [text.text.split("\n")[item.line][0] for item in text.region.items] == ["•", "•"]
    assert note.region.note == "side"


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


def test_the_parts_of_a_block_say_where_each_region_stands_in_its_text():
    """Guards against citations of the first page for what the second says."""
    first, second = region("the conti-"), region("nent lay", continues=True)
    document = Document(id="id", revision=1, pages=(page(first), page(second, number=2)))
    (block,) = blocks(document)
    assert [(part.page, block.text[part.start : part.end]) for part in block.parts] == [
        (1, "the conti"),
        (2, "nent lay"),
    ]


def test_a_table_over_two_pages_is_one_block_that_knows_its_parts():
    """Guards against rows of page two that are cited with page one."""
    tables = [page_table([["No.", "Item"], row], box(60, 100, 300, 200)) for row in (["1", "Rope"], ["2", "Sail"])]
    regions = [region("t", "table", table=table, continues=k > 0) for k, table in enumerate(tables)]
    document = Document(id="id", revision=1, pages=(page(regions[0]), page(regions[1], number=2)))
    (block,) = blocks(document)
    assert block.text == "No.\tItem\n1\tRope\n2\tSail"
    assert [(part.page, part.region.table) for part in block.parts] == [(1, tables[0]), (2, tables[1])]


def test_regions_are_read_in_their_order_not_as_they_lie():
    """Guards against Markdown in the order of detection."""
    assert texts(region("second", order=1), region("first", order=0)) == ["first", "second"]


def test_a_paragraph_of_many_regions_is_looked_at_only_where_they_meet(monkeypatch):
    """Guards against 4,000 regions of one paragraph that took nine seconds: each part looked through all before it."""
    characters = 0

    def counted(text, more, words):
        nonlocal characters
        characters += len(text) + len(more)
        return join_lines(text, more, words)

    monkeypatch.setattr("documents.exports.text_blocks.join_lines", counted)
    part = "some words of a line that goes on and on and on-"
    (text,) = texts(*(region(part, order=k, continues=k > 0) for k in range(1000)))
    assert len(text) > 40 * 1000
    assert characters < 1000 * (TAIL_CHARACTERS + len(part))


@given(
    st.lists(
        st.sampled_from(["so it goes on", "the conti-", "nent", "* a", "1. one\n2. two-", "x" * TAIL_CHARACTERS]),
        max_size=9,
    )
)
def test_the_parts_of_a_long_paragraph_keep_their_places(parts):
    """Guards against places and items that are lost where only the end of a long text is looked at."""
    regions = [region(text, order=k, continues=k > 0) for k, text in enumerate(parts)]
    document = Document(id="id", revision=1, pages=(page(*regions),))
    for block in blocks(document):
        assert [part.region for part in block.parts] == regions
        for part in block.parts:
            own_text = part.region.text.strip()
            assert block.text[part.start : part.end] in (own_text, own_text.removesuffix("-"))
        marked = [item.marker for one in regions for item in one.items]
        lines = block.text.split("\n")
        assert [item.marker for item in block.region.items] == marked
        assert all(item.marker in lines[item.line] for item in block.region.items)


def test_a_table_over_many_pages_is_made_one_at_once():
    """Guards against a table that was made again, with all of its cells, for each page that it goes on over."""

    def work(num):
        rows = page_table([[str(k), "Rope"] for k in range(8)], box(60, 60, 300, 200))
        pages = tuple(
            page(region("x", "table", table=rows, continues=number > 1), number=number) for number in range(1, num + 1)
        )
        document = Document(id="id", revision=1, pages=pages)
        assert len(list(blocks(document))) == 1
        return steps_of(lambda: list(blocks(document)))

    assert work(80) < 2.5 * work(40)
