"""Open WebUI's engine External against the real server: its own loader, and a client that leaves."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import httpx
import psutil
import pytest

from benchmarks.harness.server import ROOT, Running
from tests.serve.files import pdf, png
from tests.serve.gates import leave, standing_still

pytestmark = pytest.mark.serve
PYTHON = ROOT / ".venv-open-webui" / "bin" / "python"  # scripts/setup_long.sh makes it
SCRIPT = Path(__file__).with_name("open_webui_client.py")
FILE_ID = "2f6b1c9e-8d3a-4f0b-9a51-0c1d2e3f4a5b"


@pytest.mark.slow
def test_the_loader_of_open_webui_reads_pages_and_shows_why_it_cannot(running: Running, tmp_path: Path) -> None:
    """Guards against entries that only look like those that its loader reads."""
    if not PYTHON.exists():
        pytest.skip("Open WebUI's package is not installed here; make test-long installs it")
    contents = {"tides ä.pdf": pdf(2), "scan.png": png(), "locked.pdf": pdf(password="secret"), "a.exe": b"\x7fELF"}
    files = [tmp_path / f"{FILE_ID}_{name}" for name in contents]
    for file, content in zip(files, contents.values(), strict=True):
        file.write_bytes(content)
    command = [str(PYTHON), str(SCRIPT), f"{running.url}/", "any key", *map(str, files)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=400, cwd=tmp_path, env=environment
    )
    assert done.returncode == 0, done.stderr[-3000:]
    tides, scan, locked, program = json.loads(done.stdout)
    assert [(page["page"], page["total_pages"], page["source"]) for page in tides] == [
        (0, 2, "tides ä.pdf"),
        (1, 2, "tides ä.pdf"),
    ]
    assert [f"part {page['page'] + 1}" in page["text"] for page in tides] == [True, True]
    assert "harbour master" in scan[0]["text"].lower()
    assert tides[1]["link"] == f"{running.url}/#/documents/{tides[1]['document_id']}/pages/2?revision=1"
    assert locked.startswith("Error loading document: 422")
    assert "password" in locked
    assert program.startswith("Error loading document: 415")


def test_a_client_that_leaves_ends_the_reading_of_its_file(
    client: httpx.Client, replicas: dict[str, psutil.Process]
) -> None:
    """Guards against pages that are read for nobody: the job of a file is not that of an upload."""
    earlier_jobs = {job["id"] for job in client.get("/v1/jobs").json()["jobs"]}

    def new_jobs() -> list[dict]:
        return [job for job in client.get("/v1/jobs").json()["jobs"] if job["id"] not in earlier_jobs]

    with standing_still(replicas["Ocr"]):
        leave(
            client,
            "/process",
            method="PUT",
            once=lambda: any(job["status"] == "running" for job in new_jobs()),
            content=png(title="Left", repeats=12),
            headers={"X-Filename": "left.png"},
        )
        (job,) = new_jobs()
        assert client.get(f"/v1/jobs/{job['id']}", params={"wait": 60}).json()["status"] == "cancelled"
