"""A passage is a chunk that a query found, with what a citation needs."""

from __future__ import annotations

from pydantic import Field

from documents.values import BoundingBox, Place, RegionKind, Value


class PassageBox(Value):
    """Where a line of the passage stands: in a box of the page, at a place, or both on slides."""

    page: int  # counts from 1
    box: BoundingBox | None
    place: Place | None = None


class Scores(Value):
    """What each search said of a passage; None: that search did not find it, or was not made."""

    vector: float | None = None  # cosine of query and passage
    full_text: float | None = None  # BM25
    fused: float | None = None  # reciprocal rank fusion


class StoredChunk(Value):
    """A chunk as the index keeps it."""

    chunk_id: str
    ordinal: int  # of the chunk in its document, from 0
    document_id: str
    revision: int
    text: str
    page: int = Field(description="where the words of the query stand, or most of the text")
    boxes: tuple[PassageBox, ...]
    heading_path: tuple[str, ...]
    kind: RegionKind
    metadata: dict[str, str] = Field(default={})


class Passage(StoredChunk):
    """One hit; scores compare only within one answer."""

    score: float  # of `scores`, the one that the order is by
    scores: Scores
    before: tuple[StoredChunk, ...] = ()  # neighbours in the document, in its order
    after: tuple[StoredChunk, ...] = ()


class IndexedDocument(Value):
    """A document that search knows."""

    document_id: str
    revision: int
    num_chunks: int
    num_embedded: int  # chunks that have a vector
    metadata: dict[str, str] = Field(default={})
