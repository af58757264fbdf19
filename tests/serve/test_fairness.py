"""A long document does not hold up a short one."""

from __future__ import annotations

import json
from collections import Counter

import httpx
import psutil
import pytest

from configs.settings import LimitSettings
from tests.serve.files import pdf
from tests.serve.gates import standing_still, until

pytestmark = pytest.mark.serve
NUM_WORKERS = LimitSettings().max_pages_in_flight
NUM_PAGES = 20  # of the long document


def test_one_page_is_done_before_a_long_document_that_came_first(
    client: httpx.Client, replicas: dict[str, psutil.Process]
) -> None:
    """Guards against a queue in which everybody waits for whoever came first.

    The gate is Ocr, which stands still: a worker that has taken a page for OCR keeps it until that page's job is
    cancelled. So each cancelled holder frees one worker, whose choice then shows in what is in flight.
    """
    with standing_still(replicas["Ocr"]):
        holders = [_sent(client, f"Holder {number}") for number in range(NUM_WORKERS)]
        until(lambda: _num_running(client, *holders) == NUM_WORKERS)
        long = _sent(client, "A long one", NUM_PAGES)
        short = _sent(client, "A short one", text_source="text_layer")
        try:
            while holders:
                client.delete(holders.pop())
                until(lambda: _ended(client, short) or _num_running(client, long, *holders) == NUM_WORKERS)
            short_job, beside = client.get(short).json(), _pages(client, long)
        finally:
            for job in (long, short, *holders):
                client.delete(job)
    assert short_job["status"] == "succeeded"
    assert beside.total() == NUM_PAGES
    assert beside["queued"] > 0
    assert beside["succeeded"] == 0


def _sent(client: httpx.Client, title: str, num_pages: int = 1, *, text_source: str = "ocr") -> str:
    """The address of the job of a document."""
    files = {"file": (f"{title}.pdf", pdf(num_pages, title=title))}
    job = client.post("/v1/documents", files=files, data={"options": json.dumps({"text_source": text_source})}).json()
    return job["links"]["self"]


def _pages(client: httpx.Client, job: str) -> Counter[str]:
    """How many pages of the job have which status."""
    return Counter(page["status"] for page in client.get(job).json()["pages"])


def _num_running(client: httpx.Client, *jobs: str) -> int:
    return sum(_pages(client, job)["running"] for job in jobs)


def _ended(client: httpx.Client, job: str) -> bool:
    return client.get(job).json()["status"] not in ("queued", "running")
