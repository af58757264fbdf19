"""A server whose uploads are in a bucket: nothing of them is in its data folder but what a renderer reads just now."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from pyarrow import parquet

from benchmarks.harness.server import ROOT, server
from tests.deployments.storage.gateway import Gateway, gateway
from tests.retrieval.object_storage import ask, names_in, program, serving
from tests.serve.files import pdf
from tests.serve.gates import standing_still, until

pytestmark = [
    pytest.mark.serve,
    pytest.mark.slow,
    pytest.mark.skipif(program() is None, reason="moto is not installed here"),
]
FORM_TYPE = "multipart/form-data; boundary=edge"
SMALL = ("--renderer-num-children", "2", "--ocr-num-blocks", "256", "--blobs-cache-mb", "1", "--blobs-cache-s", "2")
PAPERS = "s3://shelf/papers/"


@dataclass(frozen=True)
class House:
    """A server, the way to its bucket, and what lies where."""

    client: httpx.Client
    way: Gateway
    s3: str
    folder: Path
    pid: int

    def replica(self, name: str) -> psutil.Process:
        below = psutil.Process(self.pid).children(recursive=True)
        return next(process for process in below if f"ServeReplica:pagemill:{name}" in " ".join(process.cmdline()))

    def names(self) -> list[str]:
        return names_in(self.s3, "blobs")

    def cached(self) -> list[Path]:
        files = (self.folder / "blob_cache").rglob("*")
        return [path for path in files if path.is_file() and path.name != "lock"]

    def upload(self, content: bytes) -> httpx.Response:
        return self.client.post("/v1/documents", files={"file": ("a.pdf", content)})

    def ended(self, job: dict[str, Any]) -> dict[str, Any]:
        return self.client.get(f"/v1/jobs/{job['id']}", params={"wait": 100}).json()


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("data")
    with serving() as options, gateway(options["endpoint"]) as way:
        storage = ",".join(f"{name}={value}" for name, value in (options | {"endpoint": way.url}).items())
        bucket = ("--blobs-uri", "s3://shelf/blobs", "--blobs-storage-options", storage, "--sources-buckets", PAPERS)
        with (
            server(folder, *SMALL, *bucket) as running,
            httpx.Client(base_url=running.url, timeout=150, trust_env=False) as client,
        ):
            yield House(client, way, options["endpoint"], folder, running.pid)


def test_a_document_is_read_drawn_read_again_and_deleted(house: House) -> None:
    """Guards against a folder that every machine must mount, and bytes of a deleted document that stay anywhere."""
    job = house.upload(pdf(3)).json()
    assert house.ended(job)["status"] == "succeeded"
    assert len(house.names()) == 1
    picture = house.client.get(f"/v1/jobs/{job['id']}/pages/2/image").raise_for_status()
    assert picture.content.startswith(b"\x89PNG")
    again = house.client.post(f"/v1/jobs/{job['id']}/retry", json={"options": {"pages": "1"}}).json()
    assert house.ended(again)["status"] == "succeeded"
    assert not (house.folder / "blobs").exists()
    house.client.delete(f"/v1/documents/{job['document_id']}").raise_for_status()
    assert house.names() == []
    until(lambda: not house.cached())


def test_an_object_that_is_there_already_is_copied_within_the_bucket(house: House) -> None:
    """Guards against bytes that go through the HTTP process, and against objects of others that are changed."""
    content = pdf(2, title="By address") + bytes(20 << 20)
    ask("PUT", f"{house.s3}/shelf/papers/a.pdf", content)
    ingress = house.replica("Ingress")
    before = ingress.io_counters().read_chars
    job = house.client.post("/v1/documents", files={"source": (None, f"{PAPERS}a.pdf")}).raise_for_status().json()
    assert ingress.io_counters().read_chars - before < 5 << 20
    assert house.ended(job)["status"] == "succeeded"
    assert len(house.names()) == 1
    again = house.client.post(f"/v1/jobs/{job['id']}/retry", json={"options": {"pages": "1"}}).json()
    assert house.ended(again)["status"] == "succeeded"
    assert ingress.io_counters().read_chars - before < 10 << 20
    house.client.delete(f"/v1/documents/{job['document_id']}").raise_for_status()
    assert house.names() == []
    assert ask("GET", f"{house.s3}/shelf/papers/a.pdf") == content
    outside = house.client.post("/v1/documents", files={"source": (None, "s3://shelf/blobs/ab/abc")})
    assert (outside.status_code, outside.json()["code"]) == (422, "source_refused")


@pytest.mark.skipif(importlib.util.find_spec("minio") is None, reason="the extra `examples` is not installed here")
def test_objects_in_bulk_are_copied_by_the_server(house: House, tmp_path: Path) -> None:
    """Guards against bytes that pass through the driver or its actor, and against staged copies of a whole bucket."""
    for number in range(3):
        content = pdf(title=f"In bulk {number}") + bytes(5 << 20)
        ask("PUT", f"{house.s3}/shelf/papers/bulk/{number}.pdf", content)
    ask("PUT", f"{house.s3}/shelf/papers/bulk/broken.pdf", b"%PDF-1.7 and nothing else")
    with gateway(house.s3) as way:
        keys = {"AWS_ACCESS_KEY_ID": "me", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_DEFAULT_REGION": "us-east-1"}
        command = [sys.executable, "examples/bulk_ingest.py", f"{PAPERS}bulk", str(tmp_path), "--by-address"]
        ran = subprocess.run(
            [*command, "--data-dir", str(house.folder)],
            check=False,
            cwd=ROOT,
            env=os.environ | keys | {"AWS_ENDPOINT_URL": way.url},
            capture_output=True,
            text=True,
        )
        assert ran.returncode == 0, ran.stderr
        assert way.num_bytes_to_client < 1 << 20
    counts = {"found": 4, "done": 0, "written": 4, "left": 0, "failed": 1}
    assert json.loads(ran.stdout.splitlines()[-1]) == counts
    rows = parquet.read_table(tmp_path).to_pylist()
    assert {row["path"] for row in rows} == {f"shelf/papers/bulk/{name}.pdf" for name in ("0", "1", "2", "broken")}
    assert all("In bulk" in row["markdown"] for row in rows if row["status"] == "succeeded")
    assert not any(name.startswith("incoming/") for name in house.names())
    for row in rows:
        house.client.delete(f"/v1/documents/{row['document_id']}").raise_for_status()
    assert house.names() == []


def test_a_call_without_a_job_leaves_nothing(house: House) -> None:
    """Guards against staged files of calls that only look at a page."""
    answer = house.client.post("/v1/layout", files={"file": ("a.pdf", pdf())}).raise_for_status()
    assert answer.json()["pages"][0]["regions"]
    assert house.names() == []
    until(lambda: not house.cached())


def test_nothing_is_lost_while_the_bucket_is_away(house: House) -> None:
    """Guards against jobs that fail for an outage, and an outage that has no name."""
    drawn = house.upload(pdf(title="Drawn")).json()
    assert house.ended(drawn)["status"] == "succeeded"
    picture = f"/v1/jobs/{drawn['id']}/pages/1/image"
    until(lambda: not house.cached())
    with standing_still(house.replica("Renderer")):
        jobs = [house.upload(pdf(4, title=f"Rules {number}")).raise_for_status().json() for number in range(6)]
        house.way.close()
    try:
        until(lambda: house.client.get("/readyz").json()["parts"]["jobs"].get("reason") == "BlobStoreAway")
        for refused in (house.upload(pdf(title="Late")), house.client.get(picture)):
            assert (refused.status_code, refused.json()["code"]) == (503, "blob_store_away")
        assert {house.client.get(f"/v1/jobs/{job['id']}").json()["status"] for job in jobs} <= {"queued", "running"}
    finally:
        house.way.open()
    until(lambda: house.client.get("/readyz").status_code == 200)
    house.client.get(picture).raise_for_status()
    for job in (drawn, *jobs):
        ended = house.ended(job)
        assert {ended["status"], *(page["status"] for page in ended["pages"])} == {"succeeded"}
        house.client.delete(f"/v1/documents/{job['document_id']}").raise_for_status()
    assert house.names() == []


def test_an_upload_in_which_its_process_is_killed_leaves_nothing(house: House) -> None:
    """Guards against half a document under a name, and a server that takes no other one."""
    content = pdf() + bytes(30 << 20)

    def pieces() -> Iterator[bytes]:
        yield content[: 25 << 20]
        until(lambda: b"<UploadId>" in ask("GET", f"{house.s3}/shelf?uploads"))  # two parts have been sent
        house.replica("Ingress").kill()
        yield content[25 << 20 :]

    refused = house.client.post("/v1/documents", content=form(pieces()), headers={"Content-Type": FORM_TYPE})
    assert refused.status_code >= 500
    until(lambda: house.client.get("/readyz").status_code == 200)
    assert house.names() == []
    job = house.upload(content).raise_for_status().json()
    assert house.ended(job)["status"] == "succeeded"
    house.client.delete(f"/v1/documents/{job['document_id']}").raise_for_status()
    assert house.names() == []


def form(content: Iterator[bytes]) -> Iterator[bytes]:
    """A form with one file, sent piece by piece."""
    yield b'--edge\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n'
    yield from content
    yield b"\r\n--edge--\r\n"


def test_what_a_renderer_fetched_is_counted(house: House) -> None:
    """Guards against a cache of which nobody sees whether it is too small."""
    counted = (r'blob_reads_total\{.*cache="hit"', r'blob_reads_total\{.*cache="miss"', "blob_fetched_bytes_total")

    def is_counted() -> bool:
        metrics = house.client.get("/metrics").text
        return all(re.search(f"^ray_pagemill_{name}.* [1-9]", metrics, re.MULTILINE) for name in counted)

    until(is_counted)
