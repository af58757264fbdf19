"""The index against a real LanceDB folder."""

import asyncio

import lancedb
import numpy as np
import pytest
from lancedb.expr import col, lit

from retrieval.embedding.vectors import Vectors
from retrieval.errors import IndexMismatch, RejectedChunks
from retrieval.index.index import Index
from tests.retrieval.index_making import SIZE, TEXTS, axis, chunks_of, vectors_of

ROWS_OF_OLD = [{"key": "k", "chunk_id": "d:000000", "text": "as an earlier version kept it"}]


def is_document(name):
    return col("document_id") == lit(name)


@pytest.mark.parametrize("later", [TEXTS[:1], [*TEXTS, "A fourth", "A fifth"], ["All", "is", "new"], []])
def test_a_revision_takes_the_place_of_all_that_was_there(with_index, later):
    """Rows of an older revision that outlive it are found and cited for ever."""

    async def use(index):
        await index.replace("doc", "default", 1, chunks_of("doc", TEXTS), vectors_of(3))
        await index.replace("other", "default", 1, chunks_of("other", ["fox of another document"]), vectors_of(1))
        for _ in range(2):
            await index.replace("doc", "default", 2, chunks_of("doc", later), vectors_of(len(later)))
        return await index.rows(is_document("doc")), await index.count(is_document("other"))

    rows, others = with_index(use)
    assert sorted(row["text"] for row in rows) == sorted(later)
    assert {row["revision"] for row in rows} <= {2}
    assert others == 1


def test_a_replacement_is_one_commit(with_index):
    """Delete and then add are two: readers between them see the document gone."""

    async def use(index):
        await index.replace("doc", "default", 1, chunks_of("doc", TEXTS), None)
        before = await index.version()
        await index.replace("doc", "default", 2, chunks_of("doc", TEXTS[:1]), None)
        return await index.version() - before

    assert with_index(use) == 1


def test_how_many_have_no_vector_is_known_also_while_the_index_is_rebuilt(with_index, monkeypatch):
    """A rebuilding drops the column of the earlier model: who looked just before was told of an internal error."""

    async def use(index):
        await index.replace("doc", "default", 1, chunks_of("doc", TEXTS), vectors_of(3))
        await index.replace("new", "default", 1, chunks_of("new", TEXTS[:2]), None)
        counts = [await index.num_without_vector()]
        embedder = index.embedder

        async def looked_and_then_it_went():
            stored = await embedder()
            if stored is not None:
                await index.table.drop_columns(["vector"])
            return stored

        monkeypatch.setattr(index, "embedder", looked_and_then_it_went)
        return [*counts, await index.num_without_vector()]

    assert with_index(use) == [2, 5]


def test_a_revision_without_vectors_does_not_keep_those_of_the_text_before(with_index):
    """A vector of a text that is gone would find the wrong chunk."""

    async def use(index):
        await index.replace("doc", "default", 1, chunks_of("doc", TEXTS), vectors_of(3))
        await index.replace("doc", "default", 2, chunks_of("doc", TEXTS), None)
        return await index.by_vector(axis(1).values[0], None, 9)

    assert with_index(use) == []


def test_deleting_leaves_nothing_to_be_found(with_index):
    """A document that a person had forgotten must not come back in an answer."""

    async def use(index):
        await index.replace("it's", "default", 1, chunks_of("it's", TEXTS), vectors_of(3))
        await index.delete("it's", "default")
        await index.delete("never there", "default")
        return (
            await index.by_text("fox", None, 5),
            await index.by_vector(axis(0).values[0], None, 5),
            await index.count(),
        )

    assert with_index(use) == ([], [], 0)


def test_what_no_query_would_find_is_refused_before_it_is_written(with_index):
    """LanceDB keeps zero vectors and double ids without a word."""
    zero = Vectors(np.zeros((3, SIZE), np.float32), "model@1")
    missing = Vectors(vectors_of(3).values * np.nan, "model@1")
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

    assert with_index(use) == 0


@pytest.mark.parametrize("other", [vectors_of(3, "model@2"), vectors_of(3, "model@1", SIZE + 1)])
def test_vectors_of_another_model_are_refused_and_the_way_out_is_named(with_index, other):
    """Vectors of two models in one table rank at random, also where they have as many numbers."""

    async def use(index):
        await index.replace("doc", "default", 1, chunks_of("doc", TEXTS), vectors_of(3))
        with pytest.raises(IndexMismatch, match=r"model@1.*POST /v1/index/rebuild"):
            await index.replace("doc", "default", 2, chunks_of("doc", TEXTS), other)
        with pytest.raises(IndexMismatch):
            await index.check(other)
        await index.check(axis(0))
        return {row["revision"] for row in await index.rows(None)}

    assert with_index(use) == {1}


def test_an_index_of_full_text_takes_vectors_later_and_keeps_all_when_opened_again(with_index):
    """Installing the embedder after the first documents must not lose them."""

    async def use(index):
        await index.replace("old", "default", 1, chunks_of("old", TEXTS), None)
        await index.replace("new", "default", 1, chunks_of("new", TEXTS), vectors_of(3))

    async def again(index):
        rows = await index.by_text("fox", None, 9)
        return {row["document_id"] for row in rows}, await index.embedder()

    with_index(use)
    assert with_index(again) == ({"old", "new"}, ("model@1", SIZE))


def test_an_index_of_another_layout_is_refused_at_the_door(tmp_path):
    """Columns that are missing would fail somewhere in the middle of a query."""

    async def run():
        connection = await lancedb.connect_async(str(tmp_path))
        (await connection.create_table("chunks", data=ROWS_OF_OLD)).close()
        with pytest.raises(IndexMismatch, match="ingest again"):
            await Index.open(str(tmp_path))

    asyncio.run(run())


def test_an_object_storage_url_works_as_a_folder_does():
    """Guards against paths that are put together by hand."""

    async def run():
        index = await Index.open("memory://anywhere", {"some_option": "1"}, consistency_s=1)
        await index.replace("doc", "default", 1, chunks_of("doc", TEXTS), vectors_of(3))
        rows = await index.by_text("fox", None, 3)
        await index.close()
        return [row["chunk_id"] for row in rows]

    assert asyncio.run(run()) == ["doc:000000"]
