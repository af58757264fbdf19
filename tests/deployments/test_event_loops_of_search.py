"""What Search and Ingress do with large indices, results and lists of vectors: see `test_event_loops`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import numpy as np
import pytest
from fastapi import FastAPI

from configs import Settings
from deployments.ingress.api import query
from deployments.ingress.facades.openai import routes as openai_routes
from deployments.ingress.operations.services import Services
from deployments.outbound import outbound_requests
from deployments.outbound.outbound_requests import outbound_client
from deployments.search.deployment import Search
from retrieval.embedding.vectors import Vectors
from tests.deployments.ingress.handles import Handle
from tests.deployments.loop_work import LoopWork, watched
from tests.retrieval.index_making import chunks_of

NUM_CHUNKS = 6_000  # of a document of 2,000 pages


class NoEmbedder:
    """Search is full text alone."""

    async def about(self) -> dict[str, Any]:
        return {"model": None}

    async def embed(self, texts: list[str]) -> None:
        return None

    async def embed_query(self, text: str) -> None:
        return None


@pytest.fixture
def search(tmp_path: Path) -> Search:
    """Two documents of 2,000 pages are in its index."""
    return Search(Settings.model_validate({"data_dir": str(tmp_path)}), Handle(NoEmbedder()))


async def filled(search: Search) -> None:
    for name in ("first", "second"):
        texts = [f"Ships wait for the tide number {number}." for number in range(NUM_CHUNKS)]
        chunks = await asyncio.to_thread(
            lambda name=name, texts=texts: [c.model_dump_json() for c in chunks_of(name, texts)]
        )
        await search.replace(name, chunks, namespace="default", revision=1)


def test_documents_of_2000_pages_are_indexed_and_listed_in_threads(search: Search, work: LoopWork) -> None:
    """Guards against a list of documents for which every chunk of theirs becomes a Python object in the loop."""

    async def use() -> None:
        await filled(search)
        documents = await search.documents()
        assert [(one.document_id, one.num_chunks, one.num_embedded) for one in documents] == [
            ("first", NUM_CHUNKS, 0),
            ("second", NUM_CHUNKS, 0),
        ]
        assert len(await search.chunks("first", limit=1001)) == 1001
        await search.state()

    asyncio.run(use())
    work.check()


def test_the_largest_query_is_ranked_and_written_in_threads(search: Search, work: LoopWork) -> None:
    """Guards against passages and neighbours that are made, and turned into JSON, in the loop."""
    rooms: dict[str, Any] = dict.fromkeys(("jobs", "pipeline", "renderer", "layout", "ocr", "blobs"))
    services = Services(settings=Settings(), search=Handle(search), **rooms)
    app = FastAPI()
    app.include_router(query.router(services))

    async def use() -> tuple[httpx.Response, httpx.Response]:
        await filled(search)
        body = {"query": "ships tide", "k": 100, "neighbours": 10}
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here", timeout=60) as client:
            await client.post("/v1/query", json={"query": "ships", "k": 1})
            work.restart()
            response = await client.post("/v1/query", json=body)
            refused = await client.post("/v1/query", json=body | {"group_by": "document"})
        return response, refused

    response, refused = asyncio.run(use())
    passages = response.json()["passages"]
    assert len(passages) == 100
    assert sum(len(passage["before"]) + len(passage["after"]) for passage in passages) > 1_000
    assert refused.status_code == 422
    assert "6300 chunks" in refused.text
    work.check()


def test_2048_vectors_become_json_in_a_thread(work: LoopWork, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against a second of JSON in the loop that all callers share."""

    class Zeros:
        async def embed(self, texts: list[str]) -> Vectors:
            return Vectors(np.full((len(texts), 384), 0.123456789, np.float32), "zeros@1")

    monkeypatch.setattr(openai_routes.Embedder, "find", staticmethod(lambda _: Path("zeros")))
    monkeypatch.setattr(openai_routes, "name_of", lambda _: "zeros")
    monkeypatch.setattr(openai_routes, "counter_for", lambda _: SimpleNamespace(max_tokens=9, count=len))
    rooms: dict[str, Any] = dict.fromkeys(("jobs", "pipeline", "renderer", "layout", "ocr", "search", "blobs"))
    app = FastAPI()
    app.include_router(openai_routes.router(Services(settings=Settings(), embedder=Handle(Zeros()), **rooms)))

    async def use() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here", timeout=60) as client:
            await client.post("/v1/embeddings", json={"model": "zeros", "input": ["a"]})
            work.restart()
            return await client.post("/v1/embeddings", json={"model": "zeros", "input": ["a"] * 2048})

    response = asyncio.run(use())
    body = response.json()
    assert (len(body["data"]), len(body["data"][2047]["embedding"])) == (2048, 384)
    assert body["usage"] == {"prompt_tokens": 2048, "total_tokens": 2048}
    work.check()


def test_certificates_are_read_once_and_in_a_thread(work: LoopWork, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against 25 ms of the loop for each webhook, scrape and fetched document."""
    outbound_requests._certificates.cache_clear()
    threads = watched(monkeypatch, outbound_requests.httpx, "create_ssl_context")

    async def use() -> None:
        for _ in range(3):
            async with outbound_client(1):
                pass

    asyncio.run(use())
    assert (len(threads.names), threads.in_loop) == (1, 0)
    assert not work.conversions
