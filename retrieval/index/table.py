"""The columns of the index table, and conversion between chunks and rows."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from documents.boxes import BoundingBox
from documents.places import place_fields
from retrieval.chunking.chunk import Chunk
from retrieval.embedding.vectors import Vectors
from retrieval.errors import RejectedChunks
from retrieval.index.fulltext_terms import indexed_text
from retrieval.search.highlight import best_sentence, matched_terms, spans_within
from retrieval.search.passage import DocumentSource, Highlight, Passage, PassageBox, Scores, StoredChunk
from retrieval.search.passage_page import page_of
from retrieval.search.search_filter import tag

KEY_SEPARATOR = "\x1f"  # separates namespace and document id, so that no two pairs have the same key
EMBEDDER_KEY = b"embedder"  # metadata key of the vector column; its value names the weights
BOX_EDGES = ("x0", "y0", "x1", "y1")  # all edges of a span without a box are null
SPAN_TYPE = pa.struct(
    [("page", pa.int32())]
    + [(edge, pa.float64()) for edge in BOX_EDGES]
    + [("text_start", pa.int32()), ("text_end", pa.int32())]
)
# JSON, one for each span; null for printed pages, and in tables of earlier versions
PLACES_FIELD = pa.field("places", pa.string())
SOURCE_FIELD = pa.field("source", pa.string())  # JSON of a DocumentSource, with the labels of the chunk's pages only
ADDED_COLUMNS = (PLACES_FIELD, SOURCE_FIELD)  # tables of earlier versions lack these
COLUMNS = pa.schema(
    [
        pa.field("key", pa.string(), nullable=False),
        pa.field("chunk_id", pa.string(), nullable=False),
        pa.field("ordinal", pa.int32(), nullable=False),
        pa.field("document_id", pa.string(), nullable=False),
        pa.field("namespace", pa.string(), nullable=False),
        pa.field("revision", pa.int64(), nullable=False),
        pa.field("text", pa.string()),
        pa.field(
            "searched", pa.string()
        ),  # what full text looks in: the text under its headings, as `fulltext_terms.indexed_text` has it
        pa.field("kind", pa.string()),
        pa.field("heading_path", pa.list_(pa.string())),
        pa.field("spans", pa.list_(SPAN_TYPE)),
        pa.field("first_page", pa.int32()),
        pa.field("last_page", pa.int32()),
        pa.field("num_tokens", pa.int32()),
        pa.field("tags", pa.string()),  # what filters on metadata look in
        pa.field("metadata", pa.string()),  # JSON, to give back
        *ADDED_COLUMNS,
    ]
)
RESULT_COLUMNS = [
    "key",
    "chunk_id",
    "ordinal",
    "document_id",
    "revision",
    "text",
    "kind",
    "heading_path",
    "spans",
    "metadata",
    "places",
    "source",
]


def vector_field(dimension: int, embedder: str) -> pa.Field:
    """The column of vectors; a row without one is found by its text alone."""
    return pa.field("vector", pa.list_(pa.float32(), dimension), metadata={EMBEDDER_KEY: embedder.encode()})


def embedder_of(schema: pa.Schema) -> tuple[str, int] | None:
    """Whose vectors a table holds, and how many numbers each has; None: it has no vectors yet."""
    if "vector" not in schema.names:
        return None
    field = schema.field("vector")
    return (field.metadata or {}).get(EMBEDDER_KEY, b"unknown").decode(), field.type.list_size


class StoredVectors(NamedTuple):
    """Vectors by the ids of their chunks, and whose they are."""

    values: Mapping[str, np.ndarray]
    embedder: tuple[str, int] | None  # see `embedder_of`; None: there are none


def stored_vectors(table: pa.Table) -> StoredVectors:
    """Of a table of chunk ids and vectors."""
    column = table["vector"].combine_chunks()
    values = column.flatten().to_numpy().reshape(-1, column.type.list_size)
    return StoredVectors(dict(zip(table["chunk_id"].to_pylist(), values, strict=True)), embedder_of(table.schema))


def key_of(namespace: str, document_id: str, ordinal: int) -> str:
    """Positional, unlike a chunk's id: two writers of one document then conflict, and one of them tries again."""
    return f"{namespace}{KEY_SEPARATOR}{document_id}:{ordinal:06d}"


def document_key(key: str) -> str:
    """Equal for all chunks of one document."""
    return key.rpartition(":")[0]


def key_beside(key: str, ordinal: int) -> str:
    """The key of another chunk of the same document."""
    return f"{document_key(key)}:{ordinal:06d}"


