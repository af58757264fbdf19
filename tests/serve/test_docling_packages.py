"""Packages that speak to docling-serve, as they were published, against the real server.

They are not ours to keep and ask for other versions than we do. So the variables of the environment name them:

- `DOCLING_CLIENTS`: a virtual environment with `docling-slim[service-client]`, `docling-core[chunking]`,
  `docling-serve-haystack`, `langchain-core`, `pdfplumber`, `ftfy`, and `langchain-docling` without its dependencies;
- `OPEN_WEBUI_FOLDER`: a folder with Open WebUI's package `open_webui`;
- `RAGFLOW_FOLDER`: a folder with RAGFlow's `docling_parser.py`.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from docling_core.types.doc.document import DoclingDocument

from benchmarks.harness.server import ROOT, Running
from tests.serve.paged_files import WORDS, blank_pdf, paged_pdf

pytestmark = [pytest.mark.serve, pytest.mark.slow]
SCRIPT = Path(__file__).with_name("docling_packages.py")
ENVIRONMENT = os.environ.get("DOCLING_CLIENTS", "")
FOLDERS = {"open_webui": "OPEN_WEBUI_FOLDER", "ragflow": "RAGFLOW_FOLDER"}


@pytest.fixture(scope="module")
def report(running: Running, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the clients read."""
    if not ENVIRONMENT:
        pytest.skip("DOCLING_CLIENTS names no environment with the clients")
    folder = tmp_path_factory.mktemp("files")
    for name, content in {"log.pdf": paged_pdf(), "blank.pdf": blank_pdf(), "refused.pdf": b"no document"}.items():
        (folder / name).write_bytes(content)
    folders = [os.environ.get(variable, "") for variable in FOLDERS.values()]
    files = [str(folder / name) for name in ("log.pdf", "blank.pdf", "refused.pdf")]
    command = [str(Path(ENVIRONMENT) / "bin" / "python"), str(SCRIPT), running.url, "unset", *folders, *files]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=900, cwd=folder, env=environment
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def part_of(report: dict[str, Any], name: str) -> Any:
    if name not in report:
        pytest.skip(f"{FOLDERS[name]} names no folder with this client")
    return report[name]


def test_open_webui_names_the_right_page_of_every_text(report: dict[str, Any]) -> None:
    """Behind a blank page, all text had the number of the page before; the picture's page is a part without words."""
    by_page = {one["page"] + 1: one["text"] for one in part_of(report, "open_webui")}
    for number, word in WORDS.items():
        assert word in by_page[number], by_page
        assert [page for page, text in by_page.items() if word in text] == [number]
    assert set(by_page) <= {*WORDS, 4}


def test_ragflow_takes_our_chunks(report: dict[str, Any]) -> None:
    """It tells chunks from a document by `results`, and takes nothing else of that answer then."""
    read = part_of(report, "ragflow")
    assert any("native chunking" in message for message in read["messages"]), read["messages"]
    assert len(read["sections"]) > 1
    for word in WORDS.values():
        assert any(word in section for section in read["sections"])


def test_ragflow_takes_a_document_without_text_for_what_it_is(report: dict[str, Any]) -> None:
    """Guards against an empty list of chunks that it would read on from."""
    part_of(report, "ragflow")
    assert report["ragflow without text"]["sections"] == []
    assert any("ignored chunking" in message for message in report["ragflow without text"]["messages"])


def test_haystack_reads_every_export_in_both_modes(report: dict[str, Any]) -> None:
    contents = report["haystack"]
    for mode in ("sync", "async"):
        for export in ("markdown", "text", "json"):
            content = contents[f"{mode} {export}"]
            assert all(word in content for word in WORDS.values()), (mode, export)
        document = DoclingDocument.model_validate_json(contents[f"{mode} json"])
        assert sorted(document.pages) == list(range(1, 8))
    assert contents["run_async"] == contents["sync markdown"]
    assert contents["meta"] == {"owner": "me"}
    assert contents["refused"] == 0


def test_langchain_reads_through_docling_s_client(report: dict[str, Any]) -> None:
    """Its loader has no call of its own: it takes docling's client in the place of a converter."""
    read = report["langchain"]
    (markdown,) = read["markdown"]
    assert all(word in markdown for word in WORDS.values())
    for number, word in WORDS.items():
        pages = [chunk["pages"] for chunk in read["chunks"] if word in chunk["text"]]
        assert pages[0] == [number], (word, pages)  # further ones are below the heading with this word
    assert {chunk["origin"] for chunk in read["chunks"]} == {"log.pdf"}


def test_our_chunks_are_docling_core_s_chunks_with_pages_and_confidences(report: dict[str, Any]) -> None:
    """Guards against chunks of a scan without a place, or with confidences in the text that is embedded."""
    chunks = report["doc_chunks"]
    for number, word in WORDS.items():
        pages = [chunk["pages"] for chunk in chunks if word in chunk["text"].replace(" ", "")]
        assert pages[0] == [number], (word, pages)
    for chunk in chunks:
        assert chunk["origin"] == "application/pdf"
        assert "confidence" not in chunk["text"]
        assert all(0 <= facts["pagemill__confidence"] <= 1 for facts in chunk["confidences"])
