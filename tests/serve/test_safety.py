"""What the running server promises: progress that resumes, deletion that is real, a Ray that strangers cannot use."""

from __future__ import annotations

import ipaddress
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from benchmarks.harness.server import Running
from tests.serve.files import pdf

pytestmark = pytest.mark.serve

CONNECT = "import ray, sys; ray.init(address=sys.argv[1], log_to_driver=False); print('connected')"


def test_progress_is_told_page_by_page_and_resumes_after_the_last_event(client: httpx.Client) -> None:
    """Guards against a progress bar that starts again, or skips, after a lost connection."""
    job = sent(client, pdf(3, title="Told page by page"))
    received = events(client, job)
    kinds = [kind for _, kind, _ in received]
    assert (kinds[0], kinds[-1]) == ("queued", "succeeded")
    pages = [body for _, kind, body in received if kind == "page"]
    assert sorted(page["number"] for page in pages) == [1, 2, 3]
    assert all(page["timings"]["layout_s"] > 0 for page in pages)
    assert events(client, job, after=received[3][0]) == received[4:]


def test_a_deleted_document_is_neither_found_nor_kept(client: httpx.Client, data_dir: Path) -> None:
    """Guards against a deletion that only hides."""
    job = sent(client, pdf(1, title="Forgetfulness Decree"), document_id="decree/1")
    passages = client.post("/v1/query", json={"query": "Forgetfulness Decree", "k": 20}).json()["passages"]
    assert "decree/1" in {passage["document_id"] for passage in passages}
    files_before = blobs(data_dir)
    assert client.delete("/v1/documents/decree/1").status_code == 204
    passages = client.post("/v1/query", json={"query": "Forgetfulness Decree", "k": 20}).json()["passages"]
    assert "decree/1" not in {passage["document_id"] for passage in passages}
    assert client.get(job["links"]["self"]).status_code == 404
    assert len(files_before - blobs(data_dir)) == 1
    assert client.delete("/v1/documents/decree/1").status_code == 404


def test_who_has_no_token_cannot_connect_to_ray(running: Running, data_dir: Path) -> None:
    """Guards against a port of Ray's that runs the code of whoever finds it."""
    where = json.loads((data_dir / "server.json").read_text())
    bare = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")} | {"HOME": str(data_dir)}
    outcomes = []
    without_token = {name: value for name, value in where["environment"].items() if "AUTH" not in name}
    for environment in (bare | without_token, bare | where["environment"]):
        command = [sys.executable, "-c", CONNECT, where["ray_address"]]
        done = subprocess.run(command, check=False, env=environment, capture_output=True, text=True, timeout=120)
        outcomes.append(done.stdout.strip())
    assert outcomes == ["", "connected"]
    assert (data_dir / "ray_token").stat().st_mode & 0o077 == 0


def test_ray_s_ports_are_on_loopback(running: Running) -> None:
    """Guards against metrics that whoever reaches the machine may read without a token.

    A replica's own port for calls of other replicas is on all addresses, by Serve; it asks for the token.
    """
    below = {process.pid: process for process in psutil.Process(running.pid).children(recursive=True)}
    connections: list[Any] = psutil.net_connections("tcp")
    listening = [connection for connection in connections if connection.status == psutil.CONN_LISTEN]
    open_to_all = {
        below[connection.pid].name()
        for connection in listening
        if connection.pid in below and outside(connection.laddr.ip)
    }
    assert {connection.laddr.ip for connection in listening if connection.pid in below} >= {"127.0.0.1"}
    assert {name for name in open_to_all if not name.startswith("ray::ServeRepli")} == set()


def test_the_walls_around_the_parsers_stand(client: httpx.Client) -> None:
    """Guards against a sandbox that fails silently."""
    sent(client, pdf(1, title="Walled"))
    assert "seccomp" in client.get("/readyz").json()["parts"]["renderer"]["walls"]


def sent(client: httpx.Client, content: bytes, **options: object) -> dict:
    form = {"options": json.dumps(options)}
    return client.post("/v1/documents", params={"wait": 100}, files={"file": ("a.pdf", content)}, data=form).json()


def events(client: httpx.Client, job: dict, after: int = 0) -> list[tuple[int, str, dict]]:
    text = client.get(job["links"]["events"], headers={"Last-Event-ID": str(after)}).text
    parts = [dict(line.split(": ", 1) for line in part.splitlines()) for part in text.split("\n\n") if "id: " in part]
    return [(int(part["id"]), part["event"], json.loads(part["data"])) for part in parts]


def blobs(data_dir: Path) -> set[str]:
    return {path.name for path in (data_dir / "blobs").glob("??/*")}


def outside(ip: str) -> bool:
    address = ipaddress.ip_address(ip)
    mapped = getattr(address, "ipv4_mapped", None)
    return not (mapped or address).is_loopback
