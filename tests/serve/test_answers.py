"""Answers and completions through the whole server, by a language model of random weights."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tests.serve.files import pdf
from tests.serve.fresh import fresh_parts
from tests.serve.gates import leave, until

pytestmark = pytest.mark.serve
ASKED = {"query": "harbour", "mode": "full_text", "answer": True}


@pytest.fixture(scope="module")
def indexed(client: httpx.Client) -> None:
    """A document that the questions find."""
    files = {"file": ("a.pdf", pdf(1, title="The harbour master keeps the log"))}
    assert client.post("/v1/documents", params={"wait": 100}, files=files).json()["status"] == "succeeded"


def test_completions_of_several_clients_share_steps(client: httpx.Client) -> None:
    """Guards against a model that serves one client at a time; the outputs are long enough to meet."""
    with ThreadPoolExecutor(4) as clients:
        bodies = [{"prompt": "Once", "num_tokens": 400 + k} for k in range(4)]
        responses = list(clients.map(lambda body: client.post("/inference", json=body), bodies))
    assert [response.status_code for response in responses] == [200] * 4
    assert client.get("/stats").json()["throughput"] > 0
    assert fresh_parts(client)["lm"]["largest_step"] > 1


@pytest.mark.usefixtures("indexed")
def test_an_answer_is_streamed_after_its_passages(client: httpx.Client) -> None:
    """Guards against a stream that comes in one piece at the end, or not at all."""
    kinds: list[str] = []
    with client.stream("POST", "/v1/query", json=ASKED | {"stream": True}) as answer:
        assert answer.status_code == 200
        kinds += [line.removeprefix("event: ") for line in answer.iter_lines() if line.startswith("event: ")]
    assert (kinds[0], kinds[-1]) == ("passages", "answer")
    assert kinds.count("token") > 2


@pytest.mark.usefixtures("indexed")
def test_a_client_that_leaves_an_answer_or_a_completion_frees_its_decode_slot(client: httpx.Client) -> None:
    """Guards against tokens for nobody."""
    before = _lm(client)["num_aborted"]
    with client.stream("POST", "/v1/query", json=ASKED | {"stream": True}) as answer:
        assert any("token" in line for line in answer.iter_lines())
    until(lambda: _lm(client)["num_running"] == 0)
    leave(
        client,
        "/inference",
        once=lambda: _lm(client)["num_running"] == 1,
        json={"prompt": "Once", "num_tokens": 30_000},
    )
    until(lambda: _lm(client)["num_running"] == 0)
    about = _lm(client)
    assert about["num_aborted"] == before + 2
    assert about["num_free_blocks"] == about["num_blocks"]


def _lm(client: httpx.Client) -> dict:
    return fresh_parts(client)["lm"]
