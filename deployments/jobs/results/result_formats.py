"""Builds a job's Document from its pages and gives it in a result format: md, json, docling, chunks, text or zip."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from deployments.values.jobs import Job, PageProgress, Plan
from deployments.values.page_ranges import select_pages
from documents.document.assemble_document import assemble
from documents.exports.docling_json.docling_document import to_docling
from documents.exports.json_export import json_pieces
from documents.exports.markdown import markdown
from documents.exports.plain_text import plain_text
from documents.matching.invoice_check import with_checked_invoice
from documents.values import Document, Opened, Page, PageWarning
from retrieval.chunking.chunk_size import TokenCounter
from retrieval.chunking.comment_chunks import all_chunks

Format = Literal["md", "json", "docling", "chunks", "text", "zip"]
MEDIA_TYPES: dict[Format, str] = {
    "md": "text/markdown; charset=utf-8",
    "json": "application/json",
    "docling": "application/vnd.docling+json",
    "chunks": "application/jsonl",
    "text": "text/plain; charset=utf-8",
    "zip": "application/zip",
}


class NoSuchPages(ValueError):
    """Pages that are no ranges, or none of which was read."""


def document_of(plan: Plan, opened: Opened, pages: Sequence[Page]) -> Document:
    """The same facts give the same Document; the caller's own metadata stand over the file's."""
    with_metadata = opened.model_copy(update={"metadata": opened.metadata | plan.options.metadata})
    return with_checked_invoice(assemble(plan.document_id, plan.revision, with_metadata, tuple(pages)))


def result_of(plan: Plan, opened: Opened, pages: Sequence[Page], job: Job) -> Document:
    """The Document with a warning for each page that was lost, and for a job that was cancelled before its end."""
    document = document_of(plan, opened, pages)
    lost = [warning for warning in job.warnings if warning.code == "page_failed"]
    if job.status == "cancelled":
        lost += [_failed(page) for page in job.pages if page.status == "failed"]
        message = f"the job was cancelled when {len(pages)} of {len(job.pages)} pages were done"
        lost.append(PageWarning(code="cancelled", message=message))
    return document.model_copy(update={"warnings": (*document.warnings, *lost)})


def chosen_document(plan: Plan, opened: Opened, pages: Sequence[Page], job: Job, page_ranges: str | None) -> Document:
    """`result_of` with the pages of `page_ranges`, as in `1-3,7`; None: all. Raises NoSuchPages."""
    document = result_of(plan, opened, pages, job)
    if page_ranges is None:
        return document
    try:
        numbers = set(select_pages(page_ranges, opened.num_pages))
    except ValueError as error:
        raise NoSuchPages(str(error)) from None
    chosen_pages = tuple(page for page in document.pages if page.number in numbers)
    if not chosen_pages:
        raise NoSuchPages(f"none of {page_ranges} exists; the document has {opened.num_pages}")
    return document.model_copy(update={"pages": chosen_pages})


def _failed(page: PageProgress) -> PageWarning:
    return PageWarning(code="page_failed", message="the page could not be read", page=page.number)


def text_pieces(document: Document, format: Format, counter: TokenCounter) -> Iterator[str]:  # noqa: A002  the query's
    """A document in one of the formats that are text, in pieces; `counter` counts the budget of chunks."""
    if format == "json":
        yield from json_pieces(document)
    elif format == "docling":
        yield to_docling(document)
    elif format == "chunks":
        for piece in all_chunks(document, counter, counter.max_tokens):
            yield piece.model_dump_json() + "\n"
    else:
        yield plain_text(document) if format == "text" else markdown(document)
