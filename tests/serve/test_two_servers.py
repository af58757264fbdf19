"""Two servers on one machine: what a shell and a submitted job know of one of them is true of that one."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from benchmarks.harness.server import ROOT, Running, server

pytestmark = [pytest.mark.serve, pytest.mark.slow]
SMALL = ("--renderer-num-children", "1", "--ocr-num-blocks", "256")
TIMEOUT_S = 300


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[Path, Running]]:
    """Each server by its data folder, in the order of their start."""
    folders = [tmp_path_factory.mktemp("first"), tmp_path_factory.mktemp("second")]
    with ExitStack() as up:
        yield {folder: up.enter_context(server(folder, *SMALL)) for folder in folders}


def test_each_names_the_dashboard_of_its_own_ray(both: dict[Path, Running]) -> None:
    """Guards against Ray's default port, on which the first Ray of the machine listens."""
    for folder, running in both.items():
        address = json.loads((folder / "server.json").read_text())["jobs_address"]
        below = {process.pid for process in psutil.Process(running.pid).children(recursive=True)}
        connections: list[Any] = psutil.net_connections("tcp")
        ours = [
            connection
            for connection in connections
            if connection.pid in below and connection.status == psutil.CONN_LISTEN
        ]
        listening = {connection.laddr.port for connection in ours}
        assert httpx.URL(address).port in listening, f"{address} is not of {folder}"


def test_a_submitted_job_works_in_the_server_that_it_was_submitted_to(both: dict[Path, Running]) -> None:
    """Guards against the address that Ray guesses for its jobs: a document that ends up in another server."""
    for folder, running in both.items():
        others = {url: num_jobs(url) for url in (server.url for server in both.values()) if url != running.url}
        before = num_jobs(running.url)
        command = [sys.executable, "-m", "pagemill", "where", "--data-dir", folder]
        exports = subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True).stdout
        submit = f"{exports}\nexec {Path(sys.executable).with_name('ray')} job submit -- python examples/ray_job.py"
        ran = subprocess.run(
            ["sh", "-c", submit], check=False, cwd=ROOT, capture_output=True, text=True, timeout=TIMEOUT_S
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert num_jobs(running.url) == before + 2, "one ingested, one given up"
        assert {url: num_jobs(url) for url in others} == others


def num_jobs(url: str) -> int:
    return len(httpx.get(f"{url}/v1/jobs", timeout=60, trust_env=False).raise_for_status().json()["jobs"])
