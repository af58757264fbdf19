"""Tidying up: when it happens, and what it leaves."""

import asyncio

import numpy as np

from retrieval.embedding.vectors import Vectors
from retrieval.index import maintenance as module
from retrieval.index.maintenance import Upkeep, tidy
from tests.retrieval.index_making import TEXTS, chunks_of, vectors_of


def test_tidying_loses_nothing_and_folds_new_rows_into_the_full_text(with_index):
    """An index that was optimised must find what it found before."""

    async def use(index):
        for k in range(6):
            await index.replace(f"d{k}", "default", 1, chunks_of(f"d{k}", TEXTS), vectors_of(3))
        before = [row["key"] for row in await index.by_text("fox", None, 20)]
        await tidy(index)
        after = [row["key"] for row in await index.by_text("fox", None, 20)]
        stats = await index.table.index_stats("searched_idx")
        return sorted(before) == sorted(after), len(after), stats.num_unindexed_rows

    assert with_index(use) == (True, 6, 0)


def test_a_vector_index_is_built_once_it_pays_and_finds_what_is_nearest(with_index):
    """Below that it would only cost; above, one that finds too little is worse than none."""
    generator = np.random.default_rng(0)
    values = generator.normal(size=(1200, 16)).astype(np.float32)
    values /= np.linalg.norm(values, axis=1, keepdims=True)

    async def use(index):
        texts = [f"text {k}" for k in range(len(values))]
        await index.replace("d", "default", 1, chunks_of("d", texts), Vectors(values, "model@1"))
        await tidy(index, vector_rows=2000)
        assert not any("vector" in column_index.columns for column_index in await index.table.list_indices())
        for _ in range(2):
            await tidy(index, vector_rows=1000)
        assert sum("vector" in column_index.columns for column_index in await index.table.list_indices()) == 1
        num_found = 0
        for query in values[:50]:
            exact = {row["key"] for row in await index.by_vector(query, None, 10, exact=True)}
            num_found += len(exact & {row["key"] for row in await index.by_vector(query, None, 10)})
        oracle = np.argsort(-(values @ values[7]))[:10]
        ten = [row["ordinal"] for row in await index.by_vector(values[7], None, 10, exact=True)]
        assert ten == oracle.tolist()
        return num_found / 500

    assert with_index(use) >= 0.95


def test_it_runs_after_so_many_commits_one_at_a_time_and_comes_again_after_a_conflict(monkeypatch):
    """A writer that was faster is no error; two at once would only hinder each other."""

    async def run():
        gate, runs = asyncio.Event(), []

        async def tidied(index, *, vector_rows):
            runs.append(vector_rows)
            await gate.wait()
            if len(runs) == 1:
                raise RuntimeError("Retryable commit conflict")

        monkeypatch.setattr(module, "tidy", tidied)
        upkeep = Upkeep(None, commits=3, wait_s=1000, vector_rows=7)
        for _ in range(2):
            upkeep.committed()
        await asyncio.sleep(0)
        assert runs == []
        for _ in range(4):
            upkeep.committed()
        await asyncio.sleep(0)
        assert runs == [7]
        gate.set()
        await asyncio.wait([upkeep._task])
        assert upkeep._timer is not None  # it comes again by itself
        upkeep.committed()
        await asyncio.wait([upkeep._task])
        await upkeep.close()
        return len(runs), upkeep.num_done

    assert asyncio.run(run()) == (2, 1)


def test_it_runs_by_itself_when_commits_are_few(monkeypatch):
    """Ten documents per day must be folded in as well."""

    async def run():
        done = asyncio.Event()

        async def tidied(index, *, vector_rows):
            done.set()

        monkeypatch.setattr(module, "tidy", tidied)
        upkeep = Upkeep(None, commits=100, wait_s=0.01)
        upkeep.committed()
        await asyncio.wait_for(done.wait(), 60)
        await upkeep.close()

    asyncio.run(run())
