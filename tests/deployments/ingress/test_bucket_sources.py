"""Documents by the address of an object: each door over real HTTP, and a real S3 server; and what refusals leave."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

import pagemill
from configs import Settings
from deployments.ingress.operations import services
from deployments.storage.bucket_objects import BucketObjects
from deployments.storage.folder_blobs import FolderBlobs
from tests.deployments.ingress.api.test_documents import Jobs, app_of, leave
from tests.deployments.ingress.test_mcp import call
from tests.retrieval.object_storage import KEY_HEADERS, ask, program, serving
from tests.serve.files import pdf
from tests.web.house import House, house

pytestmark = [pytest.mark.slow, pytest.mark.skipif(program() is None, reason="moto is not installed here")]
PAPERS = "s3://shelf/papers/"


class Served:
    """A server, the S3 server from which it may read a folder, and what the server stores."""

    def __init__(self, house: House, options: dict[str, str], folder: Path) -> None:
        self.house, self._options, self._folder = house, options, folder
        self.url = house.url
        self.client = httpx.Client(base_url=house.url, timeout=60, trust_env=False)

    def put(self, key: str, content: bytes) -> str:
        ask("PUT", f"{self._options['endpoint']}/shelf/{key}", content)
        return f"s3://shelf/{key}"

    def post(self, *sources: str, options: dict[str, Any] | None = None, key: str = "") -> httpx.Response:
        fields = [("source", (None, source)) for source in sources]
        fields.append(("options", (None, json.dumps(options or {}))))
        return self.client.post("/v1/documents", files=fields, headers={"Idempotency-Key": key} if key else {})

    def stored(self) -> list[str]:
        return [path.name for path in (self._folder / "blobs").rglob("*") if path.is_file()]


@pytest.fixture(scope="module")
def s3() -> Iterator[dict[str, str]]:
    with serving() as options:
        yield options


@pytest.fixture(scope="module")
def served(s3: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("data")
    groups: dict[str, Any] = {"sources": {"buckets": [PAPERS]}, "blobs": {"storage_options": s3}}
    with house(folder, **groups) as running:
        served = Served(running, s3, folder)
        yield served
        served.client.close()


@pytest.fixture(scope="module")
def narrow(s3: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with one slot of each kind, which fetches from the web, too."""
    folder = tmp_path_factory.mktemp("narrow")
    groups: dict[str, Any] = {
        "sources": {"buckets": [PAPERS], "http": True, "allow": "127.0.0.1"},
        "blobs": {"storage_options": s3},
        "limits": {"admission_wait_s": 1, "max_pages_in_flight": 2},
    }
    with pytest.MonkeyPatch.context() as patch:
        for name in ("MAX_FETCHING", "MAX_COPYING"):
            patch.setattr(services, name, 1)
        with house(folder, **groups) as running:
            served = Served(running, s3, folder)
            yield served
            served.client.close()


def test_an_object_is_the_same_document_as_the_upload_of_its_bytes(served: Served) -> None:
    """Guards against a second document for what is known by its bytes, and against names and options that are lost."""
    content = pdf(1, title="By address")
    url = served.put("papers/deep/by address.pdf", content)
    served.house.let_pages(2)
    answer = served.post(url, options={"index": False})
    assert answer.status_code == 202
    job = answer.json()
    assert (job["file_name"], job["media_type"], job["size"]) == ("by address.pdf", "application/pdf", len(content))
    ended = served.client.get(f"/v1/jobs/{job['id']}", params={"wait": 30}).json()
    assert ended["status"] == "succeeded"
    upload = served.client.post("/v1/documents", files={"file": ("other.pdf", content)}).json()
    assert upload["document_id"] == job["document_id"]
    assert hashlib.sha256(content).hexdigest() in served.stored()
    assert len(served.stored()) == 1
    again = served.client.post(f"/v1/jobs/{job['id']}/retry", json={"options": {"text_source": "ocr"}}).json()
    assert (again["document_id"], again["size"]) == (job["document_id"], len(content))
    served.client.delete(f"/v1/documents/{job['document_id']}").raise_for_status()
    assert served.stored() == []


def test_files_and_objects_of_one_form_are_jobs_in_order(served: Served) -> None:
    """Guards against an answer of which nobody knows which job is of which file."""
    urls = [served.put(f"papers/{name}.pdf", pdf(1, title=name)) for name in ("one", "two")]
    fields: list[Any] = [("source", (None, url)) for url in urls]
    fields.insert(1, ("file", ("sent.pdf", pdf(1, title="sent"))))
    answer = served.client.post("/v1/documents", files=fields).json()
    assert [job["file_name"] for job in answer["jobs"]] == ["sent.pdf", "one.pdf", "two.pdf"]
    named = served.post(*urls, options={"document_id": "d"})
    assert (named.status_code, named.json()["code"]) == (422, "invalid_option")
    too_many = served.post(*urls * 11)
    assert (too_many.status_code, too_many.json()["code"]) == (400, "malformed_request")
    for job in answer["jobs"]:
        served.client.delete(f"/v1/documents/{job['document_id']}").raise_for_status()


