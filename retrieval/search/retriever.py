"""Answers a query: embeds it, searches, uses the cache; concurrent queries are embedded as one batch."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable

from retrieval.embedding.vectors import Vectors
from retrieval.index.index import Index
from retrieval.index.sharded_index import ShardedIndex
from retrieval.search.query import CacheNote, Query, Retrieved
from retrieval.search.query_cache import Hit, RetrievalCache
from retrieval.search.request_coalescing import SharedWork
from retrieval.search.search import Searcher

Embed = Callable[[str], Awaitable[Vectors | None]]


class Retriever:
    """Answers queries; `embed` gives the vector of a text, or None where search is full text alone."""

    def __init__(self, index: Index | ShardedIndex, embed: Embed, *, cache: RetrievalCache | None = None) -> None:
        self._index = index
        self._embed = embed
        self.cache = cache
        self.searcher = Searcher(index)
        self._shared = SharedWork[Retrieved]()

    async def retrieve(self, query: Query, *, bypass: bool = False) -> Retrieved:
        """The answer; `bypass` looks into no cache. Raises IndexMismatch, NoEmbedder."""
        started_at = time.perf_counter()
        if self.cache is None or bypass:
            return await self._searched(query, None, started_at)
        version = await self._index.version()
        if (hit := self.cache.exact(version, query.canonical(), query.text)) is not None:
            return _kept(hit, started_at)
        key = version, query.canonical(), query.text
        return await self._shared.join(key, lambda: self._searched(query, version, started_at))

    async def _searched(self, query: Query, version: int | None, started_at: float) -> Retrieved:
        """A search, whose result is kept for `version`, read before the search began, unless that is None."""
        vectors = None if query.mode == "full_text" else await self._embed(query.text)
        embedded = time.perf_counter()
        cache = self.cache if version is not None else None
        result = await self.searcher.search(query, vectors)
        if cache is not None and version is not None:
            cache.counts["miss"] += 1
            if result.index_version == version:  # else the result is of another index than it would be kept for
                cache.put(version, query.canonical(), query.text, result)
        timings = {"embed_s": embedded - started_at, "search_s": time.perf_counter() - embedded}
        return Retrieved(result=result, cache=CacheNote(tier="miss" if cache else "off"), timings=timings)


def _kept(hit: Hit, started_at: float) -> Retrieved:
    note = CacheNote(tier="exact", query=hit.query)
    return Retrieved(result=hit.result, cache=note, timings={"cache_s": time.perf_counter() - started_at})
