"""The routes of search over a real index, without Ray: handles are plain calls."""

import asyncio
import json

import httpx
import numpy as np
import pytest
from fastapi import FastAPI

from configs import Settings
from deployments.ingress.api import index_contents, query
from deployments.ingress.middleware import error_responses
from deployments.ingress.operations.services import Services
from deployments.search.deployment import Search
from retrieval.embedding.vectors import Vectors
from tests.deployments.ingress.handles import Handle
from tests.retrieval.index_making import TEXTS, chunks_of


class Embedder:
    """A vector for dogs and one for all else; `model` None: there is no embedder."""

    def __init__(self):
        self.model = "model@1"

    async def about(self):
        return {"model": self.model}

    async def embed(self, texts):
        rows = [[1.0, 0] if "dog" in text or "hound" in text else [0, 1.0] for text in texts]
        return None if self.model is None else Vectors(np.array(rows, np.float32).reshape(-1, 2), self.model)

    async def warm(self):
        pass

    async def embed_query(self, text):
        return await self.embed([text])


class Server:
    """The routes, the deployment behind them, and what it asks for vectors."""

    def __init__(self, folder, **search):
        self.embedder = Embedder()
        settings = Settings.model_validate({"data_dir": str(folder), "search": search})
        self.search = Search(settings, Handle(self.embedder))
        rooms = dict.fromkeys(("jobs", "pipeline", "renderer", "layout", "ocr", "blobs"))
        services = Services(settings=settings, search=Handle(self.search), **rooms)
        self.app = FastAPI()
        for room in (query, index_contents):
            self.app.include_router(room.router(services))
        error_responses.install(self.app)
        self.runner = asyncio.Runner()

    def run(self, work):
        return self.runner.run(work)

    def ask(self, method, path, **options):
        async def request():
            transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://here", timeout=60) as client:
                return await client.request(method, path, **options)

        return self.run(request())

    def query(self, **options):
        return self.ask("POST", "/v1/query", json=options)

    def add(self, name, texts, namespace="default", **metadata):
        async def added():
            chunks = chunks_of(name, texts)
            await self.search.replace(
                name,
                [chunk.model_dump_json() for chunk in chunks],
                namespace=namespace,
                revision=1,
                metadata=metadata,
            )

        self.run(added())


@pytest.fixture
def server(tmp_path):
    own_server = Server(tmp_path)
    yield own_server
    own_server.runner.close()


def test_before_anything_is_indexed_the_answer_is_empty(server):
    """A new server is no error."""
    response = server.query(query="fox")
    assert (response.status_code, response.json()["passages"]) == (200, [])
    assert server.ask("GET", "/v1/documents").json() == {"documents": [], "next": None}


def test_an_answer_says_how_it_was_found_and_where_it_stands(server):
    """Guards against search that is full text alone without saying so."""
    server.add("doc", TEXTS, lang="en")
    body = server.query(query="hound", k=1, neighbours=1).json()
    (best,) = body["passages"]
    assert (best["document_id"], best["page"], best["heading_path"]) == ("doc", 2, ["Animals", "Mammals"])
    assert best["boxes"][0]["page"] == 2
    assert [passage["text"] for passage in best["before"] + best["after"]] == [TEXTS[0], TEXTS[2]]
    assert (body["mode"], body["embedder"], body["cache"]["tier"]) == ("hybrid", "model@1", "miss")
    assert server.run(server.search.about())["mode"] == "hybrid"  # as /readyz tells it
    server.embedder.model = None
    assert server.run(server.search.about()) == {"mode": "full_text", "embedder": {"model": None}}
    body = server.query(query="dogs").json()
    assert (body["mode"], body["embedder"]) == ("full_text", None)
    refused = server.query(query="dogs", mode="vector")
    assert (refused.status_code, refused.json()["code"]) == (409, "no_embedder")


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"query": ""}, "query"),
        ({"query": "  \n"}, "query"),
        ({"k": 3}, "query"),
        ({"query": "a", "k": 0}, "k"),
        ({"query": "a", "k": 101}, "k"),
        ({"query": "a", "filters": {"author": "x"}}, "'author'; known: document_id, pages, kind, metadata"),
        ({"query": "a", "filters": {"kind": "tabel"}}, "filters.kind"),
        ({"query": "a", "mode": "magic"}, "mode"),
        ({"query": "a", "neighbors": 1}, "neighbors"),
    ],
)
def test_what_cannot_be_asked_is_named(server, options, named):
    """A misspelt filter that is ignored finds what was to be kept out."""
    response = server.ask("POST", "/v1/query", json=options)
    assert response.status_code == 422
    assert named in response.json()["detail"]


@pytest.mark.parametrize(
    "wrong", [{"metadata": {"a": "\ud800"}}, {"metadata": {"\ud800": "a"}}, {"document_id": "\ud800"}]
)
def test_a_filter_that_is_no_text_is_refused(server, wrong):
    """Half a character in JSON must not reach the index as an internal error."""
    body = json.dumps({"query": "a", "filters": wrong})
    response = server.ask("POST", "/v1/query", content=body, headers={"content-type": "application/json"})
    assert response.status_code == 422


