"""`examples/graph.py`: how a driver finds the running graph; the connection itself runs in tests/serve."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import types
from pathlib import Path

import pytest

from examples.graph import connect

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "script", [("handle_call.py", "tests/data/letter.pdf"), ("bulk_ingest.py", "in", "out"), ("ray_job.py",)]
)
def test_an_example_without_a_server_says_what_to_do(
    script: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards against a traceback as the first thing that a newcomer sees."""
    monkeypatch.setenv("RAY_ADDRESS", "")
    command = [sys.executable, f"examples/{script[0]}", *script[1:], "--data-dir", str(tmp_path)]
    ran = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert (ran.returncode, "make serve" in ran.stderr, "Traceback" in ran.stderr) == (1, True, False)


@pytest.fixture
def addresses(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Where a driver connects to, without a Ray."""
    connected: list[str] = []
    ray = types.SimpleNamespace(init=lambda address, **_: connected.append(address))
    monkeypatch.setitem(sys.modules, "ray", ray)
    for name in ("RAY_ADDRESS", "PAGEMILL_DATA_DIR", "RAY_AUTH_TOKEN_PATH"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv(name, "")
    return connected


def server(folder: Path, ray_address: str) -> Path:
    folder.mkdir()
    environment = {"RAY_AUTH_TOKEN_PATH": f"{folder}/ray_token"}
    (folder / "server.json").write_text(json.dumps({"ray_address": ray_address, "environment": environment}))
    return folder


def test_a_job_of_one_of_two_servers_connects_to_its_own(
    addresses: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards against the address that Ray guesses for its jobs: with two Rays on a machine, that of either."""
    own = server(tmp_path / "own", "127.0.0.1:1111")
    monkeypatch.setenv("PAGEMILL_DATA_DIR", str(own))
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:2222")
    connect()
    assert addresses == ["127.0.0.1:1111"]
    assert os.environ["RAY_AUTH_TOKEN_PATH"] == f"{own}/ray_token"


def test_the_folder_that_is_named_counts_before_that_of_the_environment(
    addresses: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAGEMILL_DATA_DIR", str(server(tmp_path / "own", "127.0.0.1:1111")))
    connect(server(tmp_path / "other", "127.0.0.1:3333"))
    assert addresses == ["127.0.0.1:3333"]


def test_a_job_of_a_cluster_without_that_folder_connects_to_its_cluster(
    addresses: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards against jobs of a cluster, on whose machines no `server.json` lies."""
    monkeypatch.setenv("PAGEMILL_DATA_DIR", str(tmp_path / "not here"))
    monkeypatch.setenv("RAY_ADDRESS", "192.0.2.7:6379")
    connect()
    assert addresses == ["192.0.2.7:6379"]


def test_an_address_for_submitting_jobs_is_not_connected_to(
    addresses: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "http://127.0.0.1:8265")
    connect(server(tmp_path / "own", "127.0.0.1:1111"))
    assert addresses == ["127.0.0.1:1111"]
