"""Extractions as stored jobs, over a real server and a scripted model that can be held."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from configs.api_keys import KeyEntry, hash_of
from deployments.ingress.operations.callers import KeyRing
from tests.deployments.ingress.api.test_extract import SAID, SCHEMA, invoice
from tests.deployments.ingress.scripted_model import Script, scripted_model
from tests.web.house import house

KEYS = [
    KeyEntry(name=name, namespace=name, roles=frozenset({"ingest", "query"}), sha256=hash_of(name))
    for name in ("mine", "theirs")
] + [
    KeyEntry(name="feeder", namespace="mine", roles=frozenset({"ingest"}), sha256=hash_of("feeder")),
    KeyEntry(name="few", namespace="mine", roles=frozenset({"query"}), sha256=hash_of("few"), max_unfinished_jobs=1),
]


class Model:
    """Answers when it is let go."""

    def __init__(self) -> None:
        self.go, self.asked = threading.Event(), threading.Event()
        self.text = json.dumps(SAID)

    def say(self, _: Any) -> str:
        self.asked.set()
        assert self.go.wait(60)
        return self.text


@pytest.fixture(scope="module")
def blocking_calls_fail() -> None:
    """The servers of these tests run in threads of their own."""


@pytest.fixture(scope="module")
def model() -> Model:
    return Model()


@pytest.fixture(scope="module")
def client(model: Model, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    with scripted_model(Script(model.say)) as script:
        answers = {"url": script.url, "model": "tester"}
        with (
            house(tmp_path_factory.mktemp("data"), KeyRing(KEYS), answers=answers) as served,
            httpx.Client(base_url=served.url, headers={"X-API-Key": "mine"}, timeout=60, trust_env=False) as client,
        ):
            served.let_pages(1000)
            yield client
            model.go.set()


@pytest.fixture(autouse=True)
def _held(model: Model) -> None:
    model.go.clear()
    model.asked.clear()
    model.text = json.dumps(SAID)


@pytest.fixture(scope="module")
def job(client: httpx.Client) -> str:
    return client.post("/v1/documents?wait=60", files={"file": ("a.pdf", invoice())}).json()["id"]


def store(client: httpx.Client, job: str, wait: float = 0, key: str = "mine", **options: Any) -> httpx.Response:
    body = {"schema": SCHEMA, "job_id": job} | options
    return client.post(f"/v1/extract?wait={wait}", json=body, headers={"X-API-Key": key})


def test_a_stored_extraction_goes_on_alone_and_its_result_is_fetched_later(
    client: httpx.Client, model: Model, job: str
) -> None:
    answer = store(client, job)
    assert answer.status_code == 202
    assert answer.json()["status"] in ("queued", "running")  # it may begin before its answer is written
    path = answer.headers["Location"]
    assert model.asked.wait(30)
    assert client.get(path).json()["status"] == "running"
    assert client.get(f"{path}/result").json()["code"] == "not_ready"
    model.go.set()
    assert client.get(f"{path}?wait=60").json()["status"] == "succeeded"
    result = client.get(f"{path}/result").json()
    direct = client.post("/v1/extract", json={"schema": SCHEMA, "job_id": job}).json()
    assert result == direct
    assert result["data"] == SAID


def test_with_seconds_to_wait_it_is_answered_when_it_has_ended(client: httpx.Client, model: Model, job: str) -> None:
    model.go.set()
    answer = store(client, job, wait=60)
    assert (answer.status_code, answer.json()["status"], answer.json()["calls_done"]) == (200, "succeeded", 1)


def test_its_events_tell_each_change_until_its_end(client: httpx.Client, model: Model, job: str) -> None:
    path = store(client, job).headers["Location"]
    kinds: list[str] = []
    with client.stream("GET", f"{path}/events") as events:
        for line in events.iter_lines():
            if line.startswith("event: "):
                kinds.append(line.removeprefix("event: "))
                model.go.set()
    assert kinds[-1] == "succeeded"
    assert set(kinds) <= {"queued", "running", "succeeded"}


def test_a_cancelled_one_has_no_result(client: httpx.Client, model: Model, job: str) -> None:
    path = store(client, job).headers["Location"]
    assert model.asked.wait(30)
    assert client.delete(path).json()["status"] == "cancelled"
    assert client.get(f"{path}/result").json()["code"] == "cancelled"
    model.go.set()
    assert client.get(path).json()["status"] == "cancelled"


def test_one_that_fails_says_why(client: httpx.Client, model: Model, job: str) -> None:
    model.text = "no JSON"
    model.go.set()
    answer = store(client, job, wait=60)
    assert (answer.status_code, answer.json()["code"]) == (502, "writer_invalid_json")
    failed = client.get(f"/v1/extractions/{answer.json()['job_id']}")
    assert (failed.json()["status"], failed.json()["error"]["code"]) == ("failed", "writer_invalid_json")


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"schema": {"type": "nothing"}}, "invalid_schema"),
        ({"pages": "7"}, "invalid_option"),
        ({"stream": True}, "invalid_option"),
        ({"job_id": "job_0"}, "not_found"),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_is_stored(
    client: httpx.Client, job: str, options: dict[str, Any], code: str
) -> None:
    assert store(client, job, **options).json()["code"] == code


def test_nothing_of_another_namespace_is_seen_or_changed(client: httpx.Client, model: Model, job: str) -> None:
    path = store(client, job).headers["Location"]
    for method, end in (("GET", ""), ("GET", "/result"), ("GET", "/events"), ("DELETE", "")):
        answer = client.request(method, f"{path}{end}", headers={"X-API-Key": "theirs"})
        assert answer.status_code == 404, (method, end)
    assert client.delete(path, headers={"X-API-Key": "feeder"}).status_code == 403
    model.go.set()
    assert client.get(f"{path}?wait=60").json()["status"] == "succeeded"


def test_a_key_has_no_more_unfinished_ones_than_it_may(client: httpx.Client, model: Model, job: str) -> None:
    path = store(client, job, key="few").headers["Location"]
    assert store(client, job, key="few").json()["code"] == "quota_exceeded"
    client.delete(path)
    assert store(client, job, key="few").status_code == 202
    model.go.set()


def test_it_goes_with_its_document(client: httpx.Client, model: Model) -> None:
    """Guards against values of a document that was deleted, and against a call for it that goes on."""
    options = json.dumps({"document_id": "to go"})
    document = client.post("/v1/documents?wait=60", files={"file": ("b.pdf", invoice())}, data={"options": options})
    path = store(client, document.json()["id"]).headers["Location"]
    assert model.asked.wait(30)
    assert client.delete("/v1/documents/to go").status_code == 204
    assert client.get(path).status_code == 404
    model.go.set()


def test_a_restart_goes_on_with_it(tmp_path_factory: pytest.TempPathFactory) -> None:
    model, folder = Model(), tmp_path_factory.mktemp("lives")
    with scripted_model(Script(model.say)) as script:
        answers = {"url": script.url, "model": "tester"}
        with house(folder, answers=answers) as served:
            served.let_pages(1)
            with httpx.Client(base_url=served.url, timeout=60, trust_env=False) as client:
                job = client.post("/v1/documents?wait=60", files={"file": ("a.pdf", invoice())}).json()["id"]
                path = store(client, job).headers["Location"]
                assert model.asked.wait(30)
        model.go.set()
        with house(folder, answers=answers) as served:
            answer = httpx.get(f"{served.url}{path}?wait=60", timeout=90, trust_env=False)
    assert answer.json()["status"] == "succeeded"
