"""Runs vector, full-text or hybrid search over the index, groups and filters hits, and hides old revisions."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from lancedb.expr import Expr, col

from retrieval.embedding.vectors import Vectors
from retrieval.errors import NoEmbedder
from retrieval.index.hits import Row
from retrieval.index.index import Index
from retrieval.index.sharded_index import ShardedIndex
from retrieval.index.table import document_key, key_beside, passage, stored_chunk
from retrieval.search.passage import IndexedDocument, Passage, Scores, StoredChunk
from retrieval.search.query import Mode, Query, Result
from retrieval.search.rank_fusion import fuse
from retrieval.search.search_filter import Filter, both

MIN_CANDIDATES = 50  # minimum candidates per ranking: fusion needs more than the k results
MAX_CANDIDATES = 5_000  # maximum candidates per ranking if passages are grouped


class Searcher:
    """Answers queries from one index, of one table or several."""

    def __init__(self, index: Index | ShardedIndex) -> None:
        self._index = index

    async def search(self, query: Query, vectors: Vectors | None) -> Result:
        """The answer; `vectors` has one row, the query's, or is None where no embedder is.

        Raises:
            IndexMismatch: the index holds vectors of another embedder.
            NoEmbedder: vectors alone were asked for.
        """
        mode = mode_of(query, vectors)
        version = await self._index.version()
        if mode != "full_text" and vectors is not None:
            await self._index.check(vectors)
        vector = None if vectors is None else vectors.values[0]
        ranking = () if query.filter.empty else await self._best(query, mode, vector)
        if query.neighbours and ranking:
            ranking = await self._with_neighbours(ranking, query)
        embedder = vectors.embedder if vectors is not None and mode != "full_text" else None
        return Result(passages=tuple(hit for _, hit in ranking), mode=mode, embedder=embedder, index_version=version)

    async def chunks(self, document_id: str, namespace: str | None, first: int, limit: int) -> list[StoredChunk]:
        """The chunks of a document from the ordinal `first` on, in order."""
        inside = (col("ordinal") >= first) & (col("ordinal") < first + limit)
        where = both([*_wheres(Filter(document_id=(document_id,)), namespace), inside])
        chunks = await asyncio.to_thread(_stored_chunks, await self._index.rows(where))
        return sorted(chunks, key=lambda chunk: chunk.ordinal)

    async def documents(self, namespace: str | None, after: str, limit: int) -> list[IndexedDocument]:
        """The documents with ids above `after`, in the order of their ids."""
        after_it = [*_wheres(Filter(), namespace), col("document_id") > after, col("ordinal") == 0]
        names = await self._index.document_ids(both(after_it), limit)
        where = both([*_wheres(Filter(document_id=names), namespace)])
        rows = await self._index.documents(where) if names else []
        return [_document(row) for row in sorted(rows, key=lambda row: row["document_id"])]

    async def _best(self, query: Query, mode: Mode, vector: np.ndarray | None) -> tuple[tuple[str, Passage], ...]:
        where = query.filter.expression(query.namespace)
        limit = max(MIN_CANDIDATES, 2 * query.k)
        while True:
            rankings = await self._rankings(query.text, mode, vector, where, limit)
            ranked = await asyncio.to_thread(_ranked, mode, rankings)
            if query.per_document is None:
                return await asyncio.to_thread(_passages, ranked[: query.k], query.text)
            grouped = _grouped(ranked, query.k, query.per_document)
            exhausted = all(len(ranking) < limit for ranking in rankings.values())
            documents = {document_key(hit.key) for hit in grouped}
            if len(documents) >= query.k or exhausted or limit >= MAX_CANDIDATES:
                return await asyncio.to_thread(_passages, grouped, query.text)
            limit = min(4 * limit, MAX_CANDIDATES)

    async def _rankings(
        self, text: str, mode: Mode, vector: np.ndarray | None, where: Expr | None, limit: int
    ) -> dict[str, list[Row]]:
        legs: dict[str, Any] = {}
        if mode != "vector":
            legs["full_text"] = self._index.by_text(text, where, limit)
        if mode != "full_text":
            assert vector is not None
            legs["vector"] = self._index.by_vector(vector, where, limit)
        return dict(zip(legs, await asyncio.gather(*legs.values()), strict=True))

    async def _with_neighbours(
        self, ranking: Sequence[tuple[str, Passage]], query: Query
    ) -> tuple[tuple[str, Passage], ...]:
        keys = await asyncio.to_thread(_neighbour_keys, ranking, query.neighbours)
        documents = tuple({hit.document_id for _, hit in ranking})
        inside = col("key").isin(sorted({key for sides in keys for side in sides for key in side}))
        rows = await self._index.rows(both([*_wheres(Filter(document_id=documents), query.namespace), inside]))
        return await asyncio.to_thread(_beside, ranking, keys, rows)


def mode_of(query: Query, vectors: Vectors | None) -> Mode:
    """How a query is searched with what is there. Raises NoEmbedder."""
    if vectors is not None:
        return query.mode
    if query.mode == "vector":
        raise NoEmbedder("no embedder is here, so search is full text alone: install one, see embedder.model")
    return "full_text"


def _wheres(filter_: Filter, namespace: str | None) -> list[Expr]:
    where = filter_.expression(namespace)
    return [] if where is None else [where]


@dataclass(frozen=True, slots=True)
class _Hit:
    """A row that was found, before it is made a passage."""

    key: str
    row: Row
    score: float
    scores: Scores


def _ranked(mode: Mode, rankings: Mapping[str, list[Row]]) -> list[_Hit]:
    """All hits, best first; those of a revision that another hit shows to be past are left out."""
    rows = {row["key"]: row for ranking in rankings.values() for row in ranking}
    newest: dict[str, int] = {}
    for key, row in rows.items():
        document = document_key(key)
        newest[document] = max(newest.get(document, 0), row["revision"])
    cosine = {row["key"]: 1 - row["_distance"] for row in rankings.get("vector", [])}
    bm25 = {row["key"]: row["_score"] for row in rankings.get("full_text", [])}
    order = fuse([[row["key"] for row in ranking] for ranking in rankings.values()])
    single = cosine if mode == "vector" else bm25
    hits: list[_Hit] = []
    for key, fused in order:
        if rows[key]["revision"] == newest[document_key(key)]:
            scores = Scores(vector=cosine.get(key), full_text=bm25.get(key), fused=fused if mode == "hybrid" else None)
            hits.append(_Hit(key, rows[key], fused if mode == "hybrid" else single[key], scores))
    return hits


def _passages(hits: Iterable[_Hit], text: str) -> tuple[tuple[str, Passage], ...]:
    """The hits as passages, by their keys; long queries take too long for the event loop."""
    return tuple((hit.key, passage(hit.row, text, hit.score, hit.scores)) for hit in hits)


def _stored_chunks(rows: Iterable[Row]) -> list[StoredChunk]:
    return [stored_chunk(row) for row in rows]


def _neighbour_keys(ranking: Iterable[tuple[str, Passage]], count: int) -> list[tuple[list[str], list[str]]]:
    """The keys of the chunks before and after each hit, as many as `count` on each side, in their order."""
    keys: list[tuple[list[str], list[str]]] = []
    for key, hit in ranking:
        before = [key_beside(key, ordinal) for ordinal in range(max(0, hit.ordinal - count), hit.ordinal)]
        after = [key_beside(key, ordinal) for ordinal in range(hit.ordinal + 1, hit.ordinal + count + 1)]
        keys.append((before, after))
    return keys


def _beside(
    ranking: Iterable[tuple[str, Passage]], keys: Iterable[tuple[list[str], list[str]]], rows: Iterable[Row]
) -> tuple[tuple[str, Passage], ...]:
    """The hits with those of their neighbours that are in `rows` and of their revision."""
    stored = {row["key"]: stored_chunk(row) for row in rows}

    def side(keys: list[str], revision: int) -> tuple[StoredChunk, ...]:
        return tuple(stored[key] for key in keys if key in stored and stored[key].revision == revision)

    return tuple(
        (key, hit.model_copy(update={"before": side(before, hit.revision), "after": side(after, hit.revision)}))
        for (key, hit), (before, after) in zip(ranking, keys, strict=True)
    )


def _grouped(ranked: list[_Hit], k: int, per_document: int) -> list[_Hit]:
    """The best hits of the best documents, those of one document together."""
    groups: dict[str, list[_Hit]] = {}
    for hit in ranked:
        document = document_key(hit.key)
        if document in groups or len(groups) < k:
            group = groups.setdefault(document, [])
            if len(group) < per_document:
                group.append(hit)
    return [hit for group in groups.values() for hit in group]


def _document(row: Mapping[str, Any]) -> IndexedDocument:
    counts = {name: row[name] for name in ("document_id", "revision", "num_chunks", "num_embedded")}
    return IndexedDocument(**counts, metadata=json.loads(row["metadata"]))
