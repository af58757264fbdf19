"""Webhooks over HTTP: what is refused before a job is taken, what arrives, and what could not be delivered."""

from __future__ import annotations

import base64
import json
import queue
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from configs.api_keys import KeyEntry, hash_of
from deployments.ingress.operations.callers import KeyRing
from tests.serve.files import pdf
from tests.web.house import House, house

KEYS = [
    KeyEntry(name=name, namespace=name, roles=frozenset({"ingest", "query"}), sha256=hash_of(name))
    for name in ("mine", "theirs")
]
SECRET = "a secret of the caller"
WEBHOOKS = {"enabled": True, "allow": ["127.0.0.1"], "pause_s": 0.05, "max_attempts": 2}


class Receiver:
    """A server on loopback that keeps what it is sent; paths that end in /500 fail."""

    def __init__(self) -> None:
        self.bodies: queue.Queue[tuple[dict[str, str], Any]] = queue.Queue()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                self.send_response(500 if self.path.endswith("/500") else 200)
                self.send_header("content-length", "0")
                self.end_headers()
                receiver.bodies.put(({name.lower(): value for name, value in self.headers.items()}, body))

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def next(self) -> tuple[dict[str, str], Any]:
        return self.bodies.get(timeout=30)


@pytest.fixture(scope="module")
def blocking_calls_fail() -> None:
    """The servers of these tests run in threads of their own."""


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    thread = threading.Thread(target=receiver.server.serve_forever)
    thread.start()
    yield receiver
    receiver.server.shutdown()
    receiver.server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house(tmp_path_factory.mktemp("data"), KeyRing(KEYS), webhooks=WEBHOOKS) as served:
        served.let_pages(1000)
        yield served


@pytest.fixture(scope="module")
def client(served: House) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=served.url, headers={"X-Api-Key": "mine"}, timeout=60, trust_env=False) as client:
        yield client


def ingest(client: httpx.Client, webhook: dict[str, Any]) -> httpx.Response:
    options = json.dumps({"webhook": webhook})
    return client.post("/v1/documents", files={"file": ("a.pdf", pdf(1))}, data={"options": options})


def test_a_job_tells_an_address_how_it_ended(client: httpx.Client, receiver: Receiver) -> None:
    job = ingest(client, {"url": f"{receiver.url}/hook", "secret": SECRET}).json()
    headers, body = receiver.next()
    assert (body["type"], body["data"]["job_id"]) == ("job.succeeded", job["id"])
    assert headers["webhook-signature"].startswith("v1,")


@pytest.mark.parametrize(
    ("webhook", "words"),
    [
        ({"url": "http://169.254.169.254/latest/meta-data", "secret": SECRET}, "not public"),
        ({"url": "http://10.0.0.1/", "secret": SECRET}, "webhooks.allow"),
        ({"url": "http://[::1]/", "secret": SECRET}, "not public"),
        ({"url": "http://localhost.localdomain.invalid/", "secret": SECRET}, "cannot be resolved"),
        ({"url": "ftp://127.0.0.1/", "secret": SECRET}, "only http and https"),
        ({"url": "http://u:p@127.0.0.1/", "secret": SECRET}, "name and password"),
        ({"url": "http://127.0.0.1/"}, "secret is missing"),
        ({"url": "http://127.0.0.1/", "secret": "short"}, "at least 16"),
        ({"url": "http://127.0.0.1/", "secret": "whsec_abcdefghijk"}, "not base64"),
        ({"url": "http://1.1.1.1:99999/", "secret": SECRET}, "65535"),
        ({"url": "http://127.0.0.1/", "secret": SECRET, "events": ["nothing"]}, "events"),
    ],
)
def test_an_address_that_must_not_be_told_is_refused_and_nothing_is_kept(
    client: httpx.Client, webhook: dict[str, Any], words: str
) -> None:
    before = len(client.get("/v1/jobs").json()["jobs"])
    answer = ingest(client, webhook)
    assert answer.status_code == 422
    assert words in answer.json()["detail"]
    assert len(client.get("/v1/jobs").json()["jobs"]) == before


