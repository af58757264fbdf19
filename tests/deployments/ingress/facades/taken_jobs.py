"""Jobs that take every upload and end when a test lets them, for what a facade does while it waits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
from fastapi import APIRouter, FastAPI

from configs import Settings
from deployments.errors import ReplicaDied
from deployments.ingress.middleware import error_responses
from deployments.ingress.operations.services import Services
from deployments.storage.folder_blobs import FolderBlobs
from deployments.values.jobs import Job, JobError, Submission
from deployments.values.staged_blob import StagedBlob
from tests.deployments.ingress.handles import Handle

LOCKED = JobError(code="encrypted_document", status=422, message="locked")
MAX_WAITS = 20  # more are a loop that does not wait


class TakenJobs:
    """The same bytes are the same job, except where a job ends with its client; all fail when they are let."""

    def __init__(self, num_deaths: int = 0) -> None:
        """`num_deaths`: so many times the replica dies over a call that looks at a job."""
        self.let = asyncio.Event()
        self.changed = asyncio.Condition()
        self.jobs: dict[str, Job] = {}
        self.waits: list[float] = []  # seconds, of each look at a job
        self.cancelled: list[str] = []
        self.forgotten: list[str] = []
        self._num_deaths = num_deaths

    async def check_room(self, *_: object) -> None: ...

    async def take(self, submission: Submission, _: StagedBlob) -> Job:
        options = submission.options
        job_id = f"job_{len(self.jobs)}" if options.cancel_on_disconnect else submission.sha256
        about = {"id": job_id, "document_id": options.document_id or submission.sha256, "revision": 1}
        about |= {"file_name": submission.file_name, "num_pages": 1, "status": "running"}
        self.jobs[job_id] = Job.model_validate(about | {"created_at": datetime.now(UTC)})
        return self.jobs[job_id]

    async def wait(self, job_id: str, wait_s: float, _: str) -> Job:
        async with self.changed:
            self.waits.append(wait_s)
            self.changed.notify_all()
        assert len(self.waits) <= MAX_WAITS, "it does not wait between two looks"
        if self._num_deaths:
            self._num_deaths -= 1
            raise ReplicaDied("replaced")
        if wait_s:
            await self.let.wait()
        return await self._job(job_id)

    async def job(self, job_id: str, namespace: str) -> Job:
        return await self.wait(job_id, 0, namespace)

    async def _job(self, job_id: str) -> Job:
        job = self.jobs[job_id]
        return job.model_copy(update={"status": "failed", "error": LOCKED}) if self.let.is_set() else job

    async def cancel(self, job_id: str) -> None:
        self.cancelled.append(job_id)

    async def forget(self, document_id: str, _: str) -> None:
        self.forgotten.append(document_id)

    async def until_waits(self, count: int) -> None:
        async with self.changed:
            await self.changed.wait_for(lambda: len(self.waits) >= count)


def services_of(jobs: TakenJobs, folder: Path, **limits: Any) -> Services:
    rooms: dict[str, Any] = dict.fromkeys(("pipeline", "layout", "ocr", "search", "renderer"))
    rooms |= {"jobs": Handle(jobs)}
    settings = Settings.model_validate({"limits": limits})
    return Services(settings=settings, blobs=FolderBlobs(folder), **rooms)


@asynccontextmanager
async def client_of(services: Services, router: Callable[[Services], APIRouter]) -> AsyncIterator[httpx.AsyncClient]:
    """A client of one replica that has these routes; when it goes, what the replica still does for it is done."""
    app = FastAPI()
    app.include_router(router(services))
    error_responses.install(app)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here") as client:
        yield client
    await services.background_tasks.wait()
