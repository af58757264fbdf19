"""TaskExecution: what is waited for is forgotten, however the waiting ends."""

from __future__ import annotations

import asyncio
import io
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from configs import Settings
from deployments.ingress.facades.docling.convert_options import ConvertOptions
from deployments.ingress.facades.docling.task import ResponseFormat, Task
from deployments.ingress.facades.docling.task_execution import TaskExecution, TaskOptions, TooSlow
from deployments.ingress.middleware.error_responses import JobFailed
from deployments.ingress.operations.callers import ANONYMOUS_CALLER
from deployments.ingress.operations.services import Services
from deployments.ingress.uploads import Upload
from deployments.storage.folder_blobs import FolderBlobs
from deployments.values.jobs import Job, JobError
from retrieval.chunking.chunk_size import ByteCounter
from tests.deployments.ingress.handles import Handle

ASKED = TaskOptions(ConvertOptions(), ResponseFormat(formats=("md",)))
ID = "job_" + "0" * 32


class Jobs:
    """One job, which ends when it is let, or never."""

    def __init__(self, status: str) -> None:
        self.status, self.asked, self.forgotten = status, asyncio.Event(), list[str]()

    async def wait(self, job_id: str, wait_s: float, namespace: str) -> Job:
        self.asked.set()
        if self.status == "hanging":
            await asyncio.Event().wait()
        return await self.job(job_id, namespace)

    async def job(self, job_id: str, _: str) -> Job:
        error = JobError(code="encrypted_document", status=422, message="x") if self.status == "failed" else None
        about = {"id": job_id, "document_id": "converted-1", "revision": 1, "file_name": "a.pdf", "num_pages": 1}
        status = "running" if self.status == "hanging" else self.status
        return Job.model_validate(about | {"status": status, "error": error, "created_at": datetime.now(UTC)})

    async def position(self, job_id: str, _: str) -> int:
        return 1500

    async def forget(self, document_id: str, _: str) -> None:
        self.forgotten.append(document_id)


async def waited(jobs: Jobs, folder: Path, *, leave: bool = False) -> None:
    rooms: dict[str, Any] = dict.fromkeys(("pipeline", "layout", "ocr", "search", "renderer"))
    rooms |= {"jobs": Handle(jobs)}
    blobs = await asyncio.to_thread(FolderBlobs, folder)
    services = Services(settings=Settings(), blobs=blobs, **rooms)
    waiting = asyncio.ensure_future(
        TaskExecution(services, ByteCounter()).waited(
            Task(job_ids=(ID,), form=ResponseFormat()), ASKED, ANONYMOUS_CALLER
        )
    )
    try:
        if leave:
            await jobs.asked.wait()
            waiting.cancel()
        await waiting
    finally:
        await services.background_tasks.wait()


def test_the_position_of_a_waiting_task_is_counted_where_the_jobs_are(tmp_path: Path) -> None:
    """Guards against each poll of a waiting task that fetches a thousand jobs to count them, and no more than those."""
    rooms: dict[str, Any] = dict.fromkeys(("pipeline", "layout", "ocr", "search", "renderer"))
    services = Services(settings=Settings(), blobs=FolderBlobs(tmp_path), jobs=Handle(Jobs("queued")), **rooms)
    work = TaskExecution(services, ByteCounter())
    task = Task(job_ids=(ID,), form=ResponseFormat())
    assert asyncio.run(work.status(task, ANONYMOUS_CALLER)).task_position == 1500


@pytest.mark.parametrize(("status", "error"), [("failed", JobFailed), ("running", TooSlow), ("cancelled", JobFailed)])
def test_what_did_not_become_a_document_is_told_and_forgotten(tmp_path: Path, status: str, error: type) -> None:
    """Guards against a failure that is answered 200, and against jobs that nobody can name."""

    async def main() -> list[str]:
        jobs = Jobs(status)
        with pytest.raises(error):
            await waited(jobs, tmp_path)
        return jobs.forgotten

    assert asyncio.run(main()) == ["converted-1"]


def test_what_a_client_that_left_was_waiting_for_is_given_up(tmp_path: Path) -> None:
    """Guards against pages that are read for nobody: to forget a job cancels it."""

    async def main() -> list[str]:
        jobs = Jobs("hanging")
        with pytest.raises(asyncio.CancelledError):
            await waited(jobs, tmp_path, leave=True)
        return jobs.forgotten

    assert asyncio.run(main()) == ["converted-1"]


def test_a_client_that_leaves_while_its_file_is_taken_leaves_nothing(tmp_path: Path) -> None:
    """Guards against the bytes and rows of a conversion that stay for ever: its job was cancelled, never forgotten."""

    class Taking(Jobs):
        def __init__(self) -> None:
            super().__init__("running")
            self.gate = asyncio.Event()

        async def take(self, *_: object) -> Job:
            self.asked.set()
            await self.gate.wait()
            return await self.job(ID, "default")

    async def scenario() -> list[str]:
        jobs = Taking()
        rooms: dict[str, Any] = dict.fromkeys(("pipeline", "layout", "ocr", "search", "renderer"))
        rooms |= {"jobs": Handle(jobs)}
        blobs = await asyncio.to_thread(FolderBlobs, tmp_path)
        services = Services(settings=Settings(), blobs=blobs, **rooms)
        upload = Upload("a.pdf", "application/pdf", io.BytesIO(b"%PDF-1.4"))
        request = asyncio.create_task(
            TaskExecution(services, ByteCounter()).submitted([upload], ASKED, ANONYMOUS_CALLER)
        )
        await jobs.asked.wait()
        request.cancel()
        with pytest.raises(asyncio.CancelledError):
            await request
        jobs.gate.set()
        while others := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(others)
        return jobs.forgotten

    assert asyncio.run(scenario()) == ["converted-1"]
