"""Rows of the index: a chunk is one row, its key is unique over all namespaces, its vector may be missing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa

from documents.values import BoundingBox
from retrieval.chunk import Chunk
from retrieval.errors import RejectedChunks
from retrieval.passage import Passage, PassageBox

KEY_SEPARATOR = "\x1f"  # so that no namespace and document id run into one another
SPAN = pa.struct(
    [("page", pa.int32())]
    + [(edge, pa.float64()) for edge in ("x0", "y0", "x1", "y1")]
    + [("text_start", pa.int32()), ("text_end", pa.int32())]
)
COLUMNS = pa.schema(
    [
        pa.field("key", pa.string(), nullable=False),
        pa.field("chunk_id", pa.string(), nullable=False),
        pa.field("document_id", pa.string(), nullable=False),
        pa.field("namespace", pa.string(), nullable=False),
        pa.field("revision", pa.int64(), nullable=False),
        pa.field("text", pa.string()),
        pa.field("kind", pa.string()),
        pa.field("heading_path", pa.list_(pa.string())),
        pa.field("spans", pa.list_(SPAN)),
        pa.field("num_tokens", pa.int32()),
    ]
)


def vector_field(dimension: int) -> pa.Field:
    """The column of vectors; a row without one is found by its text alone."""
    return pa.field("vector", pa.list_(pa.float32(), dimension))


def dimension_of(schema: pa.Schema) -> int | None:
    """Numbers of a vector in a table; None: it has no vectors yet."""
    return schema.field("vector").type.list_size if "vector" in schema.names else None


def rows_of(
    document_id: str, namespace: str, revision: int, chunks: list[Chunk], vectors: np.ndarray | None, schema: pa.Schema
) -> pa.Table:
    """One row a chunk. Raises RejectedChunks for ids that are not unique and vectors that no query would find."""
    if len({chunk.id for chunk in chunks}) < len(chunks):
        raise RejectedChunks("two chunks have the same id: both would be kept")
    if vectors is not None:
        _check_vectors(vectors, len(chunks))
    rows = [_row(document_id, namespace, revision, chunk) for chunk in chunks]
    if dimension_of(schema) is not None:
        for k, row in enumerate(rows):
            row["vector"] = None if vectors is None else vectors[k].tolist()
    return pa.Table.from_pylist(rows, schema=schema)


def passage_of(row: dict[str, Any]) -> Passage:
    """A hit, its score from whichever search found it."""
    score = row["_relevance_score"] if "_relevance_score" in row else row["_score"]
    boxes = [
        PassageBox(page=span["page"], box=BoundingBox(**{edge: span[edge] for edge in ("x0", "y0", "x1", "y1")}))
        for span in row["spans"]
    ]
    return Passage(
        chunk_id=row["chunk_id"],
        document_id=row["document_id"],
        revision=row["revision"],
        text=row["text"],
        score=score,
        page=boxes[0].page,
        boxes=tuple(boxes),
        heading_path=tuple(row["heading_path"]),
        kind=row["kind"],
    )


def _row(document_id: str, namespace: str, revision: int, chunk: Chunk) -> dict[str, Any]:
    spans = (
        {"page": span.page, **span.box.model_dump(), "text_start": span.text_start, "text_end": span.text_end}
        for span in chunk.spans
    )
    return {
        "key": f"{namespace}{KEY_SEPARATOR}{chunk.id}",
        "chunk_id": chunk.id,
        "document_id": document_id,
        "namespace": namespace,
        "revision": revision,
        "text": chunk.text,
        "kind": chunk.kind,
        "heading_path": list(chunk.heading_path),
        "spans": list(spans),
        "num_tokens": chunk.num_tokens,
    }


def _check_vectors(vectors: np.ndarray, num_chunks: int) -> None:
    if len(vectors) != num_chunks:
        raise RejectedChunks(f"{len(vectors)} vectors for {num_chunks} chunks")
    lengths = np.linalg.norm(vectors, axis=1)
    if not all(math.isfinite(length) and length > 0 for length in lengths.tolist()):
        raise RejectedChunks("a vector is zero or not finite: no query would find it")
