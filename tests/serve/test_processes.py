"""What the processes of a running server are, and what they never load."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import httpx
import psutil
import pytest

from benchmarks.harness.server import ROOT
from tests.serve.files import pdf, png

pytestmark = pytest.mark.serve


@pytest.mark.parametrize("name", ["Ingress", "Jobs", "Pipeline", "Renderer"])
def test_processes_without_a_model_have_not_loaded_torch(replicas: dict[str, psutil.Process], name: str) -> None:
    """Guards against an import that costs a gigabyte and half a minute in a process that only passes things on."""
    assert "libtorch" not in _maps(replicas[name])


def test_processes_with_a_model_have(replicas: dict[str, psutil.Process]) -> None:
    """Guards against the test before looking for the wrong thing."""
    assert "libtorch" in _maps(replicas["Layout"])


def test_the_renderer_s_children_alone_load_the_parsers(
    client: httpx.Client, replicas: dict[str, psutil.Process]
) -> None:
    """Guards against outside bytes being parsed in a process that must not die."""
    client.post("/v1/documents", params={"wait": 60}, files={"file": ("a.pdf", pdf(title="Who parses this"))})
    for name, process in replicas.items():
        assert "mupdf" not in _maps(process), name
    assert any("mupdf" in _maps(child) for child in replicas["Renderer"].children())


def test_one_walled_child_of_ocr_cuts_the_lines_of_scans(
    client: httpx.Client, replicas: dict[str, psutil.Process]
) -> None:
    """Guards against lines that are cut in the interpreter that feeds the model, or in a process per region."""
    body = client.post("/v1/documents", params={"wait": 120}, files={"file": ("cut.png", png("Who cuts this"))}).json()
    assert body["status"] == "succeeded"
    children = [child for child in replicas["Ocr"].children() if "documents.sandbox.child" in child.cmdline()]
    assert len(children) == 1


def test_a_driver_reads_a_document_by_handles(client: httpx.Client, data_dir: Path) -> None:
    """Guards against `server.json` or the public handles being of no use to a Ray job."""
    document = data_dir / "handle.pdf"
    document.write_bytes(pdf(2, title="By handle"))
    command = [sys.executable, "-m", "examples.handle_call", str(document), "--data-dir", str(data_dir)]
    done = subprocess.run(
        command, check=False, cwd=ROOT, env=dict(os.environ), capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout.splitlines()[-1])
    assert (report["status"], report["pages"]) == ("succeeded", 2)
    assert report["regions"] > 0


def _maps(process: psutil.Process) -> str:
    return Path(f"/proc/{process.pid}/maps").read_text()
