"""A server whose layout network is an object detector of transformers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from benchmarks.harness.server import server
from tests.documents.layout.tiny_detectors import make_detector
from tests.serve.files import LINES, pdf
from tests.serve.fresh import fresh_parts

pytestmark = [pytest.mark.serve, pytest.mark.slow]
NUM_DOCUMENTS = 4


def test_documents_share_the_passes_of_an_rt_detr(tmp_path: Path) -> None:
    """Guards against a detector that loads alone and not in the graph; its weights are random, so its kinds are too."""
    folder = make_detector("rt_detr_v2", tmp_path / "heron")
    options = ("--layout-model", str(folder), "--layout-batch-wait-s", "0.5", "--layout-when", "always")
    with (
        server(tmp_path / "data", *options) as running,
        httpx.Client(base_url=running.url, timeout=300, trust_env=False) as client,
        ThreadPoolExecutor(NUM_DOCUMENTS) as threads,
    ):

        def read(number: int) -> Any:
            files = {"file": ("a.pdf", pdf(3, title=f"Detected {number}"))}
            return client.post("/v1/documents", params={"wait": 240}, files=files).json()

        jobs = list(threads.map(read, range(NUM_DOCUMENTS)))
        texts = [client.get(job["links"]["result"], params={"format": "md"}).text for job in jobs]
        answer = client.post("/v1/layout", files={"file": ("a.pdf", pdf(1))}).json()
        layout = fresh_parts(client)["layout"]
    assert [job["status"] for job in jobs] == ["succeeded"] * NUM_DOCUMENTS
    assert all(line in " ".join(text.split()) for text in texts for line in LINES), "no visible word is lost"
    assert (answer["model"], len(answer["pages"])) == ("heron", 1)
    assert layout["family"] == "rt_detr_v2"
    assert layout["pages"] == 3 * NUM_DOCUMENTS + 1
    assert layout["shared_batches"] >= 1
