"""A server that is given shards: what it had stays, new documents are spread, and an owner that dies is replaced."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from benchmarks.harness.server import ROOT, server
from deployments.values.shards import possible_shards, shard_of
from tests.deployments.postgres import database, programs
from tests.retrieval.object_storage import names_in, program, serving
from tests.serve.files import pdf
from tests.serve.gates import until

pytestmark = [
    pytest.mark.serve,
    pytest.mark.slow,
    pytest.mark.skipif(programs() is None, reason="PostgreSQL is not installed here"),
    pytest.mark.skipif(program() is None, reason="moto is not installed here"),
]
SMALL = ("--renderer-num-children", "2", "--ocr-num-blocks", "256")
NUM_SHARDS = 3
EARLIER = [f"earlier {number}" for number in range(4)]
LATER = [f"later {number}" for number in range(8)]


def options(name: str) -> dict[str, str]:
    """The form's field for a document of this id."""
    return {"options": json.dumps({"document_id": name})}


class Life:
    """A life of the server."""

    def __init__(self, client: httpx.Client, pid: int) -> None:
        self.client = client
        self._pid = pid

    def read(self, name: str, title: str) -> dict[str, Any]:
        """The job of a document, when it has ended."""
        files = {"file": (f"{name}.pdf", pdf(2, title=title))}
        job = self.client.post("/v1/documents", files=files, data=options(name)).raise_for_status().json()
        return self.ended(job["id"])

    def ended(self, job_id: str) -> dict[str, Any]:
        return self.client.get(f"/v1/jobs/{job_id}", params={"wait": 100}).raise_for_status().json()

    def hits(self, text: str) -> list[str]:
        answer = self.client.post("/v1/query", json={"query": text, "k": 50, "mode": "full_text"}).raise_for_status()
        return [hit["document_id"] for hit in answer.json()["passages"]]

    def replica(self, name: str) -> psutil.Process:
        below = psutil.Process(self._pid).children(recursive=True)
        return next(process for process in below if f"ServeReplica:pagemill:{name}" in " ".join(process.cmdline()))


def read_by_a_driver(folder: Path, title: str) -> str:
    """How a job ends that a Ray driver without an event loop submits."""
    file = folder / f"{title}.pdf"
    file.write_bytes(pdf(title=title))
    command = [sys.executable, "-m", "examples.handle_call", str(file), "--data-dir", str(folder)]
    done = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])["status"]


@contextmanager
def life(folder: Path, *settings: str) -> Iterator[Life]:
    with (
        server(folder, *SMALL, *settings) as running,
        httpx.Client(base_url=running.url, timeout=150, trust_env=False) as client,
    ):
        yield Life(client, running.pid)


def test_a_server_goes_from_one_shard_to_three(tmp_path: Path) -> None:
    """Guards against documents that a new shard hides, an owner whose death ends its jobs, and bytes that stay."""
    with database() as url, serving() as storage_options:
        storage = ",".join(f"{name}={value}" for name, value in storage_options.items())
        stores = ("--database-url", url, "--blobs-uri", "s3://shelf/blobs", "--blobs-storage-options", storage)
        with life(tmp_path, *stores) as server:
            for name in EARLIER:
                assert server.read(name, f"Harbour {name}")["status"] == "succeeded"
        with life(tmp_path, *stores, "--shards", str(NUM_SHARDS)) as server:
            until(lambda: server.client.get("/readyz").status_code == 200)
            parts = server.client.get("/readyz").json()["parts"]
            assert {"jobs", "jobs1", "jobs2"} <= set(parts)
            jobs = {name: server.read(name, f"Harbour {name}") for name in LATER}
            assert {job["status"] for job in jobs.values()} == {"succeeded"}
            assert {name: shard_of(job["id"]) for name, job in jobs.items()} == {
                name: possible_shards("default", name, NUM_SHARDS)[0] for name in LATER
            }
            assert len({shard_of(job["id"]) for job in jobs.values()}) == NUM_SHARDS
            assert sorted(set(server.hits("Harbour"))) == sorted(EARLIER + LATER)
            listed = server.client.get("/v1/jobs", params={"limit": 100}).json()["jobs"]
            assert sorted(job["document_id"] for job in listed) == sorted(EARLIER + LATER)

            revised = server.read(EARLIER[0], "Quay")
            assert (shard_of(revised["id"]), revised["revision"]) == (0, 2)
            assert set(server.hits("Quay")) == {EARLIER[0]}
            last = next(job for job in jobs.values() if shard_of(job["id"]) == NUM_SHARDS - 1)
            picture = server.client.get(f"/v1/jobs/{last['id']}/pages/1/image").raise_for_status()
            assert picture.content.startswith(b"\x89PNG")
            again = server.client.post(f"/v1/jobs/{last['id']}/retry", json={"options": {"pages": "1"}}).json()
            assert shard_of(again["id"]) == NUM_SHARDS - 1
            assert server.ended(again["id"])["status"] == "succeeded"

            by_handle = [read_by_a_driver(tmp_path, f"Handle {number}") for number in range(4)]
            listed = server.client.get("/v1/jobs", params={"limit": 4}).json()["jobs"]
            assert by_handle == ["succeeded"] * 4
            assert len({shard_of(job["id"]) for job in listed}) > 1
            handles = [job["document_id"] for job in listed]

            files = {"file": ("a.pdf", pdf(30, title="Long"))}
            name = next(name for name in map(str, range(99)) if possible_shards("default", name, NUM_SHARDS)[0] == 1)
            job = server.client.post("/v1/documents", files=files, data=options(name)).json()
            other = next(name for name in map(str, range(99)) if possible_shards("default", name, NUM_SHARDS)[0] == 2)
            assert server.client.get(f"/v1/jobs/{job['id']}").json()["status"] in ("queued", "running")
            server.replica("Jobs1").kill()
            assert server.read(other, "Harbour")["status"] == "succeeded"
            ended: dict[str, Any] = {}

            def is_over() -> bool:
                answer = server.client.get(f"/v1/jobs/{job['id']}")
                ended.update(answer.json() if answer.status_code == 200 else {})
                return ended.get("status") == "succeeded"

            until(is_over)
            assert [page["status"] for page in ended["pages"]] == ["succeeded"] * 30
            for document in (*EARLIER, *LATER, *handles, name, other):
                server.client.delete(f"/v1/documents/{document}").raise_for_status()
            assert server.client.get("/v1/jobs").json()["jobs"] == []
            assert server.hits("Harbour") == []
            assert names_in(storage_options["endpoint"], "blobs") == []
