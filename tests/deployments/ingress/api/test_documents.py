"""`deployments.ingress.api.documents`: clients that leave, what is refused unread, what several files give."""

from __future__ import annotations

import asyncio
import contextvars
import errno
import json
import logging
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from ray.serve import context as serve_context
from ray.serve._private.logging_utils import ServeContextFilter
from ray.serve.exceptions import RequestCancelledError

from configs import Settings
from deployments.calls import call_retries
from deployments.errors import Busy, DatabaseDamaged, DiskFull, QuotaExceeded, ReplicaDied
from deployments.ingress.api import documents
from deployments.ingress.middleware import error_responses
from deployments.ingress.operations.services import Services
from deployments.storage.folder_blobs import FolderBlobs
from deployments.values.jobs import Job, JobError, Submission
from deployments.values.staged_blob import StagedBlob
from tests.deployments.ingress.handles import Handle

SETTINGS = Settings.model_validate({"limits": {"max_file_mb": 0.001}})


class Jobs:
    """Takes a job when it is let."""

    def __init__(self) -> None:
        self.called, self.let, self.settled = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.cancelled: list[str] = []
        self.bytes_there = False

    async def check_room(self, _: str, __: int | None) -> None: ...

    async def take(self, submission: Submission, staged: StagedBlob) -> Job:
        self.called.set()
        await self.let.wait()
        self.bytes_there = await asyncio.to_thread(Path(staged.address).exists)
        values: dict[str, Any] = {"id": "j", "document_id": "d", "revision": 1, "file_name": submission.file_name}
        asyncio.get_running_loop().call_soon(self.settled.set)
        return Job.model_validate(values | {"num_pages": None, "status": "queued", "created_at": datetime.now(UTC)})

    async def cancel(self, job_id: str) -> None:
        self.cancelled.append(job_id)


def app_of(jobs: Any, blobs: FolderBlobs, settings: Settings = SETTINGS, renderer: Any = None) -> FastAPI:
    rooms: dict[str, Any] = dict.fromkeys(("layout", "pipeline", "ocr", "search"))
    rooms |= {"jobs": Handle(jobs), "renderer": Handle(renderer)}
    services = Services(settings=settings, blobs=blobs, **rooms)
    app = FastAPI()
    app.include_router(documents.router(services))
    error_responses.install(app)
    return app


async def leave(app: FastAPI, part: Any, jobs: Jobs, **form: Any) -> None:
    """A client leaves while `part` of the server works for it; returns when nothing is left to do."""
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here") as client:
        request = asyncio.ensure_future(client.post("/v1/documents", **form))
        await part.called.wait()
        request.cancel()
        with pytest.raises(asyncio.CancelledError):
            await request
        part.let.set()
        await jobs.settled.wait()
        while left := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(left)


@pytest.mark.parametrize(("wants", "cancelled"), [(True, ["j"]), (False, [])])
def test_a_client_that_leaves_while_its_job_is_taken_is_one_whose_job_was_taken(
    tmp_path: Path, wants: bool, cancelled: list[str]
) -> None:
    """Guards against a job that nobody waits for and nobody cancels, and against one that lost its bytes."""

    blobs = FolderBlobs(tmp_path)

    async def main() -> Jobs:
        jobs = Jobs()
        options = json.dumps({"cancel_on_disconnect": wants})
        files = {"file": ("a.pdf", b"%PDF-1.4 body")}
        await leave(app_of(jobs, blobs), jobs, jobs, files=files, data={"options": options})
        return jobs

    jobs = asyncio.run(main())
    assert jobs.bytes_there
    assert jobs.cancelled == cancelled


class Leaving(Jobs):
    """Whose waits end, as Serve ends a call whose caller's own caller has left."""

    def __init__(self, left: BaseException) -> None:
        super().__init__()
        self.let.set()
        self.left = left

    async def wait(self, *_: Any) -> Job:
        raise self.left


@pytest.mark.parametrize("left", [asyncio.CancelledError(), RequestCancelledError("r")])
def test_a_wait_that_is_told_first_that_its_client_left_cancels_the_job(tmp_path: Path, left: BaseException) -> None:
    """Guards against `cancel_on_disconnect` that holds only where the request is cancelled before its call."""
    blobs = FolderBlobs(tmp_path)

    async def main() -> Leaving:
        jobs = Leaving(left)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app_of(jobs, blobs))) as client:
            with pytest.raises(type(left)):
                await client.post(
                    "http://here/v1/documents",
                    params={"wait": 9},
                    files={"file": ("a.pdf", b"%PDF-1.4 body")},
                    data={"options": json.dumps({"cancel_on_disconnect": True})},
                )
            while others := asyncio.all_tasks() - {asyncio.current_task()}:
                await asyncio.wait(others)
        return jobs

    assert asyncio.run(main()).cancelled == ["j"]


class Ended:
    """Takes every job unless its quota is used up; those of files named `bad` have failed."""

    def __init__(self, *, full: bool = False) -> None:
        self._full, self.quotas = full, []

    async def check_room(self, namespace: str, max_unfinished: int | None) -> None:
        self.quotas.append((namespace, max_unfinished))
        if self._full:
            raise QuotaExceeded("3 jobs of this key are unfinished")

    async def take(self, submission: Submission, _: StagedBlob) -> Job:
        return await self.wait(submission.file_name)

    async def wait(self, name: str, *_: object) -> Job:
        error = JobError(code="all_pages_failed", status=422, message="x") if name == "bad" else None
        values: dict[str, Any] = {"id": name, "document_id": "d", "revision": 1, "file_name": name, "num_pages": 1}
        values |= {"status": "failed" if error else "succeeded", "error": error, "links": {"self": "/v1/jobs/j"}}
        return Job.model_validate(values | {"created_at": datetime.now(UTC)})


