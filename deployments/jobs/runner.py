"""JobRunner: drives every unfinished job to its end, a bounded number of pages at a time, whoever asked for it.

Only the event loop touches its state; the store is called in one thread. It knows the pipeline as a protocol, so it
runs without Ray.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import logging
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any, Literal, TypeVar

from deployments.blobs import Aside, BlobStore
from deployments.jobs.queue import PageQueue
from deployments.jobs.retry import tried
from deployments.jobs.store import JobStore, QueueFull
from deployments.jobs.values import Job, JobError, JobStatus, Plan, Submission, Timings, select_pages
from deployments.jobs.work import Running, Work
from documents.errors import IngestError
from documents.values import Opened, Page, PageWarning

logger = logging.getLogger("ray.serve")
T = TypeVar("T")


Step = tuple[Literal["open", "page", "finish"], int]


class JobRunner:
    """Owns the store, the queue of pages and the tasks that work on them."""

    def __init__(
        self,
        store: JobStore,
        blobs: BlobStore,
        work: Work,
        *,
        max_queued_jobs: int,
        max_pages_in_flight: int,
        page_attempts: int,
    ) -> None:
        self._store, self._blobs, self._work = store, blobs, work
        self._max_queued_jobs, self._page_attempts = max_queued_jobs, page_attempts
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="job-store")
        self._queue: PageQueue[Step] = PageQueue()
        self._running: dict[str, Running] = {}
        self._max_pages_in_flight = max_pages_in_flight
        self._detached: set[asyncio.Task[Any]] = set()  # the loop itself holds tasks only weakly

    async def start(self) -> None:
        """Take up what was left unfinished and begin to work."""
        for plan in await self._stored(self._store.resume):
            self._add(plan)
        for _ in range(self._max_pages_in_flight):
            self._detach(self._serve())

    async def close(self) -> None:
        """Stop working; the next `start` goes on."""
        tasks = [*self._detached, *(task for job in self._running.values() for task in job.tasks)]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._stored(self._store.close)
        self._thread.shutdown(wait=False)  # idle: its last call has returned

    @property
    def num_unfinished(self) -> int:
        """Jobs that have not ended."""
        return len(self._running)

    @property
    def num_queued(self) -> int:
        """Pages (and openings and endings of jobs) that no worker has taken yet."""
        return len(self._queue)

    # -- what callers ask --------------------------------------------------------------------------------------------

    def check_room(self) -> None:
        """Raises QueueFull when as many jobs are unfinished as allowed."""
        if len(self._running) >= self._max_queued_jobs:
            raise QueueFull(f"{self._max_queued_jobs} jobs are unfinished")

    async def submit(self, submission: Submission, aside: Aside) -> Job:
        """The job of this upload, whose bytes lie aside; see `JobStore.submit`.

        A caller that goes away in the middle leaves either no job or one that runs: row and entry go together.
        """
        return await self.job(await asyncio.shield(self._detach(self._submitted(submission, aside))))

    async def job(self, job_id: str, namespace: str | None = None) -> Job:
        job = await self._stored(lambda: self._store.job(job_id, namespace))
        running = self._running.get(job_id)
        if running is None or not running.pages:
            return job
        pages = tuple(
            page.model_copy(update={"status": "running"})
            if page.status == "queued" and page.number in running.pages
            else page
            for page in job.pages
        )
        return job.model_copy(update={"pages": pages})

    async def jobs(self, namespace: str, limit: int, status: JobStatus | None) -> list[Job]:
        return await self._stored(lambda: self._store.jobs(namespace, limit=limit, status=status))

    async def wait(self, job_id: str, timeout_s: float, namespace: str | None = None) -> Job:
        """The job when it ends, or as it is after `timeout_s` seconds."""
        if (running := self._running.get(job_id)) is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(timeout_s):
                    await running.ended.wait()
        return await self.job(job_id, namespace)

    async def cancel(self, job_id: str, namespace: str | None = None) -> Job:
        """End the job; what it has in the pipeline is cancelled, pages that are done stay."""
        plan = await self._stored(lambda: self._store.plan(job_id, namespace))
        await self._end(self._running.get(job_id) or Running(plan, time.perf_counter()), "cancelled")
        return await self.job(job_id, namespace)

    async def facts(self, job_id: str, namespace: str | None = None) -> tuple[Plan, Opened, list[Page], list[int]]:
        """What a result is made of: plan, what opening told, pages that succeeded, numbers of those that failed."""
        plan = await self._stored(lambda: self._store.plan(job_id, namespace))
        return plan, *await self._stored(lambda: self._store.facts(job_id))

    # -- the work ----------------------------------------------------------------------------------------------------

    async def _submitted(self, submission: Submission, aside: Aside) -> str:
        job_id, new = await self._stored(lambda: self._taken(submission, aside))
        if new:
            self._add(await self._stored(lambda: self._store.plan(job_id)))
        return job_id

    def _taken(self, submission: Submission, aside: Aside) -> tuple[str, bool]:
        """Blob first, then row; a blob that no row wants is not kept. In the store's thread, so uploads take turns."""
        self._blobs.keep(aside)
        try:
            return self._store.submit(submission)
        except Exception:
            if not self._store.wants(submission.sha256):
                self._blobs.drop(submission.sha256)
            raise

    def _add(self, plan: Plan) -> None:
        job = self._running[plan.job_id] = Running(plan, time.perf_counter())
        if plan.options.deadline_s is not None:
            late = JobError(code="deadline_exceeded", status=504, message="the job's deadline passed", retryable=True)
            left_s = plan.options.deadline_s - (datetime.now(UTC) - plan.created_at).total_seconds()
            job.timer = asyncio.get_running_loop().call_later(
                max(0.0, left_s), lambda: self._detach(self._ended(job, "failed", error=late))
            )
        self._queue.put(plan.job_id, [("open", 0)])

    async def _serve(self) -> None:
        """One of the workers: a step at a time, for ever."""
        steps: dict[str, Callable[[Running, int], Coroutine[Any, Any, None]]] = {
            "open": self._open,
            "page": self._page,
            "finish": self._finish,
        }
        while True:
            job_id, (kind, number) = await self._queue.take()
            if (job := self._running.get(job_id)) is None:
                continue
            task = asyncio.create_task(steps[kind](job, number))
            job.tasks.add(task)
            try:
                await asyncio.wait({task})
            finally:
                job.tasks.discard(task)
                if not task.done():
                    task.cancel()
            if not task.cancelled() and (error := task.exception()) is not None:
                logger.error("job %s failed in %s", job_id, kind, exc_info=error)
                with contextlib.suppress(Exception):  # the store itself may be what is broken: this worker must go on
                    await self._end(job, "failed", error=JobError.of(Exception()))

    async def _open(self, job: Running, _: int) -> None:
        try:
            opened = await tried(lambda: self._work.open(job.plan), attempts=self._page_attempts)
            numbers = select_pages(job.plan.options.pages, opened.num_pages)
        except IngestError as error:
            await self._end(job, "failed", error=JobError.of(error))
            return
        if not numbers:
            none = JobError(code="no_pages", status=422, message=f"of {opened.num_pages} pages none was chosen")
            await self._end(job, "failed", error=none)
            return
        left = await self._stored(lambda: self._store.begin(job.plan, opened, numbers))
        job.left = len(left)
        self._queue.put(job.plan.job_id, [("page", number) for number in left] or [("finish", 0)])

    async def _page(self, job: Running, number: int) -> None:
        job.pages.add(number)
        timings: Timings = {}
        try:
            outcome, timings = await tried(lambda: self._work.page(job.plan, number), attempts=self._page_attempts)
        except IngestError as error:
            outcome = JobError.of(error)
        except Exception as error:
            logger.exception("page %d of job %s failed", number, job.plan.job_id)
            outcome = JobError.of(error)
        finally:
            job.pages.discard(number)
        await self._stored(lambda: self._store.finish_page(job.plan, number, outcome, timings))
        job.left -= 1
        if job.left == 0:
            self._queue.put(job.plan.job_id, [("finish", 0)])

    async def _finish(self, job: Running, _: int) -> None:
        opened, pages, failed = await self._stored(lambda: self._store.facts(job.plan.job_id))
        warnings = [PageWarning(code="page_failed", message="the page could not be read", page=n) for n in failed]
        if not pages:
            lost = JobError(code="all_pages_failed", status=422, message="no page could be read")
            await self._end(job, "failed", error=lost, warnings=warnings)
            return
        if job.plan.options.index:
            warnings += await self._indexed(job, opened, pages)
        lost = {"page_failed", "region_failed", "not_indexed"}
        told = [*warnings, *(warning for page in pages for warning in page.warnings)]
        partial = any(warning.code in lost for warning in told)
        await self._end(job, "partial" if partial else "succeeded", warnings=warnings)

    async def _indexed(self, job: Running, opened: Opened, pages: list[Page]) -> list[PageWarning]:
        """Put the document into the index; what kept it out."""
        standing = await self._stored(lambda: self._store.standing(job.plan))
        if standing == "ended":
            return []
        if standing == "superseded":
            return [PageWarning(code="superseded", message="a newer revision of the document is in its place")]
        try:
            await tried(lambda: self._work.finish(job.plan, opened, pages), attempts=self._page_attempts)
        except Exception:  # the text is there all the same, so the job says what is missing and ends
            logger.exception("job %s could not be indexed", job.plan.job_id)
            return [PageWarning(code="not_indexed", message="the document is not found by search")]
        return []

    async def _end(
        self,
        job: Running,
        status: JobStatus,
        *,
        error: JobError | None = None,
        warnings: list[PageWarning] | None = None,
    ) -> None:
        """End a job, wholly also when the caller is cancelled meanwhile."""
        asked_by = asyncio.current_task()
        ending = self._ended(job, status, error=error, warnings=warnings, asked_by=asked_by)
        await asyncio.shield(self._detach(ending))

    async def _ended(
        self,
        job: Running,
        status: JobStatus,
        *,
        error: JobError | None = None,
        warnings: list[PageWarning] | None = None,
        asked_by: asyncio.Task[Any] | None = None,
    ) -> None:
        """Commit how the job ended, then stop what it still has in the pipeline and wake those who wait."""
        timings = {"total_s": round(time.perf_counter() - job.begun, 4)}
        plan = job.plan
        await self._stored(
            lambda: self._store.finish(plan, status, error=error, warnings=warnings or [], timings=timings)
        )
        self._queue.drop(plan.job_id)
        self._running.pop(plan.job_id, None)
        if job.timer is not None:
            job.timer.cancel()
        for task in job.tasks - {asked_by}:
            task.cancel()
        job.ended.set()

    def _detach(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """A task with an empty context: one that carries a request's context is cancelled when its client goes."""
        task = asyncio.get_running_loop().create_task(work, context=contextvars.Context())
        self._detached.add(task)
        task.add_done_callback(self._detached.discard)
        return task

    async def _stored(self, change: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, change)
