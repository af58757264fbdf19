"""The index against a real LanceDB folder."""

import asyncio

import numpy as np
import pytest

from documents.values import BoundingBox
from retrieval.chunk import Chunk, ChunkSpan, chunk_id
from retrieval.errors import IndexMismatch, RejectedChunks
from retrieval.index import Index

SIZE = 8
TEXTS = ["The quick brown fox jumps", "Lazy dogs sleep all day", "Stocks fell sharply in autumn"]


def box_of(number: int) -> BoundingBox:
    return BoundingBox(x0=72, y0=10 * number, x1=300.5, y1=10 * number + 9)


def chunks_of(document_id: str, texts: list[str]) -> list[Chunk]:
    """Each on the page of its number."""
    return [
        Chunk(
            id=chunk_id(document_id, k),
            text=text,
            heading_path=("Animals", "Mammals"),
            spans=(ChunkSpan(page=k + 1, box=box_of(k), text_start=0, text_end=len(text)),),
            num_tokens=len(text.split()),
            kind="plain text",
        )
        for k, text in enumerate(texts)
    ]


def vectors_of(count: int) -> np.ndarray:
    """One axis each."""
    return np.eye(count, SIZE, dtype=np.float32)


def with_index(tmp_path, use):
    """Run `use(index)` on a fresh index."""

    async def run():
        index = await Index.open(str(tmp_path / "index"))
        try:
            return await use(index)
        finally:
            await index.close()

    return asyncio.run(run())


def test_a_query_finds_the_chunk_with_its_page_and_boxes(tmp_path):
    """A passage without its place cannot be cited."""

    async def use(index):
        await index.replace("doc", "default", 3, chunks_of("doc", TEXTS), vectors_of(3))
        return await index.query("dogs", vectors_of(3)[1], 2)

    best, _ = with_index(tmp_path, use)
    assert (best.chunk_id, best.document_id, best.revision, best.page) == ("doc:000001", "doc", 3, 2)
    assert [(each.page, each.box) for each in best.boxes] == [(2, box_of(1))]
    assert best.heading_path == ("Animals", "Mammals")
    assert best.kind == "plain text"
    assert best.text == TEXTS[1]


def test_full_text_alone_works(tmp_path):
    """Without the embedder's weights search is still there."""

    async def use(index):
        await index.replace("doc", "default", 1, chunks_of("doc", TEXTS), None)
        return [await index.query(text, None, 5) for text in ("fox", "autumn stocks", "zebra", "", '"(AND" OR * -')]

    assert [[hit.chunk_id for hit in hits] for hits in with_index(tmp_path, use)] == [
        ["doc:000000"],
        ["doc:000002"],
        [],
        [],
        [],
    ]


def test_hybrid_finds_what_only_the_vector_knows(tmp_path):
    """Were the vector leg dropped, a query in other words would find nothing."""

    async def use(index):
        await index.replace("doc", "default", 1, chunks_of("doc", TEXTS), vectors_of(3))
        return await index.query("hound", vectors_of(3)[1], 1)

    assert [hit.chunk_id for hit in with_index(tmp_path, use)] == ["doc:000001"]


@pytest.mark.parametrize("later", [TEXTS[:1], [*TEXTS, "A fourth", "A fifth"], ["All", "is", "new"], []])
def test_a_revision_takes_the_place_of_all_that_was_there(tmp_path, later):
    """Rows of an older revision that outlive it are found and cited for ever."""

    async def use(index):
        await index.replace("doc", "default", 1, chunks_of("doc", TEXTS), vectors_of(3))
        await index.replace("other", "default", 1, chunks_of("other", ["fox of another document"]), vectors_of(1))
        for _ in range(2):
            await index.replace("doc", "default", 2, chunks_of("doc", later), vectors_of(len(later)))
        hits = await index.query("fox dogs stocks fourth fifth all is new", vectors_of(1)[0], 20, ["doc"])
        return hits, await index.count("doc"), await index.count("other")

    hits, count, others = with_index(tmp_path, use)
    assert sorted(hit.text for hit in hits) == sorted(later)
    assert {hit.revision for hit in hits} <= {2}
    assert (count, others) == (len(later), 1)


