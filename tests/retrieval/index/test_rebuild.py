"""The index given the vectors of another model."""

import numpy as np
import pytest

from retrieval.embedding.vectors import Vectors
from retrieval.index import rebuild as module
from retrieval.index.rebuild import rebuild
from retrieval.search.query import Query
from retrieval.search.search import Searcher
from tests.retrieval.index_making import TEXTS, axis, chunks_of, vectors_of


async def other_model(texts):
    """Vectors of four numbers: the first for texts about dogs."""
    rows = np.array([[1.0, 0, 0, 0] if "dogs" in text else [0, 1.0, 0, 0] for text in texts], np.float32)
    return Vectors(rows, "model@2")


@pytest.mark.parametrize("ahead", [0, 2])
def test_after_rebuilding_every_chunk_is_found_by_the_new_model(with_index, monkeypatch, ahead):
    """Also those that had no vector before, and those of more than one batch."""
    monkeypatch.setattr(module, "BATCH_CHUNKS", 4)

    async def use(index):
        for name in ("a", "b", "c"):
            await index.replace(name, "default", 1, chunks_of(name, TEXTS), vectors_of(3) if name != "c" else None)
        left = []
        done = await rebuild(index, other_model, ahead=ahead, on_progress=left.append)
        again = await rebuild(index, other_model)
        query = Query(text="", mode="vector", k=3)
        result = await Searcher(index).search(query, await other_model(["dogs"]))
        return done, again, left, await index.embedder(), {hit.chunk_id for hit in result.passages}

    done, again, left, embedder, chunk_ids = with_index(use)
    assert (done, again, embedder) == (9, 0, ("model@2", 4))
    assert left == [9, 5, 1]
    assert chunk_ids == {"a:000001", "b:000001", "c:000001"}


def test_a_rebuilding_that_broke_off_leaves_text_search_and_goes_on(with_index, monkeypatch):
    """Killed in the middle, the index must not need a person."""
    monkeypatch.setattr(module, "BATCH_CHUNKS", 2)

    async def use(index):
        await index.replace("a", "default", 1, chunks_of("a", TEXTS), vectors_of(3))
        calls = []

        async def breaks(texts):
            calls.append(texts)
            if len(calls) == 3:
                raise RuntimeError("killed")
            return await other_model(texts)

        with pytest.raises(RuntimeError, match="killed"):
            await rebuild(index, breaks, ahead=0)
        by_text = await Searcher(index).search(Query(text="fox", mode="full_text"), None)
        return len(by_text.passages), await rebuild(index, other_model)

    assert with_index(use) == (1, 1)


def test_a_revision_that_comes_meanwhile_keeps_its_own_text_and_vector(with_index):
    """A vector of the text that was there before would find the wrong passage."""

    async def use(index):
        await index.replace("a", "default", 1, chunks_of("a", TEXTS), vectors_of(3))
        calls = []

        async def slow(texts):
            calls.append(texts)
            if len(calls) == 2:  # the batch was read: now its document changes
                newer = ["about dogs", "about dogs"]
                await index.replace("a", "default", 2, chunks_of("a", newer), await other_model(newer))
            return await other_model(texts)

        await rebuild(index, slow, ahead=0)
        result = await Searcher(index).search(Query(text="", mode="vector"), await other_model(["dogs"]))
        return [(hit.text, round(hit.score, 3)) for hit in result.passages]

    assert with_index(use) == [("about dogs", 1.0), ("about dogs", 1.0)]


def test_vectors_of_the_model_that_is_there_already_are_kept(with_index):
    """Rebuilding twice costs nothing."""

    async def same(texts):
        return vectors_of(len(texts))

    async def use(index):
        await index.replace("a", "default", 1, chunks_of("a", TEXTS), vectors_of(3))
        return await rebuild(index, same), len(await index.by_vector(axis(0).values[0], None, 5))

    assert with_index(use) == (0, 3)
