"""Answers and completions over HTTP, by a language model of random weights or a writer that says what a test wants."""

import asyncio
import dataclasses
import json

import httpx
import pytest
from fastapi import FastAPI

from configs import Settings
from configs.model_settings import AnswerSettings
from deployments.ingress.api import health, query
from deployments.ingress.facades.earlier import inference
from deployments.ingress.middleware import error_responses
from deployments.ingress.operations.generated_answers import answers_by
from deployments.ingress.operations.services import Services
from deployments.lm.deployment import Lm
from deployments.search.deployment import Search
from retrieval.answers.answer import Answerer
from tests.deployments.ingress.api.test_query import Embedder
from tests.deployments.ingress.handles import Handle, all_running
from tests.deployments.lm_making import save_lm
from tests.deployments.writers.test_chat_writer import KEY, ChatServer, chunk, serving
from tests.retrieval.answers.test_answer import Writer
from tests.retrieval.index_making import TEXTS, chunks_of


class About:
    """A part that is ready."""

    async def about(self):
        return {"model": "part"}


class Server:
    """The routes over a search, and whoever writes answers."""

    def __init__(self, folder, answers=None, lm=None):
        settings = Settings.model_validate({"data_dir": str(folder)})
        self.embedder, self.runner = Embedder(), asyncio.Runner()
        self.search = Search(settings, Handle(self.embedder))
        rooms = dict.fromkeys(("jobs", "pipeline", "renderer", "layout", "ocr"), Handle(About()))
        rooms |= {"blobs": None, "search": Handle(self.search)}
        self.services = services = Services(settings=settings, lm=lm, answers=answers, running=all_running, **rooms)
        self.app = FastAPI()
        for room in (query, inference, health):
            self.app.include_router(room.router(services))
        error_responses.install(self.app)

    def ask(self, method, path, **options):
        async def request():
            transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://here", timeout=60) as client:
                return await client.request(method, path, **options)

        return self.runner.run(request())

    def query(self, **options):
        return self.ask("POST", "/v1/query", json={"answer": True} | options)

    def add(self):
        async def added():
            chunks = chunks_of("doc", TEXTS)
            await self.search.replace(
                "doc", [chunk.model_dump_json() for chunk in chunks], namespace="default", revision=1
            )

        self.runner.run(added())


@pytest.fixture
def server(tmp_path):
    """A server whose writer says what it is given."""
    servers = []

    def serve(*outputs):
        answers = Answerer(Writer(*outputs), max_tokens=50, prompt_tokens=1000) if outputs else None
        servers.append(Server(tmp_path, answers))
        servers[-1].add()
        return servers[-1]

    yield serve
    for app_server in servers:
        app_server.runner.close()


@pytest.fixture(scope="module")
def lm_folder(tmp_path_factory):
    return save_lm(tmp_path_factory.mktemp("lm"))


def events_of(text):
    return [
        (kind.removeprefix("event: "), json.loads(body.removeprefix("data: ")))
        for kind, body in (event.split("\n") for event in text.split("\n\n") if event)
    ]


def test_an_answer_comes_with_its_passages_and_names_them(server):
    """A citation must lead to a passage of the same reply."""
    response = server("Foxes jump", " [1]", " and more [9].").query(query="fox", k=2)
    body = response.json()
    assert (response.status_code, body["answer"]["outcome"]) == (200, "answered")
    assert body["answer"]["text"] == "Foxes jump [1] and more."
    (cited,) = body["answer"]["citations"]
    best = body["passages"][0]
    assert (cited["number"], cited["chunk_id"], cited["boxes"]) == (1, best["chunk_id"], best["boxes"])
    assert body["answer"]["dropped"] == ["9"]


def test_without_being_asked_nobody_writes(server):
    """Guards against a bill for answers that nobody reads."""
    assert server("Never said.").query(query="fox", answer=False).json()["answer"] is None


def test_nothing_found_is_said_and_no_model_is_asked(server):
    """Guards against an answer from no passage."""
    body = server("Invented [1].").query(query="fox", filters={"document_id": "other"}).json()
    assert (body["passages"], body["answer"]["outcome"], body["answer"]["text"]) == ([], "not_found", "")
    assert server("NOT_FOUND").query(query="fox").json()["answer"]["outcome"] == "not_found"


def test_a_stream_gives_passages_then_text_then_the_answer(server):
    """A reader sees the passages while the answer is written."""
    response = server("Foxes ", "jump [1].").query(query="fox", stream=True)
    assert response.headers["content-type"].startswith("text/event-stream")
    (first, passages), *tokens, (last, answer) = events_of(response.text)
    assert (first, last) == ("passages", "answer")
    assert passages["passages"][0]["document_id"] == "doc"
    assert {kind for kind, _ in tokens} == {"token"}
    assert "".join(body["text"] for _, body in tokens) == answer["text"] == "Foxes jump [1]."


