"""Processes that write at once, and processes that are killed while they write."""

import asyncio
import multiprocessing
import random
from pathlib import Path

import pytest
from lancedb.expr import col, lit

from retrieval.index.index import Index
from retrieval.index.maintenance import tidy
from tests.retrieval.index_making import chunks_of, vectors_of

SPAWN = multiprocessing.get_context("spawn")  # as LanceDB wants it: its threads do not survive a fork
NUM_WRITERS, NUM_OWN, NUM_SHARED = 4, 6, 6


def text_of(revision, k):
    return f"revision {revision} part {k}"


def write(folder, number, barrier):
    """Documents of its own, and revisions of one that all writers write."""

    async def run():
        index = await Index.open(folder)
        for k in range(NUM_OWN):
            name = f"own{number}-{k}"
            await index.replace(name, "default", 1, chunks_of(name, [text_of(1, j) for j in range(3)]), vectors_of(3))
        for k in range(NUM_SHARED):
            revision = k * NUM_WRITERS + number + 1
            texts = [text_of(revision, j) for j in range(2 + revision % 3)]
            await index.replace("shared", "default", revision, chunks_of("shared", texts), vectors_of(len(texts)))
        await index.close()

    barrier.wait(60)
    asyncio.run(run())


def write_for_ever(folder, begun):
    """Ever newer revisions of one document of many chunks, and tidying up between them."""

    async def run():
        index = await Index.open(folder)
        revision = await index.count() and max(row["revision"] for row in await index.rows(None))
        begun.set()
        while True:
            revision += 1
            size = 200 + 50 * (revision % 2)
            texts = [text_of(revision, k) for k in range(size)]
            await index.replace("doc", "default", revision, chunks_of("doc", texts), None)
            if revision % 3 == 0:
                await tidy(index)

    asyncio.run(run())


@pytest.fixture(autouse=True)
def _importable(monkeypatch):
    """A spawned process finds this module by the path of its parent."""
    monkeypatch.syspath_prepend(Path(__file__).parents[2])


@pytest.mark.slow
def test_four_processes_write_at_once_and_nothing_is_lost(tmp_path):
    """Guards against the loss of commits, against double rows, and against two revisions in one document."""
    folder, barrier = str(tmp_path), SPAWN.Barrier(NUM_WRITERS)

    async def look():
        index = await Index.open(folder)
        rows, newest = await index.rows(None), await index.rows(col("document_id") == lit("shared"))
        await index.close()
        return rows, newest

    asyncio.run(look())  # the table is made once
    writers = [SPAWN.Process(target=write, args=(folder, number, barrier)) for number in range(NUM_WRITERS)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(240)
    assert [writer.exitcode for writer in writers] == [0] * NUM_WRITERS
    rows, shared = asyncio.run(look())
    assert len({row["key"] for row in rows}) == len(rows) == NUM_WRITERS * NUM_OWN * 3 + len(shared)
    last = NUM_WRITERS * NUM_SHARED
    assert sorted(row["text"] for row in shared) == [text_of(last, k) for k in range(2 + last % 3)]


@pytest.mark.slow
def test_a_writer_that_is_killed_leaves_the_old_or_the_new(tmp_path):
    """A process kill (not a power cut) at any moment of a commit; no repair is needed afterwards."""
    folder, generator, last_revision = str(tmp_path), random.Random(8), 0

    async def look():
        index = await Index.open(folder)
        rows = await index.rows(None)
        hits = await index.by_text("part", None, 5)
        await index.close()
        return rows, len(hits)

    asyncio.run(look())
    for _ in range(6):
        begun = SPAWN.Event()
        writer = SPAWN.Process(target=write_for_ever, args=(folder, begun))
        writer.start()
        assert begun.wait(120)
        writer.join(generator.uniform(0.05, 0.6))  # the moment of the kill
        writer.kill()
        writer.join(30)
        rows, num_hits = asyncio.run(look())
        revisions = {row["revision"] for row in rows}
        assert len(revisions) <= 1
        if revisions:
            (revision,) = revisions
            assert revision >= last_revision
            last_revision = revision
            assert sorted(row["ordinal"] for row in rows) == list(range(200 + 50 * (revision % 2)))
            assert {row["text"] for row in rows} == {text_of(revision, k) for k in range(len(rows))}
            assert num_hits == 5
    assert last_revision > 0
