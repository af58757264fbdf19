"""The routes that say what the server is and how it is."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path

import httpx
import pytest

from tests.serve.files import png

pytestmark = pytest.mark.serve


def test_readiness_names_every_part_and_the_mode_of_search(client: httpx.Client) -> None:
    """Guards against search that is full text alone without saying so."""
    body = client.get("/readyz").json()
    assert set(body["parts"]) == {"jobs", "pipeline", "renderer", "layout", "ocr", "search", "lm"}
    assert body["parts"]["search"]["mode"] in ("hybrid", "full_text")
    assert body["parts"]["ocr"]["model"] == "ocr-compact"


@pytest.mark.parametrize("path", ["/health", "/ready", "/readyz", "/livez"])
def test_every_probe_answers_ok(client: httpx.Client, path: str) -> None:
    """docling-serve's own tests compare the word."""
    assert client.get(path).json()["status"] == "ok"


def test_the_version_names_what_results_depend_on(client: httpx.Client) -> None:
    """Guards against a bug report that cannot say what ran."""
    assert {"pagemill", "ray", "torch", "transformers", "pymupdf"} <= set(client.get("/version").json())


def test_the_api_describes_itself(client: httpx.Client) -> None:
    """Guards against routes that are not in the OpenAPI document, or a page that does not load."""
    paths = client.get("/openapi.json").json()["paths"]
    assert {"/v1/documents", "/v1/jobs", "/v1/jobs/{job_id}", "/v1/jobs/{job_id}/result", "/v1/ocr"} <= set(paths)
    page = client.get("/docs").text
    assets = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert [client.get(asset).status_code for asset in assets] == [200] * len(assets)
    assert not [asset for asset in assets if "://" in asset], "no request leaves for another host"


def test_metrics_show_batches_and_steps(client: httpx.Client) -> None:
    """Guards against batching that nobody can see."""
    client.post("/v1/documents", params={"wait": 100}, files={"file": ("m.png", png("Metrics"))})
    names, pause = {"pagemill_layout_batch_documents", "pagemill_engine_step_documents"}, threading.Event()
    for _ in range(60):
        text = client.get("/metrics").text
        if all(name in text for name in names):
            return
        pause.wait(1)  # the agent that tells them is told every few seconds
    raise AssertionError(f"not in /metrics: {names}")


def test_unknown_paths_answer_a_problem_document(client: httpx.Client) -> None:
    """Guards against answers of another shape from the framework underneath."""
    answer = client.get("/v1/nothing")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


def test_the_data_folder_says_where_the_server_is(client: httpx.Client, data_dir: Path) -> None:
    """Guards against examples that have to guess an address."""
    server = json.loads((data_dir / "server.json").read_text())
    assert server["url"] == str(client.base_url).rstrip("/")
    assert server["ray_address"].startswith("127.0.0.1:")
    token = (data_dir / "ray_token").read_text()
    ours = httpx.get(
        f"{server['jobs_address']}/api/version", headers={"Authorization": f"Bearer {token}"}, trust_env=False
    )
    assert (ours.status_code, "ray_version" in ours.json()) == (200, True)