def test_a_writer_that_breaks_leaves_the_passages(server):
    """A fault of ours in the middle of a stream is told, since the status is out."""
    response = server("Half ", RuntimeError("a fault")).query(query="fox", stream=True)
    assert [kind for kind, _ in events_of(response.text)] == ["passages", "token", "error"]


def test_a_stream_without_an_answer_is_refused(server):
    """A field that does nothing is a mistake of the caller."""
    response = server("So.").query(query="fox", answer=False, stream=True)
    assert (response.status_code, "stream needs answer" in response.json()["detail"]) == (422, True)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v1/query", {"query": "fox", "answer": True}),
        ("POST", "/inference", {"prompt": "Once", "num_tokens": 5}),
        ("GET", "/stats", None),
    ],
)
def test_without_a_language_model_that_is_said(server, method, path, body):
    """And nobody is told to come again."""
    response = server().ask(method, path, json=body)
    assert (response.status_code, response.json()["code"], response.json()["retryable"]) == (
        503,
        "lm_not_configured",
        False,
    )
    assert "retry-after" not in response.headers


def test_the_server_that_the_settings_name_writes_where_there_is_one(tmp_path):
    """Guards against `answers.url` being ignored where a model of our own is there as well."""
    chat = ChatServer(chunk("Foxes ") + chunk("jump [1].") + chunk(None, "stop") + "data: [DONE]\n\n")
    own_server = Server(tmp_path)
    own_server.add()

    async def request():
        async with serving(chat) as url:
            settings = AnswerSettings(url=url, model="tester", key_variable="THE_KEY")
            answers = answers_by(settings, Handle(None), {"THE_KEY": KEY})
            app = FastAPI()
            app.include_router(query.router(dataclasses.replace(own_server.services, answers=answers)))
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://here", timeout=60) as client:
                return (await client.post("/v1/query", json={"query": "fox", "answer": True})).json()["answer"]

    answer_body = own_server.runner.run(request())
    own_server.runner.close()
    assert (answer_body["outcome"], answer_body["text"], answer_body["model"]) == (
        "answered",
        "Foxes jump [1].",
        "tester",
    )
    ((_, headers, body),) = chat.asked
    assert headers["authorization"] == f"Bearer {KEY}"
    assert TEXTS[0] in body["messages"][-1]["content"]


@pytest.fixture
def with_lm(tmp_path, lm_folder):
    """A server with a language model of its own."""
    settings = Settings.model_validate({"lm": {"model": str(lm_folder), "num_blocks": 200}})
    lm = Lm(settings)
    lm_server = Server(tmp_path, answers_by(settings.answers, Handle(lm), {}), Handle(lm))
    lm_server.runner.run(lm.check_health())
    lm_server.add()
    yield lm_server
    lm_server.runner.run(lm._served.engine.close())
    lm_server.runner.close()


def test_completions_and_stats_have_the_form_of_earlier_clients(with_lm):
    """Their client posts prompt and num_tokens, and reads these names."""
    response = with_lm.ask("POST", "/inference", json={"prompt": "Once", "num_tokens": 12})
    assert (response.status_code, list(response.json())) == (200, ["completion"])
    assert response.json()["completion"]
    stats = with_lm.ask("GET", "/stats").json()
    assert set(stats) == {"latency-per-token", "throughput"}
    assert all(value > 0 for value in stats.values())
    assert with_lm.ask("GET", "/readyz").json()["parts"]["lm"]["mode"] == "continuous"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"num_tokens": 5}, "invalid_parameter"),
        ({"prompt": "a", "num_tokens": 0}, "invalid_parameter"),
        ({"prompt": "a", "num_tokens": "many"}, "invalid_parameter"),
        ({"prompt": "a", "tokens": 5}, "invalid_parameter"),
        ({"prompt": "a" * 3000, "num_tokens": 500}, "prompt_refused"),
        ({"prompt": "a", "num_tokens": 10**9}, "prompt_refused"),
    ],
)
def test_what_cannot_be_completed_is_422(with_lm, body, code):
    """A completion that is cut short would break the count of the client."""
    response = with_lm.ask("POST", "/inference", json=body)
    assert (response.status_code, response.json()["code"]) == (422, code)


def test_our_own_model_writes_where_no_other_is_named(with_lm):
    """Guards against the setting that nobody reads."""
    response = with_lm.query(query="fox", stream=True)
    kinds = [kind for kind, _ in events_of(response.text)]
    assert (kinds[0], kinds[-1]) == ("passages", "answer")
    answer = events_of(response.text)[-1][1]
    assert answer["error"] is None
    assert answer["num_passages"] == 3
    assert answer["text"] == "".join(body["text"] for kind, body in events_of(response.text) if kind == "token")
