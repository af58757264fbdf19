"""POST /retrieval over a real index and the real middlewares: what Dify sends, and how it reads the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import numpy as np
import pytest

from configs import Settings
from configs.api_keys import KeyEntry, new_key
from deployments.ingress.app import create_app
from deployments.ingress.facades.dify.retrieval import scores_of
from deployments.ingress.operations.callers import KeyRing
from deployments.ingress.operations.services import Services
from deployments.search.deployment import Search
from deployments.storage.folder_blobs import FolderBlobs
from retrieval.embedding.vectors import Vectors
from retrieval.search.passage import DocumentSource
from retrieval.search.query import Result
from tests.deployments.ingress.handles import Handle
from tests.retrieval.index_making import TEXTS, chunks_of

KEYS = {name: new_key() for name in ("reader", "writer")}
ENTRIES = [
    KeyEntry(name="reader", sha256=KEYS["reader"][1], namespace="manuals", roles=frozenset({"query"})),
    KeyEntry(name="writer", sha256=KEYS["writer"][1], namespace="manuals", roles=frozenset({"ingest"})),
]
BEARER = {"Authorization": f"Bearer {KEYS['reader'][0]}"}


class Embedder:
    """Vectors of two axes: dogs, and all else; a hound is between them."""

    def __init__(self) -> None:
        self.model: str | None = "model@1"

    async def about(self) -> dict[str, Any]:
        return {"model": self.model}

    async def embed(self, texts: list[str]) -> Vectors | None:
        rows = [[0.6, 0.8] if "hound" in text else [1.0, 0] if "dog" in text else [0, 1.0] for text in texts]
        return None if self.model is None else Vectors(np.array(rows, np.float32), self.model)

    async def embed_query(self, text: str) -> Vectors | None:
        return await self.embed([text])


class Server:
    """All routes, over a search whose index is filled by the test."""

    def __init__(self, folder: Path) -> None:
        self.embedder = Embedder()
        settings = Settings.model_validate({"data_dir": str(folder), "public_url": "https://pages.example"})
        self.search = Search(settings, Handle(self.embedder))  # type: ignore[arg-type]
        rooms: dict[str, Any] = dict.fromkeys(("jobs", "pipeline", "renderer", "layout", "ocr"))
        rooms |= {"search": Handle(self.search), "blobs": FolderBlobs(folder / "blobs"), "keys": KeyRing(ENTRIES)}
        self.app = create_app(Services(settings=settings, **rooms))
        self.runner = asyncio.Runner()

    def post(self, content: Any, headers: dict[str, str] = BEARER) -> httpx.Response:
        async def request() -> httpx.Response:
            transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://here", timeout=60) as client:
                return await client.post("/retrieval", json=content, headers=headers)

        return self.runner.run(request())

    def retrieve(
        self, query: str, threshold: float = 0.0, top_k: int | None = 5, **fields: Any
    ) -> list[dict[str, Any]]:
        setting = {"top_k": top_k, "score_threshold": threshold}
        answer = self.post({"knowledge_id": "manuals", "query": query, "retrieval_setting": setting} | fields)
        assert answer.status_code == 200, answer.text
        return answer.json()["records"]

    def add(self, name: str, texts: list[str], source: DocumentSource | None = None, **metadata: str) -> None:
        async def added() -> None:
            chunks = chunks_of(name, texts)
            await self.search.replace(
                name,
                [chunk.model_dump_json() for chunk in chunks],
                namespace="manuals",
                revision=1,
                metadata=metadata,
                source=source or DocumentSource(file_name=f"{name}.pdf", title="Animals", page_labels={2: "ii"}),
            )

        self.runner.run(added())


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    own_server = Server(tmp_path)
    yield own_server
    own_server.runner.close()


def test_a_record_is_a_passage_with_its_place(server: Server):
    """Guards against metadata that is null, which Dify's workflows drop the record for, and against a dead link."""
    server.add("zoo", TEXTS, lang="en")
    best, *_ = server.retrieve("lazy dogs")
    assert (best["content"], best["title"], best["score"]) == (TEXTS[1], "Animals", pytest.approx(1, abs=0.01))
    about = best["metadata"]
    assert about.pop("boxes") == [{"page": 2, "box": {"x0": 72, "y0": 10, "x1": 300.5, "y1": 19}, "place": None}]
    assert about == {
        "lang": "en",
        "document_id": "zoo",
        "file_name": "zoo.pdf",
        "page": 2,
        "page_label": "ii",
        "link": "https://pages.example/#/documents/zoo/pages/2?revision=1&box=72,10,300.5,19",
    }


def test_a_document_without_a_name_has_its_id_as_title_and_no_null(server: Server):
    """Guards against null among the metadata, which programs behind Dify read as they are."""
    server.add("zoo", ["a dog"], source=DocumentSource())
    (record,) = server.retrieve("dog")
    assert record["title"] == "zoo"
    assert (record["metadata"]["page_label"], record["metadata"].get("file_name", "left out")) == ("1", "left out")