def rows_of(
    document_id: str,
    namespace: str,
    revision: int,
    chunks: list[Chunk],
    vectors: Vectors | None,
    metadata: Mapping[str, str],
    schema: pa.Schema,
    source: DocumentSource | None = None,
) -> pa.Table:
    """One row per chunk. Raises RejectedChunks for ids that are not unique and vectors that no query would find."""
    if len({chunk.id for chunk in chunks}) < len(chunks):
        raise RejectedChunks("two chunks have the same id: both would be kept")
    if vectors is not None:
        check_vectors(vectors, len(chunks))
    document = {
        "document_id": document_id,
        "namespace": namespace,
        "revision": revision,
        "tags": "".join(tag(*pair) for pair in metadata.items()),
        "metadata": json.dumps(dict(metadata), ensure_ascii=False),
    }
    named = source or DocumentSource()
    rows = [
        document | {"key": key_of(namespace, document_id, ordinal), "ordinal": ordinal} | _row(chunk, named)
        for ordinal, chunk in enumerate(chunks)
    ]
    if "vector" in schema.names:
        for k, row in enumerate(rows):
            row["vector"] = None if vectors is None else vectors.values[k].tolist()
    return pa.Table.from_pylist(rows, schema=schema)


def stored_chunk(row: Mapping[str, Any]) -> StoredChunk:
    """A row without its vector as a value."""
    return StoredChunk(**_stored(row))


def passage(row: Mapping[str, Any], query: str, score: float, scores: Scores) -> Passage:
    """A hit of a query."""
    stored = _stored(row, query)
    return Passage(**stored, score=score, scores=scores, highlight=_highlight(row, stored["boxes"], query))


def check_vectors(vectors: Vectors, num_chunks: int) -> None:
    """Raises RejectedChunks for vectors that are not one a chunk, or that no query would find."""
    if len(vectors) != num_chunks:
        raise RejectedChunks(f"{len(vectors)} vectors for {num_chunks} chunks")
    lengths = np.linalg.norm(vectors.values, axis=1)
    if not all(math.isfinite(length) and length > 0 for length in lengths.tolist()):
        raise RejectedChunks("a vector is zero or not finite: no query would find it")


def _stored(row: Mapping[str, Any], query: str = "") -> dict[str, Any]:
    spans = row["spans"]
    places = json.loads(row["places"]) if row.get("places") else [None] * len(spans)
    boxes = tuple(
        PassageBox(page=span["page"], box=_box(span), place=place) for span, place in zip(spans, places, strict=True)
    )
    same = ("chunk_id", "ordinal", "document_id", "revision", "text", "kind")
    page = page_of(row["kind"], row["text"], row["spans"], query)
    source = DocumentSource.model_validate_json(row["source"]) if row.get("source") else DocumentSource()
    return {name: row[name] for name in same} | {
        "page": page,
        "boxes": boxes,
        "heading_path": _without_repeats(row["heading_path"]),
        "metadata": json.loads(row["metadata"]),
        "file_name": source.file_name,
        "title": source.title,
        "page_label": source.page_labels.get(page),
    }


def _without_repeats(headings: Sequence[str]) -> tuple[str, ...]:
    """Headings of a path; a heading that is repeated right below itself is listed once."""
    return tuple(next(group) for _, group in groupby(headings, key=str.casefold))


def _highlight(row: Mapping[str, Any], boxes: Sequence[PassageBox], query: str) -> Highlight | None:
    """Of the sentences of the page that the passage is cited with, where one of them has a word of the query."""
    text, spans = row["text"], row["spans"]
    extent = best_sentence(text, row["kind"], row["heading_path"], query)
    if extent is None:
        return None
    within = spans_within(spans, extent)
    sentence = text[slice(*extent)]
    return Highlight(
        text=sentence,
        text_start=extent[0],
        text_end=extent[1],
        page=boxes[within[0]].page if within else page_of(row["kind"], text, spans, query),
        boxes=tuple(boxes[number] for number in within),
        terms=matched_terms(sentence, query),
    )


def _row(chunk: Chunk, source: DocumentSource) -> dict[str, Any]:
    labels = {page: label for page, label in source.page_labels.items() if page in chunk.pages}
    spans = (
        {"page": span.page, **_edges(span.box), "text_start": span.text_start, "text_end": span.text_end}
        for span in chunk.spans
    )
    places = [None if span.place is None else place_fields(span.place) for span in chunk.spans]
    return {
        "chunk_id": chunk.id,
        "text": chunk.text,
        "searched": indexed_text(chunk.embedding_text),
        "kind": chunk.kind,
        "heading_path": list(chunk.heading_path),
        "spans": list(spans),
        "first_page": min(chunk.pages),
        "last_page": max(chunk.pages),
        "num_tokens": chunk.num_tokens,
        "places": json.dumps(places, ensure_ascii=False) if any(places) else None,
        "source": source.model_copy(update={"page_labels": labels}).model_dump_json(),
    }


def _edges(box: BoundingBox | None) -> dict[str, float | None]:
    return dict.fromkeys(BOX_EDGES) if box is None else box.model_dump()


def _box(span: Mapping[str, Any]) -> BoundingBox | None:
    edges = {edge: span[edge] for edge in BOX_EDGES}
    return None if None in edges.values() else BoundingBox(**edges)