def test_vectors_of_another_model_are_409_until_the_index_is_rebuilt(server):
    """Guards against two models in one ranking, and against documents that are lost on the way."""
    server.add("old", TEXTS)
    server.embedder.model = "model@2"
    server.add("new", ["A new text about dogs"])
    response = server.query(query="hound")
    assert (response.status_code, response.json()["code"]) == (409, "reindex_required")
    assert "POST /v1/index/rebuild" in response.json()["detail"]
    assert len(server.query(query="dogs", mode="full_text").json()["passages"]) == 2
    begun = server.ask("POST", "/v1/index/rebuild")
    assert (begun.status_code, begun.json()["rebuilding"]) == (202, True)

    async def ended():
        if server.search._rebuilding is not None:
            await asyncio.wait([server.search._rebuilding])

    server.run(ended())
    state = server.ask("GET", "/v1/index").json()
    assert (state["num_chunks"], state["num_without_vector"], state["embedder"]) == (4, 0, "model@2")
    response = server.query(query="hound", k=2).json()
    assert {passage["document_id"] for passage in response["passages"]} == {"old", "new"}


def test_commits_rebuildings_and_what_an_earlier_process_left_are_tidied_up(server, monkeypatch):
    """Guards against an index that stays without its vector index once it was rebuilt or the server restarted."""
    noted = []

    def note(upkeep):
        noted.append(upkeep)

    monkeypatch.setattr("retrieval.index.maintenance.Upkeep.committed", note)
    server.query(query="fox")
    assert len(noted) == 1
    server.add("doc", TEXTS)
    server.run(server.search.forget("doc", namespace="default"))
    assert len(noted) == 3
    server.ask("POST", "/v1/index/rebuild")

    async def ended():
        while server.search._rebuilding is not None:
            await asyncio.wait([server.search._rebuilding])

    server.run(ended())
    assert len(noted) == 4


def test_groups_and_filters_come_through(server):
    """Each part of a query must reach the index."""
    for name in ("a", "b"):
        server.add(name, TEXTS, lang=name)
    body = server.query(
        query="fox dogs stocks", group_by="document", k=2, passages_per_group=2, mode="full_text"
    ).json()
    assert sorted(group["document_id"] for group in body["groups"]) == ["a", "b"]
    assert [group["passages"] for group in body["groups"]] == [[0, 1], [2, 3]]
    filters = {"document_id": ["b"], "pages": {"first": 1, "last": 1}, "metadata": {"lang": "b"}, "kind": "plain text"}
    body = server.query(query="fox dogs stocks", filters=filters).json()
    assert [passage["chunk_id"] for passage in body["passages"]] == ["b:000000"]


def test_a_forgotten_document_is_gone_also_from_the_cache(server):
    """What a person had forgotten must not come back in an answer."""
    server.add("doc", TEXTS)
    tiers = [server.query(query="fox").json()["cache"]["tier"] for _ in range(2)]
    assert tiers == ["miss", "exact"]
    assert server.query(query="fox", cache="bypass").json()["cache"]["tier"] == "off"
    server.run(server.search.forget("doc", namespace="default"))
    body = server.query(query="fox").json()
    assert (body["passages"], body["cache"]["tier"]) == ([], "miss")


def test_documents_and_chunks_are_listed_page_by_page_in_the_namespace_of_the_caller(server):
    """A document of another namespace must look as if it were not there."""
    for name in ("a", "b/c", "d"):
        server.add(name, TEXTS)
    server.add("foreign", TEXTS, namespace="other")
    first = server.ask("GET", "/v1/documents", params={"limit": 2}).json()
    rest = server.ask("GET", "/v1/documents", params={"limit": 2, "after": first["next"]}).json()
    assert [document["document_id"] for document in first["documents"] + rest["documents"]] == ["a", "b/c", "d"]
    assert rest["next"] is None
    body = server.ask("GET", "/v1/documents/b/c/chunks", params={"first": 1, "limit": 1}).json()
    assert ([chunk["ordinal"] for chunk in body["chunks"]], body["next"]) == ([1], 2)
    missing = server.ask("GET", "/v1/documents/foreign/chunks")
    assert (missing.status_code, missing.json()["code"]) == (404, "not_found")


def test_one_switch_turns_all_off_or_on_and_each_can_be_chosen_alone(tmp_path):
    """A switch that is not wired is worse than none."""

    def parts(**search):
        server = Server(tmp_path, **search)
        server.query(query="fox")
        opened = server.search._opened_index
        server.runner.close()
        return opened.retriever.cache is not None

    assert [parts(), parts(optimized=True), parts(optimized=False)] == [True, True, False]
    assert parts(optimized=False, cache=True)