def test_dead_letters_are_read_by_their_own_namespace(client: httpx.Client, receiver: Receiver) -> None:
    job = ingest(client, {"url": f"{receiver.url}/500", "secret": SECRET}).json()
    receiver.next(), receiver.next()  # both attempts
    letters: list[Any] = []
    while not letters:
        letters = client.get("/v1/webhooks/dead").json()["dead"]
    assert (letters[0]["job_id"], letters[0]["attempts"]) == (job["id"], 2)
    assert letters[0]["body"]["type"] == "job.succeeded"
    assert client.get("/v1/webhooks/dead", headers={"X-Api-Key": "theirs"}).json()["dead"] == []


def test_without_the_setting_no_address_is_told(tmp_path_factory: pytest.TempPathFactory) -> None:
    with (
        house(tmp_path_factory.mktemp("off")) as server,
        httpx.Client(base_url=server.url, timeout=60, trust_env=False) as client,
    ):
        answer = ingest(client, {"url": "http://127.0.0.1/", "secret": SECRET})
        sources = [{"kind": "file", "base64_string": base64.b64encode(pdf(1)).decode(), "filename": "a.pdf"}]
        body = {"sources": sources, "callbacks": [{"url": "http://127.0.0.1/"}]}
        docling = client.post("/v1/convert/source/async", json=body)
    assert [response.json()["code"] for response in (answer, docling)] == ["webhook_refused"] * 2
    assert "webhooks.enabled" in docling.json()["detail"]


@pytest.mark.parametrize("path", ["/v1/convert/source/async", "/v1/convert/source"])
def test_docling_callbacks_are_told_in_their_own_words(client: httpx.Client, receiver: Receiver, path: str) -> None:
    """Also where the conversion is waited for, and forgotten before the address has answered."""
    content = base64.b64encode(pdf(1)).decode()
    sources = [{"kind": "file", "base64_string": content, "filename": name} for name in ("a.pdf", "b.pdf")]
    callbacks = [{"url": f"{receiver.url}/docling", "headers": {"Authorization": "Bearer x"}}]
    answer = client.post(path, json={"sources": sources, "callbacks": callbacks})
    assert answer.status_code == 200, answer.text
    events = [receiver.next() for _ in range(4)]
    kinds = [body["progress"]["kind"] for _, body in events]
    assert sorted(kinds) == ["document_completed", "document_completed", "set_num_docs", "update_processed"]
    assert all(headers["authorization"] == "Bearer x" for headers, _ in events)
    (task_id,) = {body["task_id"] for _, body in events}
    if path.endswith("async"):
        assert task_id == answer.json()["task_id"]
    summary = next(body["progress"] for _, body in events if body["progress"]["kind"] == "update_processed")
    assert (summary["num_processed"], summary["num_succeeded"]) == (2, 2)


def test_a_header_of_a_callback_that_no_request_can_have_is_refused(client: httpx.Client) -> None:
    """Guards against events that are on their way for ever."""
    sources = [{"kind": "file", "base64_string": base64.b64encode(pdf(1)).decode(), "filename": "a.pdf"}]
    body = {"sources": sources, "callbacks": [{"url": "http://127.0.0.1/", "headers": {"x": "\u00e9"}}]}
    answer = client.post("/v1/convert/source/async", json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "webhook_refused")


def test_a_certificate_of_a_callback_is_refused_and_not_ignored(client: httpx.Client) -> None:
    sources = [{"kind": "file", "base64_string": base64.b64encode(pdf(1)).decode(), "filename": "a.pdf"}]
    body = {"sources": sources, "callbacks": [{"url": "http://127.0.0.1/", "ca_cert": "x"}]}
    answer = client.post("/v1/convert/source/async", json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "webhook_refused")
