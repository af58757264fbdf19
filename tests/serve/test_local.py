"""Servers of one command: `pagemill ingest --local`, and one that deploys its config file again."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import psutil
import pytest
import yaml

from pagemill.ingesting.local_server import free_port, local_server
from tests.serve.files import LINES, pdf

pytestmark = [pytest.mark.serve, pytest.mark.slow]
ROOT = Path(__file__).parents[2]


def test_local_ingestion_needs_no_server_and_leaves_none(tmp_path: Path) -> None:
    """Guards against a server that outlives its command, and against results that go with it."""
    papers, out = tmp_path / "papers", tmp_path / "out"
    papers.mkdir()
    for number in range(2):
        (papers / f"{number}.pdf").write_bytes(pdf(2, title=f"Local, volume {number}"))
    (papers / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing else")
    command = [sys.executable, "-m", "pagemill", "ingest", str(papers), "--out", str(out), "--local", "--json"]
    ran = subprocess.run(command, check=False, capture_output=True, text=True)
    assert ran.returncode == 3, ran.stderr
    statuses = {Path(document["source"]).name: document["status"] for document in json.loads(ran.stdout)["documents"]}
    assert statuses == {"0.pdf": "succeeded", "1.pdf": "succeeded", "broken.pdf": "failed"}
    assert all(LINES[0] in " ".join((out / f"{number}.md").read_text().split()) for number in range(2))
    left = [
        process for process in psutil.process_iter(["cmdline"]) if str(out) in " ".join(process.info["cmdline"] or ())
    ]
    assert left == []


def test_a_changed_config_file_is_deployed_into_the_running_server(tmp_path: Path) -> None:
    """Guards against a watch that tells of a deployment and nothing that comes of it."""
    config = tmp_path / "serve.yaml"
    serve_config = yaml.safe_load((ROOT / "serve_config.yaml").read_text())
    config.write_text(yaml.safe_dump(serve_config))
    with local_server(tmp_path / "data", "--config", str(config), "--reload", port=free_port()) as running:
        assert _limit_of(running.url) == 200
        serve_config["applications"][0]["args"] = {"limits": {"max_file_mb": 1}}
        log, pause = tmp_path / "data" / "server.log", threading.Event()
        config.write_text(yaml.safe_dump(serve_config))
        for _ in range(400):  # the deployments are replaced one by one: nothing tells when the last one is
            if _limit_of(running.url) == 1:
                return
            pause.wait(1)
        raise AssertionError(log.read_text()[-4000:])


def _limit_of(url: str) -> int:
    """Megabytes of a file at most: 1, or else 200."""
    files = {"file": ("a.bin", b"\x00" * 1_500_000)}
    try:
        answer = httpx.post(f"{url}/v1/documents", files=files, timeout=60, trust_env=False)
    except httpx.HTTPError:  # between two replicas
        return 0
    return {413: 1, 415: 200}.get(answer.status_code, 0)
