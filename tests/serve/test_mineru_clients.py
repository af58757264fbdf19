"""MinerU's call against the real server: all models read the file, and nothing of it goes on without its client."""

from __future__ import annotations

import io
import json
import zipfile

import httpx
import psutil
import pytest

from tests.serve.files import pdf, png
from tests.serve.gates import leave, standing_still, until

pytestmark = pytest.mark.serve
RAGFLOW = {
    "output_dir": "./output",
    "lang_list": "en",
    "backend": "pipeline",
    "parse_method": "auto",
    "formula_enable": True,
    "table_enable": True,
    "return_md": True,
    "return_middle_json": True,
    "return_model_output": True,
    "return_content_list": True,
    "return_images": True,
    "response_format_zip": True,
    "start_page_id": 0,
    "end_page_id": 99999,
}


@pytest.mark.parametrize(("name", "content"), [("rules", pdf(2)), ("scan", png())])
def test_ragflow_reads_headings_and_places(client: httpx.Client, name: str, content: bytes) -> None:
    """The fields are those that it sends; a scan is read by OCR."""
    answer = client.post("/file_parse", files={"files": (f"{name}.pdf", content, "application/pdf")}, data=RAGFLOW)
    assert answer.status_code == 200, answer.text
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        items = json.loads(archive.read(f"{name}/{name}_content_list.json"))
        pages = json.loads(archive.read(f"{name}/{name}_middle.json"))["pdf_info"]
        assert "harbour master" in archive.read(f"{name}/{name}.md").decode().lower()
    assert [item["page_idx"] for item in items if item.get("text_level")] == list(range(len(pages)))
    heading = next(item for item in items if item.get("text_level"))
    assert "harbour rules" in heading["text"].lower()
    left, top, right, bottom = heading["bbox"]  # 20 points high on a line at 90 of 842 points, from 72 of 595 points
    assert abs(left - 1000 * 72 / 595) < 10
    assert right < 600
    assert 75 < top < 1000 * 90 / 842 < bottom < 120


def test_a_client_that_leaves_ends_its_parse(client: httpx.Client, replicas: dict[str, psutil.Process]) -> None:
    """Guards against pages that are read for nobody: this call has no limit of its own on how long it waits."""
    earlier = _jobs(client)
    files = {"files": ("a.pdf", pdf(20, title="Left", repeats=12))}
    with standing_still(replicas["Ocr"]):
        begun: set[str] = set()

        def began() -> bool:
            begun.update(_jobs(client) - earlier)
            return bool(begun)

        leave(client, "/file_parse", once=began, files=files, data={"parse_method": "ocr"})
        until(lambda: all(_gone(client, job) for job in begun))


def _jobs(client: httpx.Client) -> set[str]:
    """The newest ones."""
    return {job["id"] for job in client.get("/v1/jobs").json()["jobs"]}


def _gone(client: httpx.Client, job: str) -> bool:
    answer = client.get(f"/v1/jobs/{job}")
    return answer.status_code == 404 or answer.json()["status"] == "cancelled"
