"""Converts files for callers that keep the result themselves: one job per file, which search does not know, and which
is deleted with its document.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from deployments.calls.call_retries import unless_replaced
from deployments.calls.cancellable_calls import call, together
from deployments.errors import UnknownDocument, UnknownJob
from deployments.ingress.operations.callers import Caller
from deployments.ingress.operations.figure_pictures import drawn_figures
from deployments.ingress.operations.result_document import result_document
from deployments.ingress.operations.services import Services
from deployments.ingress.operations.submission import SubmittedFile, submit
from deployments.values.jobs import Job, JobError, Options
from documents.values import Document

logger = logging.getLogger("ray.serve")
DOCUMENT_PREFIX = "converted-"  # marks a document that is only converted and not searchable
# maximum per answer; the figures beyond it have no picture
MAX_PICTURE_BYTES = 50_000_000


@dataclass(frozen=True, slots=True)
class Converted:
    """One document of a request with its job, and the pictures of its figures (PNG) by their names."""

    job: Job
    document: Document | None  # None: the job has no result
    pictures: Mapping[str, bytes]
    sha256: str = ""  # of the file


class Conversions:
    """Submits files, waits for them and deletes them; keeps nothing between two calls."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def submitted(
        self, uploads: Sequence[SubmittedFile], options_of: Callable[[str], Options], caller: Caller
    ) -> list[Job]:
        """A job for each upload; `options_of` gives those of a document id. If one is refused, none is left."""
        jobs: list[Job] = []

        def leave(job: Job) -> None:
            self.forget([job], caller.namespace)

        try:
            for upload in uploads:
                options = options_of(f"{DOCUMENT_PREFIX}{uuid.uuid4().hex}")
                jobs.append(await submit(self._services, upload, options, None, caller, leave))
        except BaseException:
            self.forget(jobs, caller.namespace)
            raise
        return jobs

    async def jobs(self, job_ids: Sequence[str], namespace: str, wait_s: float) -> list[Job]:
        """The jobs as they are when all have ended or the seconds are over; it waits while Jobs is replaced, too.

        Raises:
            UnknownJob: there is none of this id in the namespace.
            Busy, ReplicaDied: Jobs was still being replaced when the seconds were over.
        """
        return await together(self._job(job_id, namespace, wait_s) for job_id in job_ids)

    async def _job(self, job_id: str, namespace: str, wait_s: float) -> Job:
        handle = self._services.jobs
        deadline = time.monotonic() + wait_s

        def look() -> Coroutine[Any, Any, Job]:
            return call(handle.wait.remote(job_id, max(0.0, deadline - time.monotonic()), namespace))

        while time.monotonic() < deadline:
            if (job := await unless_replaced(look, None)) is not None:
                return job
        return await call(handle.job.remote(job_id, namespace))

    async def converted(self, job: Job, namespace: str, *, dpi: float | None, max_bytes: int) -> Converted:
        """What an ended job read, its figures drawn at `dpi` unless that is None; for who holds a document's slot."""
        if job.status not in ("succeeded", "partial"):
            return Converted(job, None, {})
        plan, document = await result_document(self._services, job, namespace)
        pictures: dict[str, bytes] = {}
        if dpi is not None:
            pictures, _ = await drawn_figures(self._services, plan, document, dpi=dpi, max_bytes=max_bytes)
        return Converted(job, document, pictures, plan.sha256)

    def forget(self, jobs: Sequence[Job | str], namespace: str) -> None:
        """Remove the documents of these jobs (or of jobs of these ids), also when this request is cancelled."""

        async def forget(job_or_id: Job | str) -> None:
            handle = self._services.jobs
            try:
                job: Job = (
                    job_or_id if isinstance(job_or_id, Job) else await call(handle.job.remote(job_or_id, namespace))
                )
                await call(handle.forget.remote(job.document_id, namespace))
            except (UnknownJob, UnknownDocument):
                return
            except Exception:  # nobody waits for it; what is left goes with limits.retention_days
                logger.exception("a conversion could not be deleted")

        for job_or_id in jobs:
            self._services.background_tasks.start(forget(job_or_id))


async def ended(services: Services, jobs: Sequence[Job], namespace: str) -> list[Job]:
    """The jobs when all of them have ended, however long that takes; also while Jobs is replaced."""
    return await together(_ended(services, job, namespace) for job in jobs)


async def _ended(services: Services, job: Job, namespace: str) -> Job:
    heartbeat_s = services.settings.limits.heartbeat_s

    def look() -> Coroutine[Any, Any, Job]:
        return call(services.jobs.wait.remote(job.id, heartbeat_s, namespace))

    while not job.done:
        job = await unless_replaced(look, job)
    return job


def file_name(job: Job) -> str:
    """The last part of what the client called the file, which may be a whole path."""
    return PurePosixPath(PureWindowsPath(job.file_name).name).name or "document"


def error_of(job: Job) -> JobError:
    """Why a job has no result."""
    cancelled = JobError(code="cancelled", status=409, message="the task was cancelled")
    return job.error or cancelled
