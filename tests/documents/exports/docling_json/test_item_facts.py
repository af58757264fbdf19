"""Confidences and places beside docling's items, judged by docling-core: it keeps them, and prints them nowhere."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from docling_core.transforms.serializer.latex import LaTeXDocSerializer
from docling_core.types.doc.common.content_layer import ContentLayer
from docling_core.types.doc.document import DoclingDocument
from page_making import box, page, region
from work import steps_of

from documents.exports.docling_json.docling_document import docling
from documents.exports.docling_json.item_facts import facts_in
from documents.places import DocumentPlace
from documents.region_values import ListItem, Region, Span, Table, TableCell
from documents.values import Document


def line(text: str, start: int | None, *sure: float, source: str = "ocr") -> Span:
    end = None if start is None else start + len(text)
    where = {"box": box(60, 100, 300, 110), "text_start": start, "text_end": end}
    return Span.model_validate(
        {"text": text, "source": source, "confidence": min(sure, default=None), "word_confidences": sure} | where
    )


def read(*spans: Span, text: str, kind: str = "plain text", **more: Any) -> Region:
    return region(text, kind).model_copy(update={"spans": spans, "text_source": "ocr", "confidence": 0.5} | more)


def facts(*regions: Region) -> list[tuple[str, dict[str, Any]]]:
    """The text and the facts of each item with facts."""
    written = docling(Document(id="d", revision=1, pages=(page(*regions),)))
    items = {item["self_ref"]: item for kind in ("texts", "tables", "pictures") for item in written[kind]}
    return [(items[ref].get("text", items[ref]["label"]), one) for ref, one in facts_in(written).items()]


def test_the_confidence_of_an_item_is_the_mean_of_its_words_by_their_letters() -> None:
    """3 letters at 0.9 and 1 at 0.5: (3 * 0.9 + 0.5) / 4 = 0.8; the confidence of the least sure word is beside it."""
    assert facts(read(line("abc d", 0, 0.9, 0.5), text="abc d")) == [
        ("abc d", {"confidence": 0.8, "min_word_confidence": 0.5})
    ]


def test_each_paragraph_and_item_of_a_list_has_that_of_its_own_lines() -> None:
    """Guards against one doubtful line that makes all items of its region doubtful."""
    paragraphs = read(line("sure", 0, 0.99), line("doubtful", 6, 0.4), text="sure\n\ndoubtful")
    entries = tuple(ListItem(line=k, marker="•", box=box(60, 100, 62, 102)) for k in range(2))
    listed = read(line("• one", 0, 1.0, 0.8), line("• two", 6, 1.0, 0.2), text="• one\n• two", items=entries)
    assert [(text, one["min_word_confidence"]) for text, one in facts(paragraphs, listed)] == [
        ("sure", 0.99),
        ("doubtful", 0.4),
        ("one", 0.8),
        ("two", 0.2),
    ]


def test_text_of_a_text_layer_has_no_confidence() -> None:
    """Guards against 1.0 for text that nobody judged; of a mixed text the words of OCR count."""
    layer = line("printed", 0, source="text_layer")
    assert facts(read(layer, text="printed", confidence=None)) == []
    mixed = read(layer, line("read", 8, 0.7), text="printed read")
    assert facts(mixed) == [("printed read", {"confidence": 0.7, "min_word_confidence": 0.7})]


def test_lines_without_a_place_in_the_text_give_every_item_the_confidence_of_the_region() -> None:
    read_as_one = read(line("a", None, 0.6), line("b", None, 0.8), text="a\n\nb")
    assert [one["confidence"] for _, one in facts(read_as_one)] == [0.7, 0.7]
    assert facts(read(text="whole")) == [("whole", {"confidence": 0.5})]


def test_a_table_has_the_confidence_of_its_lines_and_a_figure_none() -> None:
    """The words of a figure are in no item of docling's JSON."""
    grid = Table(
        num_rows=1,
        num_columns=1,
        num_header_rows=0,
        cells=(TableCell(row=0, column=0, text="310", box=box(60, 100, 90, 110)),),
    )
    table = region("310", "table", table=grid).model_copy(update={"spans": (line("310", None, 0.3),)})
    figure = region("label", "figure").model_copy(update={"spans": (line("label", 0, 0.3),)})
    assert facts(table, figure) == [("table", {"confidence": 0.3, "min_word_confidence": 0.3})]


EXPORTS = {
    "markdown": lambda document: document.export_to_markdown(included_content_layers=set(ContentLayer)),
    "html": lambda document: document.export_to_html(included_content_layers=set(ContentLayer)),
    "text": lambda document: document.export_to_text(),
    "doctags": lambda document: document.export_to_doctags(),
    "doclang": lambda document: document.export_to_doclang(),
    "latex": lambda document: LaTeXDocSerializer(doc=document).serialize().text,
    "tree": lambda document: document.export_to_element_tree(),
}


@pytest.mark.parametrize("name", EXPORTS)
def test_docling_keeps_the_facts_and_prints_them_nowhere(name: str) -> None:
    """docling-core prints an item's own `meta`: below each text of a DOCX stood `{'kind': 'document', 'path': ...}`."""
    grid = Table(num_rows=1, num_columns=1, num_header_rows=0, cells=())
    placed = region("Placed").model_copy(update={"place": DocumentPlace(path="body/p[1]")})
    titled = read(line("Title", 0, 0.8), text="Title", kind="title")
    table = region("", "table", table=grid).model_copy(update={"spans": (line("310", None, 0.3),)})
    written = docling(Document(id="d", revision=1, pages=(page(titled, placed, table),)))
    document = DoclingDocument.model_validate(written)
    assert len(facts_in(document.export_to_dict())) == len(facts_in(written)) == 3
    assert facts_in(document.export_to_dict()) == facts_in(written)
    bare = copy.deepcopy(written)
    del bare["furniture"]["meta"]
    assert EXPORTS[name](document) == EXPORTS[name](DoclingDocument.model_validate(bare))
    for item in document.texts:
        assert item.meta is None


def test_a_long_list_takes_work_in_line_with_its_items() -> None:
    """Guards against a look at every line of a region for every item of it."""

    def written(num: int) -> dict[str, Any]:
        text = "\n".join(f"• {k:03}" for k in range(num))
        spans = [line(f"• {k:03}", 6 * k, 0.9, 0.9) for k in range(num)]
        entries = tuple(ListItem(line=k, marker="•", box=box(60, 100, 62, 102)) for k in range(num))
        return docling(Document(id="d", revision=1, pages=(page(read(*spans, text=text, items=entries)),)))

    assert len(facts_in(written(128))) == 128
    assert steps_of(lambda: written(256)) < 3 * steps_of(lambda: written(128))