def test_dify_that_sorts_by_score_keeps_our_ranking(server: Server):
    """Guards against a ranking by words and vectors that the scores of vectors alone undo."""
    server.add("zoo", ["a dog", "dog dog dog hound", "hound hound", "stocks"])
    records = server.retrieve("dog hound")
    scores = [record["score"] for record in records]
    assert len(records) == 4
    assert all(0 <= score <= 1 for score in scores)
    assert sorted(records, key=lambda record: record["score"] or 0.0, reverse=True) == records


@pytest.mark.parametrize(
    ("mode", "own", "expected"),
    [
        ("hybrid", [0.5, 0.9, None, 0.2], [0.9, 0.9, 0.2, 0.2]),
        ("hybrid", [None, None], [0, 0]),
        ("hybrid", [0.5, -0.3], [0.5, 0]),
        ("vector", [1.0000001, 0.4], [1, 0.4]),
        ("full_text", [8, 4, 1], [1, 0.5, 0.125]),
        ("full_text", [], []),
    ],
)
def test_scores_are_shares_that_never_rise(mode: Any, own: list[Any], expected: list[float]):
    """Guards against scores outside of 0 to 1: those of a fused ranking are 0.03 at the best, BM25's have no limit."""
    passages = [SimpleNamespace(score=score, scores=SimpleNamespace(vector=score)) for score in own]
    result = Result.model_construct(passages=tuple(passages), mode=mode, embedder=None, index_version=1)
    assert scores_of(result) == pytest.approx(expected)


def test_a_threshold_leaves_out_what_is_below_it(server: Server):
    """Guards against a threshold that is compared with a score that is not shown."""
    server.add("zoo", ["a dog", "a hound", "stocks"])
    assert [record["content"] for record in server.retrieve("dog", threshold=0.9)] == ["a dog"]
    assert [record["content"] for record in server.retrieve("dog", threshold=0.5)] == ["a dog", "a hound"]
    assert len(server.retrieve("dog")) == 3
    assert len(server.retrieve("dog", top_k=2)) == 2
    assert len(server.retrieve("dog", top_k=None)) == 3


def test_without_an_embedder_the_best_match_of_words_has_the_score_1(server: Server):
    """Guards against an answer that is always empty where a threshold is set."""
    server.embedder.model = None
    server.add("zoo", ["dog dog dog", "a dog and many other words that are about something else"])
    scores = [record["score"] for record in server.retrieve("dog")]
    assert scores[0] == 1
    assert 0 < scores[1] < 1
    assert len(server.retrieve("dog", threshold=1.0)) == 1


def test_conditions_narrow_what_is_searched(server: Server):
    """The body that Dify makes of a condition in a workflow; null is what it sends where nothing is set."""
    server.add("old", ["a dog"], year="2020")
    server.add("new", ["a dog"], year="2024")
    condition = {"name": "year", "comparison_operator": "is", "value": "2024"}
    records = server.retrieve("dog", metadata_condition={"logical_operator": "and", "conditions": [condition]})
    assert [record["metadata"]["document_id"] for record in records] == ["new"]
    assert len(server.retrieve("dog", metadata_condition={"logical_operator": None, "conditions": None})) == 2
    pages = [{"name": "page", "comparison_operator": sign, "value": page} for sign, page in (("≥", 5), ("≤", 3))]
    assert server.retrieve("dog", metadata_condition={"logical_operator": "and", "conditions": pages}) == []
    refused = server.post(
        {
            "knowledge_id": "manuals",
            "query": "dog",
            "retrieval_setting": {"top_k": 5, "score_threshold": 0.0},
            "metadata_condition": {"conditions": [condition | {"comparison_operator": "contains"}]},
        }
    )
    assert (refused.status_code, refused.json()["error_code"]) == (422, 422)
    assert "contains" in refused.json()["error_msg"]


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({}, 403, 1001),
        ({"Authorization": "Basic abc"}, 403, 1001),
        ({"Authorization": "Bearer "}, 403, 1001),
        ({"Authorization": "Bearer wrong"}, 403, 1002),
        ({"Authorization": f"Bearer {KEYS['writer'][0]}"}, 403, 1002),
        (BEARER, 404, 2001),
    ],
)
def test_errors_have_the_form_and_the_codes_of_dify(server: Server, headers: dict[str, str], status: int, code: int):
    """Dify looks for 403 when a key is entered: with 401 it would take a wrong one."""
    setting = {"top_k": 1, "score_threshold": 0.0}
    answer = server.post({"knowledge_id": "others", "query": "dog", "retrieval_setting": setting}, headers)
    body = answer.json()
    assert (answer.status_code, body["error_code"]) == (status, code)
    assert body["error_msg"] == body["detail"]


def test_the_call_without_a_body_by_which_dify_tries_an_address_is_no_wrong_key(server: Server):
    """It takes 403, 404 and 502 for a wrong key or address, and any other status for a server."""
    assert server.post(None).status_code == 422
    assert server.post(None, {"Authorization": "Bearer wrong"}).status_code == 403
