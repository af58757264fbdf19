"""Rows of the index: a chunk is one row, its key is unique over all namespaces, its vector may be missing."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from documents.places import place_fields
from documents.values import BoundingBox
from retrieval.chunk import Chunk
from retrieval.errors import RejectedChunks
from retrieval.filter import tag
from retrieval.passage import Passage, PassageBox, Scores, StoredChunk
from retrieval.place import page_of
from retrieval.terms import kept
from retrieval.vectors import Vectors

KEY_SEPARATOR = "\x1f"  # so that no namespace and document id run into one another
EMBEDDER = b"embedder"  # names the weights, in the metadata of the column of vectors
EDGES = ("x0", "y0", "x1", "y1")  # all of a span are null where it stands in no box
SPAN = pa.struct(
    [("page", pa.int32())]
    + [(edge, pa.float64()) for edge in EDGES]
    + [("text_start", pa.int32()), ("text_end", pa.int32())]
)
PLACES = pa.field("places", pa.string())  # JSON, one for each span; none for printed pages, and in earlier tables
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
        ),  # what full text looks in: the text under its headings, as `terms.kept` has it
        pa.field("kind", pa.string()),
        pa.field("heading_path", pa.list_(pa.string())),
        pa.field("spans", pa.list_(SPAN)),
        pa.field("first_page", pa.int32()),
        pa.field("last_page", pa.int32()),
        pa.field("num_tokens", pa.int32()),
        pa.field("tags", pa.string()),  # what filters on metadata look in
        pa.field("metadata", pa.string()),  # JSON, to give back
        PLACES,
    ]
)
RETURNED = [
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
]


def vector_field(dimension: int, embedder: str) -> pa.Field:
    """The column of vectors; a row without one is found by its text alone."""
    return pa.field("vector", pa.list_(pa.float32(), dimension), metadata={EMBEDDER: embedder.encode()})


def embedder_of(schema: pa.Schema) -> tuple[str, int] | None:
    """Whose vectors a table holds, and how many numbers each has; None: it has no vectors yet."""
    if "vector" not in schema.names:
        return None
    field = schema.field("vector")
    return (field.metadata or {}).get(EMBEDDER, b"unknown").decode(), field.type.list_size


def key_of(namespace: str, chunk_id: str) -> str:
    return f"{namespace}{KEY_SEPARATOR}{chunk_id}"


def rows_of(
    document_id: str,
    namespace: str,
    revision: int,
    chunks: list[Chunk],
    vectors: Vectors | None,
    metadata: Mapping[str, str],
    schema: pa.Schema,
) -> pa.Table:
    """One row a chunk. Raises RejectedChunks for ids that are not unique and vectors that no query would find."""
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
    rows = [document | _row(namespace, ordinal, chunk) for ordinal, chunk in enumerate(chunks)]
    if "vector" in schema.names:
        for k, row in enumerate(rows):
            row["vector"] = None if vectors is None else vectors.values[k].tolist()
    return pa.Table.from_pylist(rows, schema=schema)


def stored_chunk(row: Mapping[str, Any]) -> StoredChunk:
    """A row without its vector as a value."""
    return StoredChunk(**_stored(row))


def passage(row: Mapping[str, Any], query: str, score: float, scores: Scores) -> Passage:
    """A hit of a query."""
    return Passage(**_stored(row, query), score=score, scores=scores)


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
    return {name: row[name] for name in same} | {
        "page": page_of(row["kind"], row["text"], row["spans"], query),
        "boxes": boxes,
        "heading_path": tuple(row["heading_path"]),
        "metadata": json.loads(row["metadata"]),
    }


def _row(namespace: str, ordinal: int, chunk: Chunk) -> dict[str, Any]:
    spans = (
        {"page": span.page, **_edges(span.box), "text_start": span.text_start, "text_end": span.text_end}
        for span in chunk.spans
    )
    places = [None if span.place is None else place_fields(span.place) for span in chunk.spans]
    return {
        "key": key_of(namespace, chunk.id),
        "chunk_id": chunk.id,
        "ordinal": ordinal,
        "text": chunk.text,
        "searched": kept(chunk.embedding_text),
        "kind": chunk.kind,
        "heading_path": list(chunk.heading_path),
        "spans": list(spans),
        "first_page": min(chunk.pages),
        "last_page": max(chunk.pages),
        "num_tokens": chunk.num_tokens,
        "places": json.dumps(places, ensure_ascii=False) if any(places) else None,
    }


def _edges(box: BoundingBox | None) -> dict[str, float | None]:
    return dict.fromkeys(EDGES) if box is None else box.model_dump()


def _box(span: Mapping[str, Any]) -> BoundingBox | None:
    edges = {edge: span[edge] for edge in EDGES}
    return None if None in edges.values() else BoundingBox(**edges)
