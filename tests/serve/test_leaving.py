"""Clients that go away: what they asked for ends when they wanted that, and goes on when they did not."""

from __future__ import annotations

import json

import httpx
import psutil
import pytest

from tests.serve.files import pdf, png
from tests.serve.fresh import fresh_parts
from tests.serve.gates import leave, standing_still, until

pytestmark = pytest.mark.serve


def test_a_client_that_leaves_an_ocr_stream_frees_its_decode_slots(client: httpx.Client) -> None:
    """Guards against sequences that decode on for nobody."""
    before = _parts(client)["ocr"]["num_aborted"]
    files = {"image": ("a.png", png(repeats=12))}
    with client.stream("POST", "/v1/ocr", files=files, data={"stream": "true"}) as answer:
        next(answer.iter_lines())
    until(lambda: _parts(client)["ocr"]["num_running"] == 0)
    ocr = _parts(client)["ocr"]
    assert ocr["num_free_blocks"] == ocr["num_blocks"]
    assert ocr["num_aborted"] > before


def test_a_client_that_wants_it_so_cancels_its_job_by_leaving(
    client: httpx.Client, replicas: dict[str, psutil.Process]
) -> None:
    """Guards against the option `cancel_on_disconnect` being taken and ignored."""
    with standing_still(replicas["Ocr"]):
        job = _left(client, "Cancel me", {"cancel_on_disconnect": True})
        assert client.get(f"/v1/jobs/{job}", params={"wait": 60}).json()["status"] == "cancelled"


def test_a_job_goes_on_without_its_client(client: httpx.Client, replicas: dict[str, psutil.Process]) -> None:
    """Guards against uploads that are lost when a client's patience ends."""
    with standing_still(replicas["Ocr"]):
        job = _left(client, "Go on", {})
    assert client.get(f"/v1/jobs/{job}", params={"wait": 100}).json()["status"] == "succeeded"


def _left(client: httpx.Client, title: str, options: dict[str, object]) -> str:
    """The job of a client that left while its pages were read."""
    job_ids = {job["id"] for job in _jobs(client)}
    leave(
        client,
        "/v1/documents",
        once=lambda: any(job["id"] not in job_ids and job["status"] == "running" for job in _jobs(client)),
        params={"wait": 100},
        files={"file": ("a.pdf", pdf(4, title=title, repeats=12))},
        data={"options": json.dumps({"text_source": "ocr"} | options)},
    )
    (job,) = [job["id"] for job in _jobs(client) if job["id"] not in job_ids]
    return job


def _jobs(client: httpx.Client) -> list[dict]:
    return client.get("/v1/jobs").json()["jobs"]


def _parts(client: httpx.Client) -> dict:
    return fresh_parts(client)
