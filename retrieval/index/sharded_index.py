"""The tables of all shards, read as one: the same hits in the same order as if one table held all chunks."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from lancedb.expr import Expr

from retrieval.embedding.vectors import Vectors
from retrieval.index.connection import CACHE_MB, connected
from retrieval.index.index import Index, Row, best_first


class ShardedIndex:
    """Reads several tables; a document's chunks are all in one of them. A table may be empty.

    Its methods are those of `Index` by which one table is searched, and say and raise the same.
    """

    def __init__(self, shards: Sequence[Index]) -> None:
        self.shards = tuple(shards)

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
        rows = await self._rows(lambda shard: shard.by_text(text, where, limit))
        return best_first(rows, "_score", descending=True)[:limit]

    async def by_vector(self, vector: np.ndarray, where: Expr | None, limit: int, *, exact: bool = False) -> list[Row]:
        rows = await self._rows(lambda shard: shard.by_vector(vector, where, limit, exact=exact))
        return best_first(rows, "_distance")[:limit]

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
