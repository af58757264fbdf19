"""The formats of a result."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import get_args

import pytest

from deployments.ingress.api.pages import _facts
from deployments.jobs.results.result_formats import MEDIA_TYPES, Format, document_of, text_pieces
from deployments.jobs.results.stored_pages import PAGES_READ_AT_ONCE, StoredPages
from deployments.pipeline.chunked_document import chunked_document
from deployments.values.jobs import Options, PageRecord, Plan
from documents.boxes import BoundingBox
from documents.invoice_values import Invoice
from documents.region_values import TextRegion, TitleRegion
from documents.values import Document, Opened, Page
from retrieval.chunking.chunk import Chunk
from retrieval.chunking.chunk_size import ByteCounter

BOX = BoundingBox(x0=60, y0=60, x1=300, y1=80)
REGIONS = (
    TitleRegion(kind="title", box=BOX, score=1, text="The harbour", level=1),
    TextRegion(kind="plain text", box=BOX, score=1, text="Fog lifts.", order=1),
)
DOCUMENT = Document(id="d", revision=1, pages=(Page(number=1, size=(612, 792), regions=REGIONS),))


def test_every_format_has_a_media_type():
    assert set(MEDIA_TYPES) == set(get_args(Format))


@pytest.mark.parametrize("kind", [name for name in get_args(Format) if name != "zip"])
def test_the_same_document_gives_the_same_bytes(kind):
    first, again = ("".join(text_pieces(DOCUMENT, kind, ByteCounter())) for _ in range(2))
    assert first == again
    assert "Fog lifts." in first


def test_chunks_are_a_line_each():
    (line,) = text_pieces(DOCUMENT, "chunks", ByteCounter())
    assert Chunk.model_validate_json(line).heading_path == ("The harbour",)


def test_each_json_names_its_schema():
    texts = {name: "".join(text_pieces(DOCUMENT, name, ByteCounter())) for name in ("json", "docling")}
    names = {name: json.loads(text)["schema_name"] for name, text in texts.items()}
    assert names == {"json": "PagemillDocument", "docling": "DoclingDocument"}


def test_neither_the_chunks_nor_a_single_page_compare_the_invoice(monkeypatch):
    """Each request for a page before the job's end compared the data with that page alone, and dropped the result."""

    def compared(*_):
        raise AssertionError("the invoice is compared")

    monkeypatch.setattr("documents.matching.invoice_check.checked_invoice", compared)
    plan = Plan(
        job_id="j",
        namespace="default",
        document_id="d",
        revision=1,
        attempt=1,
        sha256="a" * 64,
        media_type="application/pdf",
        options=Options(),
        created_at=datetime.now(UTC),
    )
    opened = Opened(num_pages=1, invoice=Invoice(file="factur-x.xml", syntax="cii"))
    (page,) = DOCUMENT.pages
    assert chunked_document(plan, opened, [page], ByteCounter()).chunks
    record = PageRecord(plan=plan, opened=opened, page=page, ended=False)
    assert _facts(record, page, None).markdown
    with pytest.raises(AssertionError):
        document_of(plan, opened, [page])


def test_pages_are_read_once_each_and_a_few_at_a_time():
    """Guards against two thousand pages that are all held as JSON by who walks through them."""
    reads = []

    def read(numbers):
        reads.append(tuple(numbers))
        return [Page(number=number, size=(1, 1)).model_dump_json() for number in numbers]

    pages = StoredPages(read, range(1, 51))
    assert [page.number for page in pages] == list(range(1, 51))
    assert [number for numbers in reads for number in numbers] == list(range(1, 51))
    assert max(map(len, reads)) == PAGES_READ_AT_ONCE
