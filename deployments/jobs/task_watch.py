"""Waiting for jobs and extractions: long polls, event streams, partial pages, without delaying the work itself."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from deployments.jobs.running_task import RunningExtraction, RunningJob, RunningTask
from deployments.jobs.store.job_records import JobRecords
from deployments.jobs.store.store_thread import StoreThread
from deployments.values.jobs import Event, ExtractionJob, Job, JobStatus, PartialPage, Plan
from documents.values import Opened

T = TypeVar("T")


class TaskWatch:
    """Reads the records in threads of its own, over connections of its own; results do not hold up small reads."""

    def __init__(
        self,
        records: JobRecords,
        jobs: Mapping[str, RunningJob],
        extractions: Mapping[str, RunningExtraction],
        read_result: StoreThread,
    ) -> None:
        """`read_result`: for what may take long, and is its owner's."""
        self._records = records
        self._jobs = jobs  # their owner's, as extractions: only looked at
        self._extractions = extractions
        self._read = StoreThread("job-records")
        self._read_result = read_result

    async def job(self, job_id: str, namespace: str | None = None) -> Job:
        """The job with the progress of its pages. Raises UnknownJob."""
        job = await self._read(lambda: self._records.job(job_id, namespace))
        running = self._jobs.get(job_id)
        if running is None or not running.pages:
            return job
        pages = tuple(
            page.model_copy(update={"status": "running"})
            if page.status == "queued" and page.number in running.pages
            else page
            for page in job.pages
        )
        return job.model_copy(update={"pages": pages})

    async def jobs(self, namespace: str, limit: int = 100, status: JobStatus | None = None) -> list[Job]:
        """The newest first, without their pages."""
        return await self._read(lambda: self._records.jobs(namespace, limit=limit, status=status))

    async def wait(self, job_id: str, timeout_s: float, namespace: str | None = None) -> Job:
        """The job when it ends, or as it is after `timeout_s` seconds."""
        await _ended(self._jobs.get(job_id), timeout_s)
        return await self.job(job_id, namespace)

    async def extraction(self, extraction_id: str, namespace: str | None = None, wait_s: float = 0) -> ExtractionJob:
        """How it stands when it has ended, or after `wait_s` seconds. Raises UnknownExtraction."""
        await _ended(self._extractions.get(extraction_id), wait_s)
        return await self._read(lambda: self._records.extraction(extraction_id, namespace))

    async def events(
        self, job_id: str, after: int, wait_s: float, namespace: str | None = None
    ) -> tuple[list[Event], bool]:
        """What happened to the job since the event `after`, waiting for it; and whether that was all."""
        read = functools.partial(self._records.events, job_id, after, namespace)
        return await self._events(read, lambda: self._jobs.get(job_id), wait_s)

    async def extraction_events(
        self, extraction_id: str, after: int, wait_s: float, namespace: str | None = None
    ) -> tuple[list[Event], bool]:
        """As `events`, of an extraction."""
        read = functools.partial(self._records.extraction_events, extraction_id, after, namespace)
        return await self._events(read, lambda: self._extractions.get(extraction_id), wait_s)

    async def _events(
        self,
        read: Callable[[], tuple[list[Event], bool]],
        running: Callable[[], RunningTask | None],
        wait_s: float,
    ) -> tuple[list[Event], bool]:
        for timeout_s in (wait_s, 0):
            task = running()
            change = task and task.committed  # before reading: what is committed meanwhile wakes us
            new_events, ended = await self._read(read)
            if new_events or ended:
                break
            await _within(timeout_s, change or asyncio.Event())  # one that runs elsewhere has no events here
        return new_events, ended

    def partial_page(self, job_id: str, partial_page: PartialPage) -> None:
        """Tell who watches the job; a page that is done needs none."""
        running = self._jobs.get(job_id)
        if running is not None and partial_page.number in running.pages:
            running.show(partial_page)

    async def partial_results(self, job_id: str, num_sent: int, wait_s: float) -> tuple[list[PartialPage], int, bool]:
        """Those after the first `num_sent`, waiting for one; how many there are by now; whether none will come."""
        partial_pages: list[PartialPage] = []
        for timeout_s in (wait_s, 0):
            running = self._jobs.get(job_id)
            if running is None:
                return [], num_sent, True
            since = num_sent if num_sent <= running.num_partial_results else 0  # a restarted server counts from 0
            partial_pages = [partial_page for count, partial_page in running.partial_results.values() if count > since]
            num_sent, partial_changed = running.num_partial_results, running.partial_changed
            if partial_pages:
                break
            await _within(timeout_s, partial_changed)
        return partial_pages, num_sent, False

    async def plan(self, job_id: str, namespace: str | None = None) -> Plan:
        """What the job is to do. Raises UnknownJob."""
        return await self._read(lambda: self._records.plan(job_id, namespace))

    async def facts(self, job_id: str, namespace: str | None = None) -> tuple[Plan, Opened, tuple[int, ...]]:
        """What a result is made of: the plan, the opened file, numbers of the pages that succeeded. Raises UnknownJob.

        `fetched_result` brings it together with the pages.
        """
        plan = await self.plan(job_id, namespace)
        opened, pages, _ = await self._read_result(lambda: self._records.facts(job_id))
        return plan, opened, pages.numbers

    async def page_texts(self, job_id: str, numbers: Sequence[int]) -> list[str]:
        """The JSON of pages that `facts` names, in their order. Raises UnknownJob."""
        return await self._read_result(lambda: self._records.page_texts(job_id, numbers))

    async def read(self, query: Callable[[JobRecords], T]) -> T:
        """The result of `query`, run on a connection of its own."""
        return await self._read(lambda: query(self._records))

    async def extraction_result(self, extraction_id: str, namespace: str | None = None) -> str | None:
        """JSON of the values; None: there is none (yet). Raises UnknownExtraction."""
        return await self._read_result(lambda: self._records.extraction_result(extraction_id, namespace))

    def close(self) -> None:
        """Let go of the thread, which must be idle."""
        self._read.close()


async def _ended(task: RunningTask | None, timeout_s: float) -> None:
    if task is not None:
        await _within(timeout_s, task.ended)


async def _within(timeout_s: float, event: asyncio.Event) -> None:
    """Wait for an event, at most so many seconds."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(timeout_s):
            await event.wait()