def sent(jobs: Ended, folder: Path, body: Any, headers: dict[str, str], wait: int = 5) -> httpx.Response:
    async def main() -> httpx.Response:
        transport = httpx.ASGITransport(app_of(jobs, await asyncio.to_thread(FolderBlobs, folder)))
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
            return await client.post("/v1/documents", params={"wait": wait}, content=body, headers=headers)

    return asyncio.run(main())


def form(*names: str) -> tuple[bytes, dict[str, str]]:
    files = [("file", (name, b"%PDF-1.4 body")) for name in names]
    request = httpx.Request("POST", "http://here", files=files)
    return request.read(), {"content-type": request.headers["content-type"]}


@pytest.mark.parametrize(
    ("names", "status"),
    [(["good"], 200), (["bad"], 422), (["good", "fine"], 200), (["good", "bad"], 207), (["bad", "bad"], 207)],
)
def test_a_failure_is_never_told_as_200(tmp_path: Path, names: list[str], status: int) -> None:
    """Guards against a client that looks at the status alone and takes what failed for read."""
    answer = sent(Ended(), tmp_path, *form(*names))
    assert answer.status_code == status
    if len(names) > 1:
        assert [job["id"] for job in answer.json()["jobs"]] == names


def test_a_used_up_quota_is_told_before_the_body_is_read(tmp_path: Path) -> None:
    """Guards against two hundred megabytes that are taken in, only to be refused."""
    read = 0

    async def body():
        nonlocal read
        for piece in (b"--x", b"\r\n"):
            read += 1
            yield piece

    jobs = Ended(full=True)
    answer = sent(jobs, tmp_path, body(), {"content-type": "multipart/form-data; boundary=x"})
    assert (answer.status_code, answer.json()["code"], read) == (429, "quota_exceeded", 0)
    assert answer.headers["retry-after"]
    assert jobs.quotas == [("default", None)]


def test_the_line_that_names_a_job_has_the_id_of_its_request(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Guards against a log in which nobody finds which job an upload became: it is taken in a context of its own."""
    caplog.set_level(logging.INFO, "ray.serve")
    caplog.handler.addFilter(ServeContextFilter())
    context = contextvars.copy_context()
    context.run(lambda: serve_context._serve_request_context.set(serve_context._RequestContext(request_id="by-ann")))
    context.run(lambda: sent(Ended(), tmp_path, *form("good")))
    named = [record for record in caplog.records if getattr(record, "job", None) == "good"]
    assert [record.request_id for record in named] == ["by-ann"]


class Filling(Ended):
    """Has room for so many jobs."""

    def __init__(self, room: int) -> None:
        super().__init__()
        self._room = room

    async def take(self, submission: Submission, staged: StagedBlob) -> Job:
        if self._room == 0:
            raise QuotaExceeded("2 jobs of this key are unfinished")
        self._room -= 1
        return await super().take(submission, staged)


def test_files_that_found_no_room_are_told_beside_the_jobs_of_the_others(tmp_path: Path) -> None:
    """Guards against a 429 for three files, two of which are jobs whose ids nobody learns."""
    answer = sent(Filling(2), tmp_path, *form("one", "two", "three", "four"))
    assert answer.status_code == 207
    assert [job["id"] for job in answer.json()["jobs"]] == ["one", "two"]
    refused = answer.json()["refused"]
    assert [file["file_name"] for file in refused] == ["three", "four"]
    assert (refused[0]["problem"]["code"], refused[0]["problem"]["retryable"]) == ("quota_exceeded", True)
    assert sent(Filling(0), tmp_path, *form("one", "two")).status_code == 429


@pytest.mark.parametrize("error", [ReplicaDied("gone"), Busy("full")])
def test_a_wait_that_loses_the_jobs_replica_answers_with_the_job(
    tmp_path: Path, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards against a 503 without the id of a job that was taken, whose client sends it once more."""

    class Replaced(Ended):
        async def wait(self, name: str, *waits: object) -> Job:
            if waits:
                raise error
            return await super().wait(name)

    monkeypatch.setattr(call_retries, "REPLACEMENT_PAUSE_S", 0)
    answer = sent(Replaced(), tmp_path, *form("good"))
    assert (answer.status_code, answer.json()["id"]) == (200, "good")


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (DiskFull("no room"), 507, "disk_full"),
        (OSError(errno.ENOSPC, "No space left on device"), 507, "disk_full"),
        (DatabaseDamaged("the job database is damaged"), 500, "database_damaged"),
    ],
)
def test_what_the_disk_does_has_a_name(tmp_path: Path, error: Exception, status: int, code: str) -> None:
    """Guards against a full disk told as internal, and a damaged database told as no room."""

    class Failing(Ended):
        async def take(self, *_: object) -> Job:
            raise error

    answer = sent(Failing(), tmp_path, *form("one"))
    assert (answer.status_code, answer.json()["code"]) == (status, code)
