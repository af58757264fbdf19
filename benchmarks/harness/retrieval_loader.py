"""Does reading ahead help? Files into an index, and an index embedded again: without reading ahead and with, in turns.

`python -m benchmarks.retrieval_cache --loader` runs this alone. Each way is taken as often as the other, in the order
0, 2, 2, 0 batches ahead, so that a machine that grows slower or faster favours neither; the sums are compared.
"""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from benchmarks.harness.retrieval_corpus import reader
from retrieval.chunking.chunk import Chunk
from retrieval.embedding.embedder import Embedder
from retrieval.embedding.prefetch import prefetched
from retrieval.embedding.vectors import Vectors
from retrieval.index.index import Index
from retrieval.index.rebuild import rebuild

AHEAD = 2  # batches, as by default
TURNS = (0, AHEAD, AHEAD, 0)


async def measured(index: Index, model: Embedder, paths: Sequence[Path], num_files: int) -> dict[str, float]:
    """Seconds of both workloads, and what reading ahead gains in each."""
    sample = paths[:: max(1, len(paths) // num_files)][:num_files]
    async with reader(model.folder) as read:
        await read(sample[0])  # the first picture is slow
        bulk = await _in_turns(lambda ahead: _filled(sample, read, model, ahead))
    turns = iter(range(len(TURNS)))
    again = await _in_turns(lambda ahead: _rebuilt(index, model, ahead, f"turn{next(turns)}"))
    return {
        "bulk_s": bulk[0],
        "bulk_loader_s": bulk[1],
        "loader_gain": bulk[0] / bulk[1],
        "rebuild_s": again[0],
        "rebuild_loader_s": again[1],
        "rebuild_loader_gain": again[0] / again[1],
    }


async def _in_turns(work: Callable[[int], Awaitable[None]]) -> tuple[float, float]:
    """Mean seconds without reading ahead, and with."""
    seconds = {0: 0.0, AHEAD: 0.0}
    for ahead in TURNS:
        begun = time.perf_counter()
        await work(ahead)
        seconds[ahead] += time.perf_counter() - begun
    return seconds[0] / TURNS.count(0), seconds[AHEAD] / TURNS.count(AHEAD)


async def _filled(
    paths: Sequence[Path], read: Callable[[Path], Awaitable[tuple[str, list[Chunk]]]], model: Embedder, ahead: int
) -> None:
    """Files read by their text layer, cut, embedded and put into a new index, one commit each."""
    with tempfile.TemporaryDirectory(prefix="pagemill-loader-") as folder:
        index = await Index.open(folder)
        async with contextlib.aclosing(prefetched(paths, read, ahead)) as loaded:
            async for name, chunks in loaded:
                vectors = await asyncio.to_thread(model.embed, [chunk.embedding_text for chunk in chunks])
                await index.replace(name, "default", 1, chunks, vectors)
        await index.close()


async def _rebuilt(index: Index, model: Embedder, ahead: int, name: str) -> None:
    """All chunks embedded again, as if by a model of this name."""

    async def embed(texts: list[str]) -> Vectors:
        vectors = await asyncio.to_thread(model.embed, texts)
        return Vectors(vectors.values, name)

    await rebuild(index, embed, ahead=ahead)
