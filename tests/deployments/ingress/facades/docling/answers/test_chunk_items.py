"""Chunks in docling's form: docling-core reads their items, with their pages, boxes and confidences."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from docling_core.types.doc.common.origin import DocumentOrigin
from docling_core.types.doc.document import DoclingDocument
from docling_core.types.doc.items.node import DocItem

from deployments.ingress.facades.docling.answers.chunk_items import chunk_items
from deployments.ingress.facades.docling.answers.export import exported
from deployments.ingress.facades.docling.answers.origin import ORIGIN_TYPES, origin_of
from deployments.ingress.facades.docling.task import ResponseFormat
from deployments.ingress.operations.conversions import Converted
from deployments.values.jobs import Job
from documents.boxes import NO_BOX, BoundingBox
from documents.places import DocumentPlace
from documents.region_values import Region, Span, TextRegion, TitleRegion
from documents.values import Document, Page
from retrieval.chunking.chunk_size import ByteCounter

FORM = ResponseFormat(formats=("json",), chunked=True)
HASH = "0123456789abcdef" * 4


def converted(*pages: list[Region], media_type: str = "application/pdf", sha256: str = HASH) -> Converted:
    about: dict[str, Any] = {"id": "job_1", "document_id": "d", "revision": 1, "num_pages": 1, "status": "succeeded"}
    about |= {"file_name": "/uploads/a.pdf", "media_type": media_type, "created_at": datetime.now(UTC)}
    numbered = (Page(number=n, size=(612, 792), regions=tuple(regions)) for n, regions in enumerate(pages, 1))
    document = Document(id="d", revision=1, pages=tuple(numbered))
    return Converted(Job.model_validate(about), document, {}, sha256)


def text(words: str, top: float, kind: type = TextRegion, *, sure: tuple[float, ...] = ()) -> Any:
    place = BoundingBox(x0=60, y0=top, x1=500, y1=top + 10)
    source = "ocr" if sure else "text_layer"
    span = {"text": words, "box": place, "source": source, "text_start": 0, "text_end": len(words)}
    spans = (Span.model_validate(span | {"word_confidences": sure}),)
    return kind(
        kind="title" if kind is TitleRegion else "plain text", text=words, box=place, score=0.9, spans=spans, order=top
    )


PAGES = (
    [text("Tides", 60, TitleRegion), text("High water at dawn.", 80, sure=(0.9, 0.9, 0.9, 0.5))],
    [text("Low water at noon.", 60)],
)


def test_a_chunk_holds_its_items_as_docling_core_reads_them() -> None:
    """Guards against chunks that have lost their pages and boxes: the oracle is docling-core's class and document."""
    one = converted(*PAGES)
    items = list(chunk_items(one, FORM, ByteCounter()))
    document = DoclingDocument.model_validate(exported(one, FORM).json_content)
    by_ref = {item.self_ref: item for item, _ in document.iterate_items() if isinstance(item, DocItem)}
    pages: list[int] = []
    for chunk in items:
        assert chunk.meta is not None
        read = [DocItem.model_validate(item) for item in chunk.meta["doc_items"]]
        assert [item.self_ref for item in read] == chunk.doc_items
        for item in read:
            theirs = by_ref[item.self_ref]
            assert (item.label, item.parent, item.prov) == (theirs.label, theirs.parent, theirs.prov)
        pages += sorted({item.prov[0].page_no for item in read})
        assert chunk.meta["headings"] == ["Tides"]
    assert pages == [1, 2]


def test_an_item_of_a_chunk_has_the_confidence_that_ocr_had_of_it() -> None:
    """Guards against chunks of scans that cannot be told from those of print."""
    first, second = chunk_items(converted(*PAGES), FORM, ByteCounter())
    assert first.meta is not None
    assert second.meta is not None
    metas = [DocItem.model_validate(item).meta for item in first.meta["doc_items"] + second.meta["doc_items"]]
    assert [meta and meta.get_custom_part().get("pagemill__min_word_confidence") for meta in metas] == [None, 0.5, None]


@pytest.mark.parametrize("media_type", sorted(ORIGIN_TYPES))
def test_the_origin_is_one_that_docling_core_takes(media_type: str) -> None:
    """Guards against a document that docling's client refuses entirely for the media type of its file."""
    one = converted(*PAGES, media_type=media_type)
    origin = DocumentOrigin.model_validate(origin_of(one))
    assert origin.binary_hash == DocumentOrigin.parse_hex_string(HASH)
    assert origin.filename == "a.pdf"
    assert DoclingDocument.model_validate(exported(one, FORM).json_content).origin == origin


def test_a_file_of_another_type_has_no_origin() -> None:
    assert origin_of(converted(media_type="application/x-unknown")) is None
    assert origin_of(converted(sha256="")) is None


def test_a_paragraph_without_a_place_on_a_page_has_its_item_too() -> None:
    """Guards against chunks of text documents that name no item of the JSON."""
    place = DocumentPlace(path="body/p[1]", heading="Tides")
    span = Span(text="Ebb", box=NO_BOX, source="text_layer", text_start=0, text_end=3, place=place)
    paragraph = TextRegion(
        kind="plain text",
        text="Ebb",
        box=NO_BOX,
        score=1,
        spans=(span,),
        place=place,
        origin="written by the file's author",
    )
    (chunk,) = chunk_items(converted([paragraph]), FORM, ByteCounter())
    assert chunk.doc_items == ["#/texts/0"]


def test_a_document_without_text_has_no_chunks() -> None:
    assert list(chunk_items(converted([]), FORM, ByteCounter())) == []
