"""A document as it is embedded and indexed; made in a thread, since an event loop would stand still over large ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from deployments.jobs.results.result_formats import document_of
from deployments.values.jobs import Plan
from documents.values import Opened, Page
from retrieval.chunking.chunk_size import TokenCounter
from retrieval.chunking.comment_chunks import all_chunks
from retrieval.search.passage import DocumentSource
from retrieval.search.source import source_of


class ChunkedDocument(NamedTuple):
    """What Search receives."""

    chunks: list[str]  # as JSON: a call sends texts as they are, and values one by one
    metadata: Mapping[str, str]
    source: DocumentSource


def chunked_document(plan: Plan, opened: Opened, pages: Sequence[Page], counter: TokenCounter) -> ChunkedDocument:
    """The pages of a job, put together and cut into chunks."""
    without_invoice = opened.model_copy(update={"invoice": None})  # which is in no chunk, and takes time to compare
    document = document_of(plan, without_invoice, pages)
    chunks = all_chunks(document, counter, counter.max_tokens)
    return ChunkedDocument(
        chunks=[piece.model_dump_json() for piece in chunks],
        metadata=document.metadata,
        source=source_of(document, plan.file_name, opened.page_labels),
    )