def test_a_replacement_is_one_commit(tmp_path):
    """Delete and then add are two: readers between them see the document gone."""

    async def use(index):
        await index.replace("doc", "default", 1, chunks_of("doc", TEXTS), None)
        before = await index._table.version()
        await index.replace("doc", "default", 2, chunks_of("doc", TEXTS[:1]), None)
        return await index._table.version() - before

    assert with_index(tmp_path, use) == 1


def test_writers_of_one_document_at_the_same_time_leave_one_revision(tmp_path):
    """Without the declared key both insert the same rows, and every passage is found twice."""

    async def use(first):
        second = await Index.open(str(tmp_path / "index"))
        for revision in range(1, 9, 2):
            await asyncio.gather(
                first.replace("doc", "default", revision, chunks_of("doc", TEXTS), None),
                second.replace("doc", "default", revision + 1, chunks_of("doc", TEXTS[:2]), None),
            )
            rows = await first._table.query().select(["chunk_id", "revision"]).to_list()
            assert len({row["chunk_id"] for row in rows}) == len(rows)
            assert len({row["revision"] for row in rows}) == 1
            await first.delete("doc", "default")
        await second.close()

    with_index(tmp_path, use)


async def rows_in(index):
    return sorted(
        (row["chunk_id"], row["revision"], row["text"])
        for row in await index._table.query().select(["chunk_id", "revision", "text"]).to_list()
    )


def whole(texts, revision):
    return [(chunk_id("doc", k), revision, text) for k, text in enumerate(texts)]


@pytest.mark.parametrize("older", [TEXTS, TEXTS[:1], []])
def test_an_older_revision_leaves_a_newer_one_whole(tmp_path, older):
    """Guards against a slow job of the past that puts its text back over that of today."""
    newer = ["New first", "New second"]

    async def use(index):
        assert await index.replace("doc", "default", 2, chunks_of("doc", newer), None)
        before = await index._table.version()
        assert not await index.replace("doc", "default", 1, chunks_of("doc", older), None)
        assert await index._table.version() == before
        assert await index.replace("doc", "other", 1, chunks_of("doc", older), None)
        assert await index.replace("doc", "default", 2, chunks_of("doc", newer), None)
        await index.delete("doc", "other")
        return await rows_in(index)

    assert with_index(tmp_path, use) == whole(newer, 2)


@pytest.mark.parametrize("older", [TEXTS, TEXTS[:1], []])
def test_a_revision_that_comes_between_look_and_commit_stays_whole(tmp_path, older, monkeypatch):
    """Guards against a race in which the older writer looks first and commits last."""
    newer = ["New first", "New second"]

    async def use(index):
        second, looked, may_go_on = await Index.open(str(tmp_path / "index")), asyncio.Event(), asyncio.Event()
        look = Index._holds_newer

        async def slow_look(self, *args):
            found = await look(self, *args)
            if self is second and not looked.is_set():
                looked.set()
                await may_go_on.wait()
            return found

        monkeypatch.setattr(Index, "_holds_newer", slow_look)
        late = asyncio.create_task(second.replace("doc", "default", 1, chunks_of("doc", older), None))
        await looked.wait()
        assert await index.replace("doc", "default", 2, chunks_of("doc", newer), None)
        may_go_on.set()
        assert not await late
        await second.close()
        return await rows_in(index)

    assert with_index(tmp_path, use) == whole(newer, 2)


def test_of_writers_at_the_same_time_the_newest_stays(tmp_path):
    """Guards against an index that holds whichever revision happened to commit last."""

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

    with_index(tmp_path, use)


