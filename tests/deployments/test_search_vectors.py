"""`deployments.search`: chunks that the index has keep their vectors, each its own; only the others are embedded."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from configs import Settings
from deployments.search.deployment import Search
from retrieval.chunking.chunk import Chunk
from retrieval.embedding.vectors import Vectors
from retrieval.index.index import Index
from tests.deployments.ingress.handles import Handle
from tests.retrieval.index_making import chunks_of

SIZE = 8


class CountingEmbedder:
    """A vector for each text by its first letter; it remembers what was embedded."""

    def __init__(self) -> None:
        self.model: str | None = "model@1"
        self.texts: list[str] = []
        self.on_embed: Callable[[], Awaitable[object]] | None = None

    async def embed(self, texts: list[str]) -> Vectors | None:
        if self.model is None:
            return None
        self.texts += texts
        if self.on_embed is not None:
            on_embed, self.on_embed = self.on_embed, None
            await on_embed()
        return Vectors(
            np.stack([axis(text) for text in texts]) if texts else np.empty((0, SIZE), np.float32), self.model
        )

    async def about(self) -> dict[str, Any]:
        return {"model": self.model}


def axis(text: str) -> np.ndarray:
    """Of the first letter, in the space of a text without headings."""
    return np.eye(SIZE, dtype=np.float32)[ord(text[0]) % SIZE]


def chunks(texts: list[str]) -> list[Chunk]:
    """Chunks whose ids are their texts', as the chunker makes them."""
    made = chunks_of("doc", texts, headings=())
    return [chunk.model_copy(update={"id": f"doc:{text}"}) for chunk, text in zip(made, texts, strict=True)]


@pytest.fixture
def embedder() -> CountingEmbedder:
    return CountingEmbedder()


@pytest.fixture
def search(tmp_path: Path, embedder: CountingEmbedder) -> Search:
    return Search(Settings.model_validate({"data_dir": str(tmp_path)}), Handle(embedder))


async def replaced(search: Search, revision: int, *texts: str, namespace: str = "default") -> dict[str, np.ndarray]:
    """The vectors of the document after a revision of these texts."""
    content = [chunk.model_dump_json() for chunk in chunks(list(texts))]
    await search.replace("doc", content, namespace=namespace, revision=revision)
    (table,) = (await search._opened()).index.shards
    return dict((await table.vectors("doc", namespace)).values)


def test_only_new_chunks_are_embedded_and_each_keeps_its_own_vector(search: Search, embedder: CountingEmbedder) -> None:
    """Guards against vectors that move by one when a chunk is inserted before them."""

    async def use() -> dict[str, np.ndarray]:
        await replaced(search, 1, "a", "b", "c")
        embedder.texts.clear()
        return await replaced(search, 2, "d", "b", "e", "a")

    vectors = asyncio.run(use())
    assert embedder.texts == ["d", "e"]
    assert {name: vector.tolist() for name, vector in vectors.items()} == {
        f"doc:{letter}": axis(letter).tolist() for letter in "dbea"
    }


def test_vectors_of_another_namespace_are_not_taken(search: Search, embedder: CountingEmbedder) -> None:
    """Guards against a tenant who learns from the time of a call what another one has indexed."""

    async def use() -> None:
        await replaced(search, 1, "a", namespace="theirs")
        embedder.texts.clear()
        await replaced(search, 1, "a")

    asyncio.run(use())
    assert embedder.texts == ["a"]


def test_without_an_embedder_a_revision_is_found_by_its_text(search: Search, embedder: CountingEmbedder) -> None:
    """Guards against chunks with a vector beside others without one, of which a search finds only the former."""

    async def use() -> dict[str, np.ndarray]:
        await replaced(search, 1, "a", "b")
        embedder.model = None
        return await replaced(search, 2, "a", "c")

    assert asyncio.run(use()) == {}


def test_another_model_leaves_the_document_to_its_text_until_the_index_is_rebuilt(
    search: Search, embedder: CountingEmbedder
) -> None:
    """Guards against vectors of two models in one index."""

    async def use() -> dict[str, np.ndarray]:
        await replaced(search, 1, "a", "b")
        embedder.model = "model@2"
        return await replaced(search, 2, "a", "c")

    assert asyncio.run(use()) == {}
    assert embedder.texts == ["a", "b", "c"], "what nobody can use is not embedded"


def test_another_model_leaves_documents_of_every_shard_to_their_text(
    tmp_path: Path, embedder: CountingEmbedder
) -> None:
    """Guards against a shard that holds no vectors yet and takes those of the new model beside the others' old ones."""
    values = {"data_dir": str(tmp_path), "shards": 3, "database_url": "postgresql://nowhere/none"}
    handle: Any = Handle(embedder)
    search = Search(Settings.model_validate(values), handle)

    async def use() -> list[int]:
        content = [chunk.model_dump_json() for chunk in chunks(["a", "b"])]
        await search.replace("old", content, namespace="default", revision=1, shard=1)
        embedder.model = "model@2"
        await search.replace("new", content, namespace="default", revision=1, shard=2)
        state = await search.state()
        assert (state["num_chunks"], state["embedder"]) == (4, "model@1")
        return [await shard.num_without_vector() for shard in (await search._opened()).index.shards]

    assert asyncio.run(use()) == [0, 0, 2]


def test_an_index_that_is_rebuilt_meanwhile_gets_vectors_of_the_new_model_alone(
    search: Search, embedder: CountingEmbedder, tmp_path: Path
) -> None:
    """Guards against yesterday's vectors under today's model: no rebuilding would find them."""

    async def rebuilt() -> None:
        index = await Index.open(search._settings.index_uri)
        await index.table.drop_columns(["vector"])
        await index._hold(Vectors(np.eye(1, SIZE, dtype=np.float32), "model@2"))

    async def use() -> None:
        await replaced(search, 1, "a", "b")
        embedder.texts.clear()
        embedder.model, embedder.on_embed = "model@2", rebuilt
        await replaced(search, 2, "a", "c")

    asyncio.run(use())
    assert embedder.texts == ["c", "a", "c"]
