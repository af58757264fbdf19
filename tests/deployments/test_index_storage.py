"""`deployments.search`: what a bucket that is away costs: nothing, but a named refusal meanwhile."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from configs import Settings
from deployments.errors import IndexAway
from deployments.search.deployment import Search
from retrieval.errors import RejectedChunks
from tests.deployments.ingress.handles import Handle
from tests.deployments.storage.gateway import Gateway, gateway
from tests.retrieval.index_making import chunks_of
from tests.retrieval.object_storage import program, serving

needs_bucket = pytest.mark.skipif(program() is None, reason="moto is not installed here")


class NoEmbedder:
    """Of a server that searches by text alone; it counts what it was to embed."""

    def __init__(self) -> None:
        self.num_calls = 0

    async def embed(self, texts: list[str]) -> None:
        """No vectors."""
        self.num_calls += 1

    async def about(self) -> dict[str, None]:
        return {"model": None}

    async def warm(self) -> None:
        """Nothing to load."""


@pytest.fixture
def way() -> Iterator[Gateway]:
    with serving() as options, gateway(options["endpoint"]) as way:
        yield way


def search_at(uri: str, folder: Path, storage: dict[str, str], embedder: NoEmbedder | None = None) -> Search:
    index = {"uri": uri, "storage_options": storage}
    handle: Any = Handle(embedder or NoEmbedder())
    return Search(Settings.model_validate({"data_dir": str(folder), "index": index}), handle)


def bucket_search(folder: Path, way: Gateway) -> Search:
    keys = {"aws_access_key_id": "me", "aws_secret_access_key": "secret", "region": "us-east-1"}
    return search_at("s3://shelf/index", folder, keys | {"allow_http": "true", "endpoint": way.url})


async def replaced(search: Search, text: str) -> None:
    content = [chunk.model_dump_json() for chunk in chunks_of("doc", [text])]
    await search.replace("doc", content, namespace="default", revision=1)


async def texts_of(search: Search, query: str) -> list[str]:
    retrieved = await search.query(query, mode="full_text", bypass_cache=True)
    return [passage.text for passage in retrieved.result.passages]


@needs_bucket
def test_a_bucket_that_is_away_is_named_and_the_same_call_succeeds_later(tmp_path: Path, way: Gateway) -> None:
    """Guards against documents that an outage keeps out of the index for good, and outages that have no name."""

    async def use() -> None:
        search = bucket_search(tmp_path, way)
        await replaced(search, "harbour")
        way.close()
        refused = await asyncio.gather(
            replaced(search, "lighthouse"),
            texts_of(search, "harbour"),
            search.forget("doc", namespace="default"),
            search.about(),
            search.state(),
            return_exceptions=True,
        )
        assert {(type(error), str(error)) for error in refused} == {
            (IndexAway, "the storage of the index does not answer")
        }
        way.open()
        assert await texts_of(search, "harbour") == ["harbour"]
        await replaced(search, "lighthouse")
        assert await texts_of(search, "lighthouse") == ["lighthouse"]
        assert (await search.about())["mode"] == "full_text"

    asyncio.run(use())


@needs_bucket
def test_an_index_that_cannot_be_opened_yet_is_opened_later(tmp_path: Path, way: Gateway) -> None:
    """Guards against a replica that starts in an outage and stays without an index."""

    async def use() -> None:
        search = bucket_search(tmp_path, way)
        way.close()
        with pytest.raises(IndexAway):
            await search.about()
        way.open()
        await replaced(search, "harbour")
        assert await texts_of(search, "harbour") == ["harbour"]

    asyncio.run(use())


def test_an_index_that_fails_while_its_folder_answers_is_not_said_to_be_away(tmp_path: Path) -> None:
    """Guards against a broken index that jobs wait for."""

    async def use() -> None:
        search = search_at(str(tmp_path / "index"), tmp_path, {})
        await replaced(search, "harbour")
        shutil.rmtree(tmp_path / "index" / "chunks.lance" / "data")
        with pytest.raises(Exception, match="data"):
            await texts_of(search, "harbour")

    asyncio.run(use())


def test_chunks_that_are_refused_are_not_tried_again(tmp_path: Path) -> None:
    """Guards against a second attempt at what cannot succeed."""
    embedder = NoEmbedder()

    async def use() -> None:
        search = search_at(str(tmp_path / "index"), tmp_path, {}, embedder)
        await replaced(search, "harbour")
        same_key = [chunk.model_dump_json() for chunk in chunks_of("doc", ["tide"])] * 2
        with pytest.raises(RejectedChunks):
            await search.replace("doc", same_key, namespace="default", revision=2)

    asyncio.run(use())
    assert embedder.num_calls == 2
