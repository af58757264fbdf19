"""Drives every unfinished job to its end: starts pages, limits how many run at once, deadlines, cancellation,
restarts.

Only the event loop touches its state; the store is called in one thread. It knows the pipeline as a protocol, so it
runs without Ray.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import Callable, Coroutine, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from deployments.calls.background_tasks import DetachedTasks
from deployments.errors import DatabaseAway, DiskFull, QueueFull, QuotaExceeded
from deployments.jobs.attached_documents import AttachedDocuments
from deployments.jobs.job_steps import OPEN_STEP, Step, Steps
from deployments.jobs.job_watch import JobWatch
from deployments.jobs.page_queue import PageQueue
from deployments.jobs.pipeline_work import Work
from deployments.jobs.removal import Removal
from deployments.jobs.retention import drop_unwanted, purge_dead_letters, retain, sweep
from deployments.jobs.running_job import Running
from deployments.jobs.store.lease import LeaseLost, keep_lease, take_lease
from deployments.jobs.store.store import JobStore
from deployments.jobs.store.store_thread import StoreThread
from deployments.jobs.webhooks.webhook_sender import WebhookSender
from deployments.storage.blobs import BlobStore, StagedBlob
from deployments.values.jobs import Job, JobError, JobStatus, Plan, Submission, Subscription
from documents.values import PageWarning

logger = logging.getLogger("ray.serve")
T = TypeVar("T")


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
        page_deadline_s: float = 600,
        max_result_bytes: int = 256_000_000,
        lease_s: float = 10,
        retention_s: float | None = None,
        sender_of: Callable[[JobStore, StoreThread], WebhookSender | None] = lambda _store, _stored: None,
    ) -> None:
        self._store = store
        self._blobs = blobs
        self._work = work
        self._running: dict[str, Running] = {}
        self._watch = JobWatch(store.records, self._running)
        self._max_queued_jobs = max_queued_jobs
        self._lease_s = lease_s
        self._retention_s = retention_s
        self._stored = StoreThread()
        self._queue: PageQueue[Step] = PageQueue()
        attached = AttachedDocuments(work, blobs, self._wholly_submitted, self._max_unfinished)
        self._steps = Steps(
            store,
            self._stored.retry_until_done,
            work,
            self._queue,
            self._end,
            attached,
            page_attempts=page_attempts,
            page_deadline_s=page_deadline_s,
            max_result_bytes=max_result_bytes,
        )
        self._removal = Removal(store, self._stored, blobs, work, turn=self._steps.turn, cancel=self.cancel)
        self._lost = False  # another owner has taken over
        self._max_pages_in_flight = max_pages_in_flight
        self._detached = DetachedTasks()
        self._sender = sender_of(store, self._stored)

    async def start(self) -> None:
        """Wait until nobody else owns the jobs, take up what was left unfinished and begin to work."""
        await take_lease(lambda: self._stored(lambda: self._store.acquire(self._lease_s)))
        await self._stored(lambda: drop_unwanted(self._store, self._blobs))
        plans = await self._stored(self._store.resume)
        # nothing that can fail follows: a start that failed may be repeated
        self._detached.start(keep_lease(lambda: self._stored(self._store.renew), self._lose, lease_s=self._lease_s))
        self._detached.start(sweep(self._blobs))
        if self._retention_s is not None:
            self._detached.start(retain(self._removal.older_than, self._removal.retire, retention_s=self._retention_s))
        if self._sender is not None:
            self._detached.start(self._sender.run())
            self._detached.start(purge_dead_letters(self._sender.purge))
        for plan in plans:
            self._add(plan)
        for _ in range(self._max_pages_in_flight):
            self._detached.start(self._serve())

    async def close(self) -> None:
        """Stop working; the next `start` goes on."""
        tasks = [*self._detached, *(task for job in self._running.values() for task in job.tasks)]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with contextlib.suppress(Exception):  # a lease that cannot be given back runs out
            await self._stored(self._store.close)
        self._stored.close()
        self._watch.close()

    @property
    def watch(self) -> JobWatch:
        """What callers learn of the jobs."""
        return self._watch

    @property
    def stored(self) -> StoreThread:
        """Where the store is called; its other owners call it there, too."""
        return self._stored

    @property
    def healthy(self) -> bool:
        """Whether this runner still owns the jobs."""
        return not self._lost

    @property
    def num_unfinished(self) -> int:
        """Unfinished jobs."""
        return len(self._running)

    @property
    def num_queued(self) -> int:
        """Pages (and openings and endings of jobs) that no worker has taken yet."""
        return len(self._queue)

    # -- what callers change ------------------------------------------------------------------------------------------

    def check_room(self, namespace: str = "default", max_unfinished: int | None = None) -> None:
        """Raises QueueFull or QuotaExceeded when as many jobs are unfinished as allowed, in all or of a namespace."""
        if len(self._running) >= self._max_queued_jobs:
            raise QueueFull(f"{self._max_queued_jobs} jobs are unfinished")
        mine = sum(job.plan.namespace == namespace for job in self._running.values())
        if max_unfinished is not None and mine >= max_unfinished:
            raise QuotaExceeded(f"{mine} jobs of this namespace are unfinished, as many as this key allows")

    async def submit(self, submission: Submission, staged: StagedBlob) -> Job:
        """The job of this upload, whose bytes are staged; see `JobStore.submit`.

        A caller that goes away in the middle leaves either no job or one that runs: row and entry go together.
        """
        return await self._watch.job(await self._wholly_submitted(submission, staged))

    async def subscribe(self, job_ids: Sequence[str], subscription: Subscription) -> None:
        """Tell an address of the events of these jobs, which are one task of docling-serve's."""
        await self._stored(lambda: self._store.subscribe(job_ids, subscription))

    async def cancel(self, job_id: str, namespace: str | None = None) -> Job:
        """End the job; what it has in the pipeline is cancelled, pages that are done stay."""
        plan = await self._stored(lambda: self._store.records.plan(job_id, namespace))
        await self._end(self._running.get(job_id) or Running(plan, time.perf_counter()), "cancelled")
        return await self._watch.job(job_id, namespace)

    async def forget(self, namespace: str, document_id: str) -> None:
        """Remove a document for good; see `Removal.forget`. Raises UnknownDocument."""
        await self._removal.forget(namespace, document_id)

    # -- the work ----------------------------------------------------------------------------------------------------

    async def _wholly_submitted(self, submission: Submission, staged: StagedBlob) -> str:
        """The id of its job, whose row and entry go together also when the caller is cancelled meanwhile."""
        return await asyncio.shield(self._detached.start(self._submitted(submission, staged)))

    async def _max_unfinished(self, job_id: str) -> int | None:
        return await self._stored(lambda: self._store.records.max_unfinished(job_id))

    async def _submitted(self, submission: Submission, staged: StagedBlob) -> str:
        job_id, _ = await self._stored(lambda: self._taken(submission, staged))
        plan = await self._stored.retry_until_done(lambda: self._store.records.unfinished(job_id))
        if plan is not None:  # new, or its commit was not told when the database went away
            self._add(plan)
        return job_id

    def _taken(self, submission: Submission, staged: StagedBlob) -> tuple[str, bool]:
        """Blob first, then row; a blob that no row wants is not kept. In the store's thread, so uploads take turns."""
        self._blobs.keep(staged)
        try:
            return self._store.submit(submission)
        except Exception:
            if not self._store.records.wants(submission.sha256):
                self._blobs.drop(submission.sha256)
            raise

    def _lose(self) -> None:
        """Another owner works on these jobs now, or must: stop, and say so to whoever asks for our health."""
        logger.error("the jobs are no longer ours")
        self._lost = True
        for job in self._running.values():
            for task in job.tasks:
                task.cancel()
            job.stop()
        self._running.clear()

    def _add(self, plan: Plan) -> None:
        """Begin with a job, unless that has been done: equal uploads meet here."""
        if plan.job_id in self._running:
            return
        job = self._running[plan.job_id] = Running(plan, time.perf_counter())
        if plan.options.deadline_s is not None:
            late = JobError(
                code="deadline_exceeded", status=504, message="the job exceeded its deadline", retryable=True
            )
            past_s = (datetime.now(UTC) - plan.created_at).total_seconds()  # negative where the clock was set back
            left_s = max(0.0, plan.options.deadline_s - max(0.0, past_s))
            job.timer = asyncio.get_running_loop().call_later(
                left_s, lambda: self._detached.start(self._ended(job, "failed", error=late))
            )
        self._queue.put(plan.job_id, [OPEN_STEP])

    async def _serve(self) -> None:
        """One of the workers: a step at a time, for ever."""
        steps: dict[str, Callable[[Running, int], Coroutine[Any, Any, None]]] = {
            "open": self._steps.open,
            "page": self._steps.page,
            "finish": self._steps.finish,
        }
        while True:
            job_id, step = await self._queue.take()
            if (job := self._running.get(job_id)) is None:
                continue
            task = asyncio.create_task(steps[step.kind](job, step.number))
            job.tasks.add(task)
            try:
                await asyncio.wait({task})
            finally:
                job.tasks.discard(task)
                if not task.done():
                    task.cancel()
            if not task.cancelled() and (error := task.exception()) is not None:
                if isinstance(
                    error, LeaseLost | DatabaseAway | DiskFull
                ):  # the storage was away for too long: no job is to blame
                    self._lose()
                    return
                logger.error("job %s failed in %s", job_id, step.kind, exc_info=error, extra={"job": job_id})
                try:
                    await self._end(job, "failed", error=JobError.of(error))
                except Exception:  # nothing can be committed here: the next owner takes up what is unfinished
                    logger.exception("job %s could not be ended", job_id, extra={"job": job_id})
                    self._lose()
                    return

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
        await asyncio.shield(
            self._detached.start(self._ended(job, status, error=error, warnings=warnings, asked_by=asked_by))
        )

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
        plan, timings = job.plan, {"total_s": round(time.perf_counter() - job.begun, 4)}
        changed = await self._stored.retry_until_done(
            lambda: self._store.finish(plan, status, error=error, warnings=warnings or [], timings=timings)
        )
        if changed:  # else it had ended before, and was logged then
            ending = {"file": plan.file_name, "pages": job.num_pages, "seconds": timings["total_s"]}
            ending |= {"warnings": len(warnings or ()), "error": error and error.message}
            extra = {"job": plan.job_id, "timings": timings}
            logger.info("job %s: %s %s", plan.job_id, status, json.dumps(ending), extra=extra)
        self._queue.drop(plan.job_id)
        self._running.pop(plan.job_id, None)
        for task in job.tasks - {asked_by}:
            task.cancel()
        job.stop()
