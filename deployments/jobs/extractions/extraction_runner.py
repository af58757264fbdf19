"""Runs stored extractions in the background, a bounded number at once, and resumes them after a restart."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from deployments.calls.background_tasks import DetachedTasks
from deployments.jobs.extractions import extraction_rows as rows
from deployments.jobs.store.store import JobStore
from deployments.jobs.store.store_thread import StoreThread
from deployments.values.jobs import ExtractionJob, ExtractionPlan, ExtractionSubmission, JobError, JobStatus

logger = logging.getLogger("ray.serve")
MAX_ATTEMPTS = 3  # lives of the server that may end over one extraction; one that is stopped cleanly does not count
Progress = Callable[[int, int], Awaitable[None]]
Extract = Callable[[ExtractionPlan, Progress], Awaitable[dict[str, Any]]]
"""The values of a plan as JSON; `progress` receives how many of how many calls of the model are done."""


@dataclass(slots=True)
class RunningExtraction:
    """One that has not ended, in memory."""

    task: asyncio.Task[None] | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)  # replaced at each change
    ended: asyncio.Event = field(default_factory=asyncio.Event)


class ExtractionRunner:
    """Its rows lie in the job store, under the same lease."""

    def __init__(
        self, store: JobStore, stored: StoreThread, extract: Extract, *, max_running: int, max_unfinished: int
    ) -> None:
        self._store = store
        self._stored = stored
        self._extract = extract
        self._max_unfinished = max_unfinished
        self._places = asyncio.Semaphore(max_running)
        self._running: dict[str, RunningExtraction] = {}
        self._begun: set[str] = set()  # whose attempt is counted and has not come to an end
        self._tasks = DetachedTasks()

    async def start(self) -> None:
        """Go on with what an earlier life of the server left unfinished."""
        for extraction_id in await self._stored(lambda: self._store.change(rows.unfinished)):
            self._add(extraction_id)

    async def close(self) -> None:
        """Stop; the next `start` goes on, and what runs now has not used up an attempt."""
        for task in self._tasks:
            task.cancel()
        await self._tasks.wait()
        begun, self._begun = self._begun, set()
        if begun:
            with contextlib.suppress(Exception):  # the storage is away or another's: then the attempt counts
                await self._stored(lambda: self._store.change(lambda db: rows.put_back(db, begun)))

    async def submit(self, submission: ExtractionSubmission) -> ExtractionJob:
        """Raises QueueFull, QuotaExceeded, UnknownJob."""
        # a caller that goes away in the middle leaves either no extraction or one that runs
        return await self.extraction(await asyncio.shield(self._tasks.start(self._submitted(submission))))

    async def extraction(self, extraction_id: str, namespace: str | None = None) -> ExtractionJob:
        """How it stands. Raises UnknownExtraction."""
        return await self._stored(lambda: self._store.change(lambda db: rows.extraction(db, extraction_id, namespace)))

    async def result(self, extraction_id: str, namespace: str | None = None) -> str | None:
        """JSON of the values; None: there is none. Raises UnknownExtraction."""
        return await self._stored(lambda: self._store.change(lambda db: rows.result_of(db, extraction_id, namespace)))

    async def wait(self, extraction_id: str, timeout_s: float, namespace: str | None = None) -> ExtractionJob:
        """How it stands when it has ended, or after so many seconds."""
        running = self._running.get(extraction_id)
        if running is not None:
            await _within(timeout_s, running.ended)
        return await self.extraction(extraction_id, namespace)

    async def follow(
        self, extraction_id: str, last_state: tuple[str, int] | None, wait_s: float, namespace: str | None = None
    ) -> ExtractionJob:
        """How it stands when status or calls are others than `last_state`, or after so many seconds."""
        running = self._running.get(extraction_id)
        changed = None if running is None else running.changed  # before reading: what comes meanwhile wakes us
        extraction = await self.extraction(extraction_id, namespace)
        if extraction.done or (extraction.status, extraction.calls_done) != last_state:
            return extraction
        await _within(wait_s, changed or asyncio.Event())  # of one that is not in memory nobody tells: time passes
        return await self.extraction(extraction_id, namespace)

    async def cancel(self, extraction_id: str, namespace: str | None = None) -> ExtractionJob:
        """End it; the model's work for it ends, too. One that has ended is left as it is."""
        await self.extraction(extraction_id, namespace)
        await self._end(extraction_id, "cancelled")
        return await self.extraction(extraction_id, namespace)

    async def cancel_of(self, namespace: str, document_id: str) -> None:
        """End those of a document that is about to be forgotten."""
        ids = await self._stored(lambda: self._store.change(lambda db: rows.unfinished_of(db, namespace, document_id)))
        for extraction_id in ids:
            await self._end(extraction_id, "cancelled")

    async def _submitted(self, submission: ExtractionSubmission) -> str:
        extraction_id = await self._stored(
            lambda: self._store.change(lambda db: rows.add(db, submission, self._max_unfinished))
        )
        self._add(extraction_id)
        return extraction_id

    def _add(self, extraction_id: str) -> None:
        running = self._running[extraction_id] = RunningExtraction()
        running.task = self._tasks.start(self._run(extraction_id))

    def _begin(self, extraction_id: str) -> Any:
        """In the store's thread: an attempt is noted with its row, whoever is cancelled meanwhile."""
        plan = self._store.change(lambda db: rows.begin(db, extraction_id))
        if plan is not None:
            self._begun.add(extraction_id)
        return plan

    async def _run(self, extraction_id: str) -> None:
        async with self._places:
            try:
                plan = await self._stored.retry_until_done(lambda: self._begin(extraction_id))
                if plan is None:
                    self._wake(extraction_id, ended=True)
                    return
                if plan.attempt > MAX_ATTEMPTS:
                    message = f"the server went down {MAX_ATTEMPTS} times during this extraction"
                    lost = JobError(code="replica_lost", status=503, message=message, retryable=True)
                    await self._end(extraction_id, "failed", error=lost)
                    return
                self._wake(extraction_id)
                result = await self._extract(plan, self._progress_of(extraction_id))
                await self._end(extraction_id, "succeeded", result=result)
            except Exception as error:
                problem = JobError.of(error)
                if problem.code == "internal":
                    logger.exception("extraction %s failed", extraction_id)
                with contextlib.suppress(Exception):  # the storage is away or another's: its owner takes it up again
                    await self._end(extraction_id, "failed", error=problem)

    def _progress_of(self, extraction_id: str) -> Progress:
        async def progress(num_done: int, total: int) -> None:
            await self._stored(lambda: self._store.change(lambda db: rows.progress(db, extraction_id, num_done, total)))
            self._wake(extraction_id)

        return progress

    async def _end(
        self,
        extraction_id: str,
        status: JobStatus,
        *,
        result: dict[str, Any] | None = None,
        error: JobError | None = None,
    ) -> None:
        changed = await self._stored.retry_until_done(
            lambda: self._store.change(lambda db: rows.end(db, extraction_id, status, result=result, error=error))
        )
        if changed:
            logger.info("extraction %s: %s", extraction_id, status)
        self._begun.discard(extraction_id)
        running = self._running.get(extraction_id)
        if running is not None and running.task is not None and running.task is not asyncio.current_task():
            running.task.cancel()
        self._wake(extraction_id, ended=True)

    def _wake(self, extraction_id: str, *, ended: bool = False) -> None:
        running = self._running.get(extraction_id)
        if running is None:
            return
        running.changed.set()
        running.changed = asyncio.Event()
        if ended:
            running.ended.set()
            del self._running[extraction_id]


async def _within(seconds: float, event: asyncio.Event) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
