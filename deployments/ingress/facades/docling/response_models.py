"""The JSON of docling-serve's responses, field for field."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

ConvertStatus = Literal["success", "partial_success", "failure"]


class ErrorItem(BaseModel):
    """One page, or the whole document, that went wrong."""

    component_type: str = "pipeline"
    module_name: str
    error_message: str
    category: str = "backend_failure"
    page_no: int | None = None


class ExportDocument(BaseModel):
    """A document in the formats that were asked for; the others are null."""

    filename: str
    md_content: str | None = None
    json_content: dict[str, Any] | None = None
    html_content: str | None = None
    text_content: str | None = None
    doctags_content: str | None = None


class ConvertAnswer(BaseModel):
    """One document converted; `results` are its chunks, where `do_chunking` asked for them and there are any.

    `ignored_options` is ours: what was sent and did nothing.
    """

    document: ExportDocument
    status: ConvertStatus
    errors: list[ErrorItem] = []
    processing_time: float
    timings: dict[str, Any] = {}
    results: list[ChunkItem] | None = None
    ignored_options: list[str] | None = None


class ChunkItem(BaseModel):
    """One chunk, and the items of the document that it holds text of.

    `text` and `meta` are docling-core's DocChunk; `meta` is null where no item is known.
    """

    filename: str
    chunk_index: int
    text: str
    raw_text: str | None = None
    num_tokens: int | None = None
    headings: list[str] | None = None
    captions: list[str] | None = None
    doc_items: list[str]
    page_numbers: list[int] | None = None
    metadata: dict[str, Any] | None = None
    meta: dict[str, Any] | None = None


class ExportResult(BaseModel):
    """A converted document beside its chunks; `content` is what `document` is elsewhere."""

    kind: Literal["ExportResult"] = "ExportResult"
    content: ExportDocument
    status: ConvertStatus
    errors: list[ErrorItem] = []
    timings: dict[str, Any] = {}


class ChunkAnswer(BaseModel):
    """The chunks of all documents of a task, one document after the other."""

    chunks: list[ChunkItem]
    documents: list[ExportResult]
    processing_time: float
    ignored_options: list[str] | None = None
