"""Rebuilds the index after a change of embedder: computes the vectors of all chunks again, while search goes on."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

import pyarrow as pa
from lancedb.expr import col

from retrieval.chunking.chunk import heading_prefix
from retrieval.embedding.prefetch import prefetched
from retrieval.embedding.vectors import Vectors
from retrieval.index.hits import Row, rows_of_query
from retrieval.index.index import Index
from retrieval.index.sharded_index import ShardedIndex
from retrieval.index.table import check_vectors, vector_field

BATCH_CHUNKS = 256  # chunks per commit
Embed = Callable[[list[str]], Awaitable[Vectors]]


async def rebuild(
    index: Index | ShardedIndex, embed: Embed, *, ahead: int = 2, on_progress: Callable[[int], None] = lambda _: None
) -> int:
    """Embed every chunk that has no vector of the model behind `embed`; returns how many got one.

    Documents may come and go meanwhile. Broken off, it goes on from there when it is called again. `ahead` batches of
    texts are read while one is embedded; `on_progress` is called with how many are left.
    """
    sample = await embed(["a"])
    for shard in index.shards:  # all, before any is embedded: queries then find vectors of the new model alone
        if await shard.embedder() not in (None, (sample.embedder, sample.dimension)):
            await shard.table.drop_columns(["vector"])
        if await shard.embedder() is None:
            await shard.table.add_columns(vector_field(sample.dimension, sample.embedder))
    batches = [batch for shard in index.shards for batch in await _batches(shard)]
    num_left = sum(len(keys) for _, keys in batches)
    num_done = 0
    async with contextlib.aclosing(prefetched(batches, _read, ahead)) as loaded:
        async for shard, rows in loaded:
            on_progress(num_left - num_done)
            if rows:
                texts = [heading_prefix(tuple(row["heading_path"])) + row["text"] for row in rows]
                await _write(shard, rows, await embed(texts))
            num_done += len(rows)
    return num_done


async def _batches(shard: Index) -> list[tuple[Index, pa.ChunkedArray]]:
    """The keys of the chunks that have no vector, a commit's together."""
    keys = (await shard.table.query().select(["key"]).where("vector IS NULL").to_arrow())["key"]
    return [(shard, keys.slice(start, BATCH_CHUNKS)) for start in range(0, len(keys), BATCH_CHUNKS)]


async def _read(batch: tuple[Index, pa.ChunkedArray]) -> tuple[Index, list[Row]]:
    shard, keys = batch
    query = shard.table.query().select(["key", "revision", "heading_path", "text"])
    return shard, await rows_of_query(query.where(col("key").isin(keys.to_pylist())))


async def _write(index: Index, rows: list[Row], vectors: Vectors) -> None:
    """Add the vectors to the rows that are still of the revision that was read."""
    check_vectors(vectors, len(rows))
    await index.check(vectors)
    schema = await index.table.schema()
    columns = pa.schema([schema.field(name) for name in ("key", "revision", "vector")])
    update = index.table.merge_insert(["key"]).when_matched_update_all(where="target.revision = source.revision")
    await update.execute(await asyncio.to_thread(_vector_rows, rows, vectors, columns))


def _vector_rows(rows: list[Row], vectors: Vectors, columns: pa.Schema) -> pa.Table:
    values = [
        {"key": row["key"], "revision": row["revision"], "vector": vector}
        for row, vector in zip(rows, vectors.values.tolist(), strict=True)
    ]
    return pa.Table.from_pylist(values, schema=columns)
