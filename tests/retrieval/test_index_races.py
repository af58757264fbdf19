"""Writers of one document at the same time: the newest revision stays, and stays whole."""

import asyncio

import pytest
from lancedb.expr import col, lit

from retrieval.index.index import Index
from tests.retrieval.index_making import TEXTS, chunks_of


async def rows_in(index):
    return sorted((row["chunk_id"], row["revision"], row["text"]) for row in await index.rows(None))


def whole(texts, revision):
    return [(f"doc:{k:06d}", revision, text) for k, text in enumerate(texts)]


@pytest.mark.parametrize("older", [TEXTS, TEXTS[:1], []])
def test_an_older_revision_leaves_a_newer_one_whole(with_index, older):
    """Guards against a slow job of the past that puts its text back over that of today."""
    newer = ["New first", "New second"]

    async def use(index):
        assert await index.replace("doc", "default", 2, chunks_of("doc", newer), None)
        before = await index.version()
        assert not await index.replace("doc", "default", 1, chunks_of("doc", older), None)
        assert await index.version() == before
        assert await index.replace("doc", "other", 1, chunks_of("doc", older), None)
        assert await index.replace("doc", "default", 2, chunks_of("doc", newer), None)
        await index.delete("doc", "other")
        return await rows_in(index)

    assert with_index(use) == whole(newer, 2)


@pytest.mark.parametrize("older", [TEXTS, TEXTS[:1], []])
def test_a_revision_that_comes_between_look_and_commit_stays_whole(with_index, tmp_path, older, monkeypatch):
    """Guards against a race in which the older writer looks first and commits last."""
    newer = ["New first", "New second"]

    async def use(index):
        second, looked, may_go_on = await Index.open(str(tmp_path / "index")), asyncio.Event(), asyncio.Event()
        look = Index._holds_newer

        async def slow_look(self, *args):
            result = await look(self, *args)
            if self is second and not looked.is_set():
                looked.set()
                await may_go_on.wait()
            return result

        monkeypatch.setattr(Index, "_holds_newer", slow_look)
        late = asyncio.create_task(second.replace("doc", "default", 1, chunks_of("doc", older), None))
        await looked.wait()
        assert await index.replace("doc", "default", 2, chunks_of("doc", newer), None)
        may_go_on.set()
        assert not await late
        await second.close()
        return await rows_in(index)

    assert with_index(use) == whole(newer, 2)


def test_of_writers_at_the_same_time_the_newest_stays(with_index, tmp_path):
    """Guards against double rows, and against an index that holds whichever revision happened to commit last."""

    async def use(first):
        second = await Index.open(str(tmp_path / "index"))
        for revision in range(1, 13, 2):
            texts = [f"{revision} {k}" for k in range(3)], [f"{revision + 1} {k}" for k in range(2)]
            await asyncio.gather(
                first.replace("doc", "default", revision, chunks_of("doc", texts[0]), None),
                second.replace("doc", "default", revision + 1, chunks_of("doc", texts[1]), None),
            )
            assert await rows_in(first) == whole(texts[1], revision + 1)
        await second.close()

    with_index(use)


def test_writers_of_new_documents_leave_each_row_once(with_index, tmp_path):
    """Without the declared key both insert the same rows, and every passage is found twice."""

    async def use(first):
        second = await Index.open(str(tmp_path / "index"))
        for revision in range(1, 9, 2):
            await asyncio.gather(
                first.replace("doc", "default", revision, chunks_of("doc", TEXTS), None),
                second.replace("doc", "default", revision + 1, chunks_of("doc", TEXTS[:2]), None),
            )
            rows = await first.rows(col("document_id") == lit("doc"))
            assert len({row["chunk_id"] for row in rows}) == len(rows)
            assert len({row["revision"] for row in rows}) == 1
            await first.delete("doc", "default")
        await second.close()

    with_index(use)
