"""A passage is a chunk that a query found, with what a citation needs."""

from __future__ import annotations

from documents.values import BoundingBox, RegionKind, Value


class PassageBox(Value):
    """Where a line of the passage stands."""

    page: int  # counts from 1
    box: BoundingBox


class Passage(Value):
    """One hit; scores compare only within one answer."""

    chunk_id: str
    document_id: str
    revision: int
    text: str
    score: float
    page: int  # the first that the chunk stands on
    boxes: tuple[PassageBox, ...]
    heading_path: tuple[str, ...]
    kind: RegionKind
