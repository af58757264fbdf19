"""What an operator sees of the running server: a log whose lines belong together, spans, the dashboard's metrics."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serve.files import pdf

pytestmark = pytest.mark.serve
TRIES, PAUSE_S = 60, 1.0  # lines and spans come to the disk when their buffer says so: no event tells


def test_a_request_leads_to_its_job_its_pages_and_all_their_calls(client: httpx.Client, data_dir: Path) -> None:
    """Guards against a log in which nobody finds what one upload has caused."""
    response = client.post(
        "/v1/documents",
        params={"wait": 100},
        headers={"X-Request-ID": "asked-by-ann"},
        files={"file": ("logged.pdf", pdf(2, title="Written down"))},
    )
    job_id = response.json()["id"]
    assert response.headers["X-Request-ID"] == "asked-by-ann"

    def is_logged() -> bool:
        lines = list(_lines(data_dir))
        request_lines = [line for line in lines if line.get("request_id") == "asked-by-ann"]
        pages = [line for line in lines if line.get("job") == job_id and "page" in line]
        deployments = {line["deployment"] for line in request_lines if "deployment" in line}
        calls = {page["page"]: _deployments(lines, page["request_id"]) for page in pages}
        return (
            any(line.get("job") == job_id for line in request_lines)
            and {"pagemill_Ingress", "pagemill_Jobs"} <= deployments
            and set(calls) == {1, 2}
            and all({"pagemill_Pipeline", "pagemill_Renderer", "pagemill_Layout"} <= names for names in calls.values())
        )

    _awaited(is_logged)


def test_a_span_tells_the_time_of_each_part_of_a_page(client: httpx.Client, data_dir: Path) -> None:
    """Guards against traces that the documented setting does not switch on."""
    files = {"file": ("traced.pdf", pdf(1, title="Followed"))}
    client.post("/v1/documents", params={"wait": 100}, files=files)

    def is_logged() -> bool:
        spans = " ".join(path.read_text(encoding="utf-8") for path in data_dir.glob("ray/**/logs/serve/spans/*"))
        return all(name in spans for name in ("Ingress", "Pipeline", "Layout"))

    _awaited(is_logged)


def _lines(data_dir: Path) -> Iterator[dict[str, Any]]:
    for path in data_dir.glob("ray/ray/session_2*/logs/serve/*.log"):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("{"):
                yield json.loads(line)


def _deployments(lines: list[dict[str, Any]], request_id: str) -> set[str]:
    return {line["deployment"] for line in lines if line.get("request_id") == request_id and "deployment" in line}


def _awaited(is_there: Callable[[], bool]) -> None:
    pause = threading.Event()
    for _ in range(TRIES):
        if is_there():
            return
        pause.wait(PAUSE_S)
    assert is_there()
