"""Waiting for jobs: long polls, event streams and partial pages, without delaying the work itself."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from typing import TypeVar

from deployments.jobs.running_job import Running
from deployments.jobs.store.job_records import JobRecords
from deployments.jobs.store.store_thread import StoreThread
from deployments.values.jobs import Event, Job, JobStatus, PartialPage, Plan
from deployments.values.stored_pages import Pages
from documents.values import Opened

T = TypeVar("T")


class JobWatch:
    """Reads the records in a thread of its own, over connections of its own."""

    def __init__(self, records: JobRecords, running: Mapping[str, Running]) -> None:
        self._records = records
        self._running = running  # its owner's: only looked at
        self._read = StoreThread("job-records")

    async def job(self, job_id: str, namespace: str | None = None) -> Job:
        job = await self._read(lambda: self._records.job(job_id, namespace))
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
        return await self._read(lambda: self._records.jobs(namespace, limit=limit, status=status))

    async def wait(self, job_id: str, timeout_s: float, namespace: str | None = None) -> Job:
        """The job when it ends, or as it is after `timeout_s` seconds."""
        if (running := self._running.get(job_id)) is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(timeout_s):
                    await running.ended.wait()
        return await self.job(job_id, namespace)

    async def events(
        self, job_id: str, after: int, wait_s: float, namespace: str | None = None
    ) -> tuple[list[Event], bool]:
        """What happened to the job since the event `after`, waiting for it; and whether that was all."""
        for timeout_s in (wait_s, 0):
            running = self._running.get(job_id)
            change = running and running.committed  # before reading: what is committed meanwhile wakes us
            new_events, ended = await self._read(lambda: self._records.events(job_id, after, namespace))
            if new_events or ended:
                break
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(timeout_s):
                    await (change or asyncio.Event()).wait()  # a job that runs elsewhere has no events here
        return new_events, ended

    def partial_page(self, job_id: str, partial_page: PartialPage) -> None:
        """Tell who watches the job; a page that is done needs none."""
        running = self._running.get(job_id)
        if running is not None and partial_page.number in running.pages:
            running.show(partial_page)

    async def partial_results(self, job_id: str, num_sent: int, wait_s: float) -> tuple[list[PartialPage], int, bool]:
        """Those after the first `num_sent`, waiting for one; how many there are by now; whether none will come."""
        partial_pages: list[PartialPage] = []
        for timeout_s in (wait_s, 0):
            running = self._running.get(job_id)
            if running is None:
                return [], num_sent, True
            since = num_sent if num_sent <= running.num_partial_results else 0  # a restarted server counts from 0
            partial_pages = [partial_page for count, partial_page in running.partial_results.values() if count > since]
            num_sent, partial_changed = running.num_partial_results, running.partial_changed
            if partial_pages:
                break
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(timeout_s):
                    await partial_changed.wait()
        return partial_pages, num_sent, False

    async def facts(self, job_id: str, namespace: str | None = None) -> tuple[Plan, Opened, Pages, list[int]]:
        """What a result is made of: plan, what opening told, pages that succeeded, numbers of those that failed."""
        plan = await self._read(lambda: self._records.plan(job_id, namespace))
        return plan, *await self._read(lambda: self._records.facts(job_id))

    async def read(self, query: Callable[[JobRecords], T]) -> T:
        """The result of `query`, run on a connection of its own."""
        return await self._read(lambda: query(self._records))

    def close(self) -> None:
        """Let go of the thread, which must be idle."""
        self._read.close()
