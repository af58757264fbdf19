"""Clients that go away: what they asked for ends when they wanted that, and goes on when they did not."""

from __future__ import annotations

import json
import threading

import httpx
import pytest

from tests.serve.files import pdf, png

pytestmark = pytest.mark.serve


def test_a_client_that_leaves_an_ocr_stream_frees_its_decode_slots(client: httpx.Client) -> None:
    """Guards against sequences that decode on for nobody."""
    before = client.get("/readyz").json()["parts"]["ocr"]["num_aborted"]
    files = {"image": ("a.png", png(repeats=12))}
    with client.stream("POST", "/v1/ocr", files=files, data={"stream": "true"}) as answer:
        next(answer.iter_lines())
    told = _until(client, lambda parts: parts["ocr"]["num_running"] == 0)
    assert told["ocr"]["num_free_blocks"] == told["ocr"]["num_blocks"]
    assert told["ocr"]["num_aborted"] > before


def test_a_client_that_wants_it_so_cancels_its_job_by_leaving(client: httpx.Client) -> None:
    """Guards against the option `cancel_on_disconnect` being taken and ignored."""
    job = _left(client, "Cancel me", 20, {"cancel_on_disconnect": True})
    assert client.get(f"/v1/jobs/{job}", params={"wait": 60}).json()["status"] == "cancelled"


def test_a_job_goes_on_without_its_client(client: httpx.Client) -> None:
    """Guards against uploads that are lost when a client's patience ends."""
    job = _left(client, "Go on", 4, {})
    assert client.get(f"/v1/jobs/{job}", params={"wait": 100}).json()["status"] == "succeeded"


def _left(client: httpx.Client, title: str, num_pages: int, options: dict[str, object]) -> str:
    """The job of a client that waited for half a second only."""
    known = {job["id"] for job in client.get("/v1/jobs").json()["jobs"]}
    with pytest.raises(httpx.ReadTimeout):
        client.post(
            "/v1/documents",
            params={"wait": 100},
            files={"file": ("a.pdf", pdf(num_pages, title=title, repeats=12))},
            data={"options": json.dumps({"text_source": "ocr"} | options)},
            timeout=0.7,
        )
    (job,) = [job["id"] for job in client.get("/v1/jobs").json()["jobs"] if job["id"] not in known]
    return job


def _until(client: httpx.Client, holds) -> dict:
    """What /readyz tells of its parts once that holds."""
    pause = threading.Event()
    for _ in range(100):
        told = client.get("/readyz").json()["parts"]
        if holds(told):
            return told
        pause.wait(0.1)
    raise AssertionError(told)
