"""What an index keeps in memory does not grow with the commits that it has seen."""

import asyncio
import gc
import random

import psutil
import pytest

from retrieval.index.index import Index
from retrieval.index.maintenance import tidy
from retrieval.search.query import Query
from retrieval.search.search import Searcher
from tests.retrieval.index_making import axis, chunks_of, vectors_of

MB = 1_000_000
DOCUMENTS = 8


async def written(index, revisions, after=lambda _: None):
    """Revisions of a few documents, each searched for once; compacted as in a server."""
    chance, searcher = random.Random(1), Searcher(index)
    for revision in revisions:
        texts = [" ".join(f"w{chance.randrange(3000)}" for _ in range(60)) for _ in range(8)]
        name = f"doc{revision % DOCUMENTS}"
        await index.replace(name, "default", revision, chunks_of(name, texts), vectors_of(8))
        await searcher.search(Query(text=texts[0][:40], k=5), axis(0))
        if revision % 20 == 0:
            await tidy(index)
        after(revision)


def test_what_is_kept_in_memory_stays_under_its_bound(tmp_path):
    """LanceDB's own bounds are 7 GB: what it kept of every version grew by 0.2 MB per document."""

    async def use(cache_mb):
        index = await Index.open(str(tmp_path / str(cache_mb)), cache_mb=cache_mb)
        try:
            await written(index, range(1, 41))
            return index.cached_bytes
        finally:
            await index.close()

    assert asyncio.run(use(1)) < 1.2 * MB
    assert asyncio.run(use(100)) > 3 * MB  # or the bound was never met


@pytest.mark.slow
def test_memory_is_flat_over_hundreds_of_commits(tmp_path):
    """The same of the whole process, as a soak run sees it."""
    sizes = []

    def measured(revision):
        if revision % 50 == 0:
            gc.collect()
            sizes.append(psutil.Process().memory_info().rss / MB)

    async def use():
        index = await Index.open(str(tmp_path), cache_mb=16)
        try:
            await written(index, range(1, 401), measured)
        finally:
            await index.close()

    asyncio.run(use())
    assert sizes[-1] - sizes[3] < 12, sizes  # from the 200th commit on
