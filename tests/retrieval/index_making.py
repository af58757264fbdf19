"""Chunks whose place is known by their number, and vectors of one axis each."""

import numpy as np

from documents.boxes import BoundingBox
from retrieval.chunking.chunk import Chunk, ChunkSpan
from retrieval.embedding.vectors import Vectors

SIZE = 8
TEXTS = ["The quick brown fox jumps", "Lazy dogs sleep all day", "Stocks fell sharply in autumn"]


def box_of(number):
    return BoundingBox(x0=72, y0=10 * number, x1=300.5, y1=10 * number + 9)


def chunks_of(document_id, texts, headings=("Animals", "Mammals"), kind="plain text"):
    """Each on the page of its number."""
    return [
        Chunk(
            id=f"{document_id}:{k:06d}",
            text=text,
            heading_path=headings,
            spans=(ChunkSpan(page=k + 1, box=box_of(k), text_start=0, text_end=len(text)),),
            num_tokens=len(text.split()),
            kind=kind,
        )
        for k, text in enumerate(texts)
    ]


def vectors_of(count, embedder="model@1", size=SIZE):
    """One axis each."""
    return Vectors(np.eye(count, size, dtype=np.float32), embedder)


def axis(number, embedder="model@1", size=SIZE):
    """The vector of one query."""
    return Vectors(np.eye(size, dtype=np.float32)[number : number + 1], embedder)
