"""The index behind an S3 URL: a real server on loopback, as far as moto's is one."""

import asyncio

import pytest

from retrieval.index.index import Index
from retrieval.index.maintenance import tidy
from retrieval.search.query import Query
from retrieval.search.search import Searcher
from tests.retrieval.index_making import TEXTS, axis, chunks_of, vectors_of
from tests.retrieval.object_storage import program, serving

pytestmark = [pytest.mark.slow, pytest.mark.skipif(program() is None, reason="moto is not installed here")]


@pytest.fixture(scope="module")
def storage():
    with serving() as options:
        yield options


def test_documents_are_written_found_tidied_up_and_forgotten(storage):
    """Guards against a setting that works for folders only."""

    async def use():
        index = await Index.open("s3://shelf/one", storage, 1)
        await index.replace("doc", "default", 1, chunks_of("doc", TEXTS), vectors_of(3))
        await index.replace("doc", "default", 2, chunks_of("doc", TEXTS[:2]), vectors_of(2))
        await tidy(index)
        result = await Searcher(index).search(Query(text="dogs", k=1), axis(1))
        other = await Index.open("s3://shelf/one", storage, 0)
        counts = await other.count()
        await index.delete("doc", "default")
        left = await other.count()
        for opened_index in (index, other):
            await opened_index.close()
        return result.passages[0].text, counts, left

    assert asyncio.run(use()) == (TEXTS[1], 2, 0)


def test_writers_at_once_lose_nothing(storage):
    """Commits to object storage rest on writing only what is not there yet; who comes second must try again."""

    async def use():
        writers = [await Index.open("s3://shelf/many", storage, 0) for _ in range(3)]

        async def write(number, index):
            for k in range(4):
                name = f"doc{number}-{k}"
                await index.replace(name, "default", 1, chunks_of(name, TEXTS), None)

        await asyncio.gather(*(write(number, index) for number, index in enumerate(writers)))
        count = await writers[0].count()
        for writer in writers:
            await writer.close()
        return count

    assert asyncio.run(use()) == 3 * 4 * len(TEXTS)