def test_deleting_leaves_nothing_to_be_found(tmp_path):
    """A document that a person had forgotten must not come back in an answer."""

    async def use(index):
        await index.replace("it's", "default", 1, chunks_of("it's", TEXTS), vectors_of(3))
        await index.delete("it's", "default")
        await index.delete("never there", "default")
        return await index.query("fox", vectors_of(1)[0], 5), await index.count()

    assert with_index(tmp_path, use) == ([], 0)


def test_namespaces_with_the_same_document_do_not_meet(tmp_path):
    """One tenant's revision must not replace, show or delete another's."""

    async def use(index):
        await index.replace("doc", "a", 1, chunks_of("doc", ["fox of a"]), None)
        await index.replace("doc", "b", 1, chunks_of("doc", ["fox of b"]), None)
        found = await index.query("fox", None, 5, namespace="a")
        await index.delete("doc", "b")
        return [hit.text for hit in found], await index.count(namespace="a"), await index.count(namespace="b")

    assert with_index(tmp_path, use) == (["fox of a"], 1, 0)


def test_queries_can_be_narrowed_to_documents(tmp_path):
    """A filter after the search would leave fewer than k hits; one of hostile text must match as it is."""

    async def use(index):
        for name in ("one", "two", "x' OR 1=1 --"):
            await index.replace(name, "default", 1, chunks_of(name, TEXTS), vectors_of(3))
        asked = (["two"], ["x' OR 1=1 --"], ["' OR '1'='1"], [])
        return [await index.query("fox", vectors_of(1)[0], 1, names) for names in asked]

    found = with_index(tmp_path, use)
    assert [[hit.document_id for hit in hits] for hits in found] == [["two"], ["x' OR 1=1 --"], [], []]


def test_what_no_query_would_find_is_refused_before_it_is_written(tmp_path):
    """LanceDB keeps zero vectors and double ids without a word."""
    zero, missing = np.zeros((3, SIZE), np.float32), vectors_of(3) * np.nan
    double = [*chunks_of("doc", TEXTS[:1]), *chunks_of("doc", TEXTS[:1])]

    async def use(index):
        for chunks, vectors in (
            (chunks_of("doc", TEXTS), zero),
            (chunks_of("doc", TEXTS), missing),
            (chunks_of("doc", TEXTS), vectors_of(2)),
            (double, None),
        ):
            with pytest.raises(RejectedChunks):
                await index.replace("doc", "default", 1, chunks, vectors)
        return await index.count()

    assert with_index(tmp_path, use) == 0


def test_an_index_of_another_embedder_is_refused(tmp_path):
    """Vectors of two models in one table rank at random."""

    async def use(index):
        await index.replace("doc", "default", 1, chunks_of("doc", TEXTS), vectors_of(3))
        with pytest.raises(IndexMismatch, match="8 numbers"):
            await Index.open(str(tmp_path / "index"), dimension=SIZE + 1)
        with pytest.raises(IndexMismatch):
            await index.replace("doc", "default", 2, chunks_of("doc", TEXTS), np.ones((3, SIZE + 1), np.float32))
        with pytest.raises(IndexMismatch):
            await index.query("fox", np.ones(SIZE + 1, np.float32), 1)

    with_index(tmp_path, use)


def test_an_index_of_full_text_takes_vectors_later_and_keeps_all_when_opened_again(tmp_path):
    """Installing the embedder after the first documents must not lose them."""

    async def use(index):
        await index.replace("old", "default", 1, chunks_of("old", TEXTS), None)
        await index.query("fox", vectors_of(1)[0], 1)  # an embedder, and no vectors yet
        await index.replace("new", "default", 1, chunks_of("new", TEXTS), vectors_of(3))

    with_index(tmp_path, use)

    async def again(index):
        return await index.query("fox", vectors_of(1)[0], 9)

    assert {hit.document_id for hit in with_index(tmp_path, again)} == {"old", "new"}
