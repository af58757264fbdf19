"""Breaks between the pages of Markdown, judged by docling-core's own Markdown of the same document."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from docling_core.types.doc.document import DoclingDocument
from hypothesis import given
from hypothesis import strategies as st
from page_making import box, page, region

from documents.boxes import NO_BOX
from documents.exports.docling_json.docling_document import docling
from documents.exports.markdown import markdown
from documents.places import DocumentPlace
from documents.region_values import ListItem, Region, Table, TableCell
from documents.values import Document

BREAK = "\f"
WORD = re.compile(r"\bp\d+w\d+\b")
Regions = list[Region]


def listed(word: str) -> Region:
    items = tuple(ListItem(line=k, marker="•", level=k + 1, box=box(60, 0, 66, 6)) for k in range(2))
    return region(f"• {word}\n• {word}").model_copy(update={"items": items})


def table(word: str, *, continues: bool = False) -> Region:
    cells = [
        TableCell(row=row, column=column, text=f"{word} {row}{column}" if word else "", box=box(60, 0, 99, 6))
        for row in range(2)
        for column in range(2)
    ]
    grid = Table(num_rows=2, num_columns=2, num_header_rows=0 if continues else 1, cells=tuple(cells))
    return region("\n".join(cell.text for cell in cells), "table", table=grid, continues=continues)


CONTENTS: dict[str, Callable[[str], Regions]] = {
    "blank": lambda _: [],
    "text": lambda word: [region(word)],
    "text below a head": lambda word: [region("Head", "abandon"), region(word)],
    "furniture": lambda _: [region("Head", "abandon"), region("7", "abandon")],
    "figure": lambda _: [region("", "figure")],
    "figure with words": lambda word: [region("in the picture", "figure"), region(word, "figure_caption", describes=0)],
    "table": lambda word: [table(word)],
    "empty table": lambda _: [table("")],
    "rest of a table": lambda word: [table(word, continues=True)],
    "rest of a paragraph": lambda word: [region(word, continues=True)],
    "list": lambda word: [region(word), listed(word)],
    "list alone": lambda word: [listed(word)],
    "program": lambda word: [region(word, code=True)],
    "note": lambda word: [region(word), region(word, note="foot")],
}


def document_of(kinds: list[str]) -> Document:
    """A page per kind; a word of a page begins with its number."""
    pages = [
        page(*(one.model_copy(update={"order": k}) for k, one in enumerate(CONTENTS[kind](f"p{n}w1"))), number=n)
        for n, kind in enumerate(kinds, 1)
    ]
    return Document(id="d", revision=1, pages=tuple(pages))


def parts_of(text: str) -> list[set[str]]:
    """The words between the breaks."""
    return [set(WORD.findall(part)) for part in text.split(BREAK)]


@given(st.lists(st.sampled_from(sorted(CONTENTS)), min_size=1, max_size=7))
def test_breaks_stand_where_docling_writes_them(kinds: list[str]) -> None:
    """Guards against a client that counts breaks and names a wrong page for all text behind a blank one."""
    document = document_of(kinds)
    own = markdown(document, {}, page_break=BREAK)
    theirs = DoclingDocument.model_validate(docling(document)).export_to_markdown(page_break_placeholder=BREAK)
    assert parts_of(own) == parts_of(theirs)


@given(st.lists(st.sampled_from(sorted(CONTENTS)), min_size=1, max_size=7))
def test_page_numbers_of_json_are_those_of_the_parts(kinds: list[str]) -> None:
    """Open WebUI numbers the parts by the pages of the body's items in the JSON, where there are as many."""
    document = document_of(kinds)
    items = docling(document)
    numbers = sorted(
        {
            item["prov"][0]["page_no"]
            for kind in ("texts", "tables", "pictures", "key_value_items")
            for item in items[kind]
            if item["content_layer"] == "body" and item.get("prov")
        }
    )
    parts = parts_of(markdown(document, {}, page_break=BREAK))
    assert len(parts) == max(1, len(numbers))
    for number, words in zip(numbers, parts, strict=False):
        assert all(word.startswith(f"p{number}w") for word in words)


def test_what_goes_on_over_a_page_is_whole_without_breaks() -> None:
    document = document_of(["text", "rest of a paragraph"])
    assert markdown(document, {}) == "p1w1 p2w1\n"
    assert markdown(document, {}, page_break="---") == "p1w1\n\n---\n\np2w1\n"


@pytest.mark.parametrize("mark", ["<!-- page -->", "\f", "\n\n* * *\n\n"])
def test_the_break_is_written_as_it_is(mark: str) -> None:
    document = document_of(["text", "text", "table"])
    theirs = DoclingDocument.model_validate(docling(document)).export_to_markdown(page_break_placeholder=mark)
    assert markdown(document, {}, page_break=mark).count(mark) == theirs.count(mark) == 2


def test_a_file_without_printed_pages_has_no_breaks() -> None:
    """Its items have no place on a page; guards against page numbers of a text document that has none."""
    paragraphs = [
        region(text).model_copy(update={"box": NO_BOX, "place": DocumentPlace(path=f"body/p[{k}]")})
        for k, text in enumerate(("First", "Second"), 1)
    ]
    document = Document(id="d", revision=1, pages=tuple(page(one, number=n) for n, one in enumerate(paragraphs, 1)))
    theirs = DoclingDocument.model_validate(docling(document)).export_to_markdown(page_break_placeholder=BREAK)
    assert markdown(document, {}, page_break=BREAK) == f"{theirs}\n" == "First\n\nSecond\n"