def test_a_key_makes_the_second_call_the_first_ones_job(served: Served) -> None:
    """Guards against a repetition that is refused or is another job, and against a key for other bytes."""
    url = served.put("papers/keyed.pdf", pdf(1, title="keyed"))
    first, second = (served.post(url, key="k1").json() for _ in range(2))
    assert first["id"] == second["id"]
    served.put("papers/keyed.pdf", pdf(1, title="changed"))
    other = served.post(url, key="k1")
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
    served.client.delete(f"/v1/documents/{first['document_id']}").raise_for_status()


@pytest.mark.parametrize(
    ("source", "status", "code"),
    [
        ("s3://shelf/papers/missing.pdf", 422, "source_unavailable"),
        ("s3://shelf/papers-other/a.pdf", 422, "source_refused"),
        ("s3://shelf/papers/../secret.pdf", 422, "source_refused"),
        ("http://127.0.0.1/a.pdf", 422, "source_refused"),
        ("file:///etc/passwd", 422, "source_refused"),
        ("s3://shelf/papers/empty.pdf", 400, "empty_file"),
        ("s3://shelf/papers/program.pdf", 415, "unsupported_media_type"),
    ],
)
def test_what_is_refused_has_the_name_of_its_reason_and_leaves_nothing(
    served: Served, source: str, status: int, code: str
) -> None:
    """Guards against a refusal that is an internal error, and against staged copies of it."""
    served.put("papers-other/a.pdf", pdf(1))
    served.put("secret.pdf", pdf(1))
    served.put("papers/empty.pdf", b"")
    served.put("papers/program.pdf", b"\x7fELF\x00")
    before = served.stored()
    answer = served.post(source)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert served.stored() == before


def test_a_form_without_a_file_and_without_an_address_is_malformed(served: Served) -> None:
    """Guards against a form that becomes no job and is answered as if it had."""
    answer = served.post("")
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed_request")


def test_the_client_docling_s_clients_and_assistants_name_objects_too(served: Served) -> None:
    """Guards against doors that fetch `s3://` as an address of the web."""
    url = served.put("papers/doors.pdf", pdf(1, title="doors"))
    served.house.let_pages(3)
    with pagemill.Client(served.url) as client:
        job = client.ingest(url, options={"index": False}, wait_s=None)
        assert (job.status, job.file_name) == ("succeeded", "doors.pdf")
        client.forget(job.document_id)
    body = {"sources": [{"kind": "http", "url": url}], "options": {"to_formats": ["text"]}}
    converted = served.client.post("/v1/convert/source", json=body).raise_for_status().json()
    assert converted["document"]["filename"] == "doors.pdf"
    answer = call(served, "ingest", url=url, file_name="renamed.pdf", options={"document_id": "assistant/1"})
    assert not answer.is_error, answer.content
    assert answer.structured_content["file_name"] == "renamed.pdf"
    served.client.delete("/v1/documents/assistant/1").raise_for_status()
    refused = call(served, "ingest", url="s3://shelf/secret.pdf")
    assert "source_refused" in refused.content[0].text


def test_a_request_with_both_kinds_of_sources_does_not_wait_for_itself(s3: dict[str, str], narrow: Served) -> None:
    """Guards against as many such requests as there are slots, of which each holds one and waits for another."""
    object_url = narrow.put("papers/bucket.pdf", pdf(1, title="bucket"))
    narrow.put("papers/web.pdf", pdf(1, title="web"))
    web = {"kind": "http", "url": f"{s3['endpoint']}/shelf/papers/web.pdf", "headers": KEY_HEADERS}
    body = {"sources": [web, {"kind": "http", "url": object_url}]}
    answer = narrow.client.post("/v1/convert/source/async", json=body)
    assert answer.status_code == 200, answer.text
    files = {job["file_name"] for job in narrow.client.get("/v1/jobs").json()["jobs"]}
    assert files == {"web.pdf", "bucket.pdf"}


class HeldRenderer:
    """Copies an object once it is let."""

    def __init__(self, objects: BucketObjects) -> None:
        self._objects = objects
        self.called, self.let = asyncio.Event(), asyncio.Event()

    async def staged_object(self, url: str) -> Any:
        self.called.set()
        await self.let.wait()
        return await self._objects.staged_object(url)


@pytest.mark.parametrize(("wants", "cancelled"), [(True, ["j"]), (False, [])])
def test_a_client_that_leaves_while_its_object_is_copied_has_sent_all_of_it(
    s3: dict[str, str], tmp_path: Path, wants: bool, cancelled: list[str]
) -> None:
    """Guards against a job that nobody cancels, and against a copy that nobody owns."""
    ask("PUT", f"{s3['endpoint']}/shelf/papers/left.pdf", pdf(1))
    groups = {"sources": {"buckets": [PAPERS]}, "blobs": {"storage_options": s3}, "data_dir": str(tmp_path)}
    settings = Settings.model_validate(groups)
    blobs = FolderBlobs(tmp_path / "blobs")
    held = BucketObjects(settings)

    async def main() -> Jobs:
        jobs, renderer = Jobs(), HeldRenderer(held)
        jobs.let.set()
        options = json.dumps({"cancel_on_disconnect": wants})
        fields = {"source": (None, f"{PAPERS}left.pdf"), "options": (None, options)}
        await leave(app_of(jobs, blobs, settings, renderer), renderer, jobs, files=fields)
        return jobs

    jobs = asyncio.run(main())
    assert jobs.bytes_there
    assert jobs.cancelled == cancelled
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
