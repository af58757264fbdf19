"""The tables of all shards, read as one: nearly always the same hits in the same order as if one table held all."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
import pyarrow as pa
from lancedb.expr import Expr

from retrieval.embedding.vectors import Vectors
from retrieval.index.bm25 import TermCounts, TermStatistics, joined, terms_of
from retrieval.index.connection import CACHE_MB, connected
from retrieval.index.fulltext_terms import fulltext_query
from retrieval.index.hits import ROWS_PER_CONVERSION, TEXT_ORDER, VECTOR_ORDER, Row, best_rows
from retrieval.index.index import Index
from retrieval.index.table_statistics import TableStatistics

MAX_QUERY_TERMS = 64  # a longer query is ordered by the scores that each table gives by its own counts


class ShardedIndex:
    """Reads several tables; a document's chunks are all in one of them. A table may be empty.

    Its methods are those of `Index` by which one table is searched, and say and raise the same.
    """

    def __init__(self, shards: Sequence[Index]) -> None:
        self.shards = tuple(shards)
        self._statistics = [TableStatistics(shard.table) for shard in shards]

    @classmethod
    async def open(
        cls,
        uri: str,
        storage_options: Mapping[str, str] | None = None,
        consistency_s: float | None = 0,
        cache_mb: int = CACHE_MB,
        num_shards: int = 1,
    ) -> Self:
        """Open or make the tables of `uri`, which share the memory of `cache_mb`. As `Index.open`."""
        connection, session = await connected(uri, storage_options, consistency_s, cache_mb)
        opening = (Index.of_shard(connection, session, shard) for shard in range(num_shards))
        return cls(await asyncio.gather(*opening))

    async def by_text(self, text: str, where: Expr | None, limit: int) -> list[Row]:
        """As `Index.by_text`, scored by what all tables count together: by its own counts, the same text has another
        score in each.
        """
        terms = await asyncio.to_thread(terms_of, fulltext_query(text))
        distinct = {term.stem: term for term in terms}
        searching = self._each(lambda shard: shard.text_hits(text, where, limit, ["searched"]))
        if len(distinct) > MAX_QUERY_TERMS:
            return await best_rows(await searching, TEXT_ORDER, limit)
        counting = asyncio.gather(*(statistics.of(distinct.values()) for statistics in self._statistics))
        tables, parts = await asyncio.gather(searching, counting)
        stems = [term.stem for term in terms]
        hits = await asyncio.to_thread(_rescored, pa.concat_tables(tables), stems, joined(parts))
        return await best_rows([hits], TEXT_ORDER, limit)

    async def by_vector(self, vector: np.ndarray, where: Expr | None, limit: int, *, exact: bool = False) -> list[Row]:
        tables = await self._each(lambda shard: shard.vector_hits(vector, where, limit, exact=exact))
        return await best_rows([hits for some in tables for hits in some], VECTOR_ORDER, limit)

    async def rows(self, where: Expr | None, limit: int | None = None) -> list[Row]:
        return (await self._rows(lambda shard: shard.rows(where, limit)))[:limit]

    async def document_ids(self, where: Expr | None, limit: int) -> tuple[str, ...]:
        ids = await self._each(lambda shard: shard.document_ids(where, limit))
        return tuple(sorted(set[str]().union(*ids))[:limit])

    async def documents(self, where: Expr | None) -> list[Row]:
        return await self._rows(lambda shard: shard.documents(where))

    async def embedder(self) -> tuple[str, int] | None:
        return next(filter(None, await self._each(lambda shard: shard.embedder())), None)

    async def check(self, vectors: Vectors) -> None:
        await self._each(lambda shard: shard.check(vectors))

    async def version(self) -> int:
        """Grows with every commit to any table."""
        return sum(await self._each(lambda shard: shard.version()))

    async def count(self, where: Expr | None = None) -> int:
        return sum(await self._each(lambda shard: shard.count(where)))

    async def num_without_vector(self) -> int:
        return sum(await self._each(lambda shard: shard.num_without_vector()))

    async def close(self) -> None:
        await self._each(lambda shard: shard.close())

    async def _rows(self, read: Callable[[Index], Awaitable[Iterable[Row]]]) -> list[Row]:
        return [row for rows in await self._each(read) for row in rows]

    async def _each(self, read: Callable[[Index], Awaitable[Any]]) -> list[Any]:
        return await asyncio.gather(*map(read, self.shards))


def _rescored(hits: pa.Table, stems: Sequence[str], statistics: TermStatistics) -> pa.Table:
    batches = hits.select(["searched"]).to_batches(max_chunksize=ROWS_PER_CONVERSION)
    texts = (text for batch in batches for text in batch["searched"].to_pylist())
    scores = [statistics.score(stems, TermCounts.of(text)) for text in texts]
    return hits.drop_columns(["searched", "_score"]).append_column("_score", pa.array(scores, pa.float32()))
