"""docling-serve's clients against the real server, as they are: Open WebUI, RAGFlow, and docling's own client."""

from __future__ import annotations

import base64
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


def test_open_webui_shows_why_a_file_was_refused(client: httpx.Client) -> None:
    """Guards against a refusal without `detail`, which is all that its loader passes on to a person."""
    for content, status in ((b"\x7fELF no document", 415), (pdf(password="secret"), 422), (b"%PDF-1.4 broken", 422)):
        answer = client.post(
            "/v1/convert/file",
            files={"files": ("/app/backend/data/uploads/2d_program.pdf", content, "application/pdf")},
            data={"image_export_mode": "placeholder"},
        )
        assert (answer.status_code, bool(answer.json()["detail"])) == (status, True), answer.text


@pytest.mark.parametrize(
    ("path", "field"), [("/v1/convert/source", "sources"), ("/v1alpha/convert/source", "file_sources")]
)
def test_ragflow_finds_the_server_and_reads_its_chunks(client: httpx.Client, path: str, field: str) -> None:
    """It looks for /openapi.json, asks for chunks in one JSON body, and reads the text of each of `results`."""
    assert client.head("/openapi.json", timeout=5).status_code == 200
    source = {"filename": "rules.pdf", "base64_string": base64.b64encode(pdf(2)).decode()}
    answer = client.post(
        path,
        json={
            "options": {
                "from_formats": ["pdf"],
                "to_formats": ["json", "md", "text"],
                "do_chunking": True,
                "chunking_options": {"max_tokens": 512, "overlap": 50, "tokenizer": "sentencepiece"},
            },
            field: [source | ({"kind": "file"} if field == "sources" else {})],
        },
    )
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert "harbour master" in body["document"]["md_content"].lower()
    assert body["document"]["json_content"]["schema_name"] == "DoclingDocument"
    assert {page for chunk in body["results"] for page in chunk["page_numbers"]} == {1, 2}
    assert "chunks" not in body
    assert body["ignored_options"] == ["from_formats", "chunking_options.overlap", "chunking_options.tokenizer"]


def test_ragflow_is_refused_with_a_status_for_what_is_no_document(client: httpx.Client) -> None:
    """Guards against 200 over nothing: it would store an empty document."""
    source = {"kind": "file", "filename": "a.pdf", "base64_string": base64.b64encode(b"no document").decode()}
    answer = client.post("/v1/convert/source", json={"options": {"to_formats": ["md"]}, "sources": [source]})
    assert (answer.status_code, "document" in answer.json()) == (415, False), answer.text


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
