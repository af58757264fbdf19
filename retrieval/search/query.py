"""The values Query and Result of a search."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from documents.boxes import Value
from retrieval.search.passage import Passage
from retrieval.search.search_filter import Filter

Mode = Literal["hybrid", "vector", "full_text"]
QueryText = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=10_000)]


class Query(Value):
    """What is searched, where, and what is wanted of it."""

    text: str
    mode: Mode = "hybrid"
    k: int = 10  # number of passages, or of documents with group_by
    filter: Filter = Filter()
    neighbours: int = 0  # chunks before and after each passage
    per_document: int | None = None  # passages of each document where they are grouped; unset: they are not
    namespace: str | None = None  # unset: all

    def canonical(self) -> str:
        """The same text for queries that, of the same text, want the same."""
        return self.model_dump_json(exclude={"text", "filter"}) + self.filter.canonical()


class Result(Value):
    """The best passages first; grouped ones stand together, the best document first."""

    passages: tuple[Passage, ...] = Field(default=())
    mode: Mode  # how was searched: full text where no embedder is
    embedder: str | None  # whose vectors were compared
    index_version: int


class CacheNote(Value):
    """Where a result came from."""

    tier: Literal["miss", "exact", "off"] = "miss"
    query: str | None = None  # whose result it is, of the same words


class Retrieved(Value):
    """A result, where it came from, and the seconds that it took."""

    result: Result
    cache: CacheNote
    timings: dict[str, float]
