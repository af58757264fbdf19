"""docling-serve's clients against the real server, as they are: the request of Open WebUI, and docling's own client."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import httpx
import psutil
import pytest

from benchmarks.harness.server import ROOT, Running
from tests.serve.files import pdf, png
from tests.serve.gates import leave, standing_still, until

pytestmark = pytest.mark.serve
PYTHON = ROOT / ".venv-docling" / "bin" / "python"  # its pins are not ours: scripts/setup_long.sh makes it
SCRIPT = Path(__file__).with_name("docling_client.py")


def test_open_webui_reads_a_scan_and_a_document(client: httpx.Client) -> None:
    """Its loader sends the path of its copy as the name, its parameters as fields, and reads `document.md_content`."""
    for content, kind in ((pdf(2), "application/pdf"), (png(), "image/png")):
        answer = client.post(
            "/v1/convert/file",
            files={"files": ("/app/backend/data/uploads/1c_Harbour Rules.pdf", content, kind)},
            data={"image_export_mode": "placeholder", "do_ocr": True, "ocr_engine": "easyocr"},
            headers={"X-Api-Key": "unset"},
        )
        assert answer.status_code == 200, answer.text
        text = answer.json()["document"]["md_content"]
        assert "harbour master" in text.lower()
        assert answer.json()["ignored_options"] == ["ocr_engine"]


def test_a_client_that_leaves_ends_its_conversion(client: httpx.Client, replicas: dict[str, psutil.Process]) -> None:
    """Guards against pages that are read for nobody, and against documents that nobody can name."""
    earlier_jobs = _jobs(client)
    files = {"files": ("a.pdf", pdf(20, title="Left", repeats=12))}
    with standing_still(replicas["Ocr"]):
        statuses: set[str] = set()

        def began() -> bool:
            statuses.update(_jobs(client) - earlier_jobs)
            return bool(statuses)

        leave(client, "/v1/convert/file", once=began, files=files, data={"force_ocr": "true"})
        until(lambda: all(_gone(client, job) for job in statuses))


def _jobs(client: httpx.Client) -> set[str]:
    """The newest ones."""
    return {job["id"] for job in client.get("/v1/jobs").json()["jobs"]}


def _gone(client: httpx.Client, job: str) -> bool:
    answer = client.get(f"/v1/jobs/{job}")
    return answer.status_code == 404 or answer.json()["status"] == "cancelled"


@pytest.mark.slow
def test_the_client_of_docling_converts_cuts_and_fails_as_it_should(running: Running, tmp_path: Path) -> None:
    """Guards against forms that only look like docling-serve's."""
    if not PYTHON.exists():
        pytest.skip("docling's client is not installed here; make test-long installs it")
    files = {"tides.pdf": pdf(2), "scan.png": png(), "rules of the harbour.pdf": pdf(1, title="More")}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    report = said_by_docling(running.url, "", *(tmp_path / name for name in files))
    assert report["health"] == "ok"
    assert "pagemill" in report["versions"]
    assert [document["status"] for document in report["converted"]] == ["success"] * 3
    assert [document["name"] for document in report["converted"]] == ["tides", "scan", "rules of the harbour"]
    assert [document["pages"] for document in report["converted"]] == [2, 1, 1]
    assert all("harbour master" in document["markdown"].lower() for document in report["converted"])
    assert "part 2" not in report["first page"]
    assert report["all"] == ["success"] * 3
    for chunks in report["chunks"].values():
        assert {page for pages, _ in chunks for page in pages} == {1, 2}
    assert [message.split(":")[0] for message in report["failed"]] == ["ServiceError", "TaskExecutionError"]


def said_by_docling(url: str, key: str, *files: Path) -> dict:
    """What the script prints."""
    command = [str(PYTHON), str(SCRIPT), url, key, *map(str, files)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=400, cwd=files[0].parent)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)
