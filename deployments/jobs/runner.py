"""Owns the stored work: takes the lease, takes up what is unfinished, takes in jobs and extractions, cancels, forgets.

The store is called in one thread. It knows the pipeline as a protocol, so it runs without Ray.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from deployments.errors import QueueFull, QuotaExceeded
from deployments.jobs.attached_documents import AttachedDocuments
from deployments.jobs.extractions.extraction import Extract, Extraction
from deployments.jobs.extractions.extraction_rows import add
from deployments.jobs.ingestion import Ingestion, IngestionLimits
from deployments.jobs.owned_blobs import OwnedBlobs
from deployments.jobs.pipeline_work import Work
from deployments.jobs.removal import Removal
from deployments.jobs.running_task import RunningExtraction, RunningJob
from deployments.jobs.store.lease import keep_lease, take_lease
from deployments.jobs.store.store import JobStore
from deployments.jobs.store.store_thread import StoreThread
from deployments.jobs.task_runner import TaskRunner
from deployments.jobs.task_watch import TaskWatch
from deployments.jobs.upkeep import repeat
from deployments.jobs.webhooks.webhook_sender import WebhookSender
from deployments.storage.blobs import BlobStore
from deployments.values.jobs import (
    Ending,
    ExtractionJob,
    ExtractionPlan,
    ExtractionSubmission,
    Job,
    Plan,
    Submission,
)
from deployments.values.staged_blob import StagedBlob
from deployments.values.webhooks import Subscription

NUM_RESULT_THREADS = 4  # that read whole results


class JobRunner:
    """Ingestion and extraction are two kinds of task, with one store, one lease and one runner."""

    def __init__(
        self,
        store: JobStore,
        blobs: BlobStore,
        work: Work,
        extract: Extract,
        limits: IngestionLimits,
        *,
        max_queued_jobs: int,
        max_extractions: int = 1,
        lease_s: float = 10,
        retention_s: float | None = None,
        sender_of: Callable[[JobStore, StoreThread], WebhookSender | None] = lambda _store, _stored: None,
    ) -> None:
        """`max_extractions`: that run at once; of either kind `max_queued_jobs` may be unfinished."""
        self._store = store
        self._blobs = blobs
        self._max_queued_jobs = max_queued_jobs
        self._lease_s = lease_s
        self._retention_s = retention_s
        self._stored = StoreThread()
        self._read_result = StoreThread("job-results", NUM_RESULT_THREADS)
        self._tasks = TaskRunner(self._stored)
        self._owned_blobs = OwnedBlobs(store, self._stored, self._read_result, blobs, start=self._tasks.start)
        attached = AttachedDocuments(work, blobs, self._wholly_submitted, self._max_unfinished)
        threads = self._stored, self._read_result
        self._ingestion = Ingestion(self._tasks, store, *threads, work, attached, limits)
        self._extraction = Extraction(self._tasks, store, *threads, extract, max_running=max_extractions)
        running = self._ingestion.lane.running, self._extraction.lane.running
        self._watch = TaskWatch(store.records, *running, self._read_result)
        self._removal = Removal(
            store, self._stored, self._owned_blobs, work, turn=self._ingestion.turn, cancel_all=self._cancel_all
        )
        self._sender = sender_of(store, self._stored)

    async def start(self) -> None:
        """Wait until nobody else owns the tasks, take up what was left unfinished and begin to work."""
        await take_lease(lambda: self._stored(lambda: self._store.acquire(self._lease_s)))
        plans, extraction_plans = await self._stored(self._store.resume)
        # nothing that can fail follows: a start that failed may be repeated
        start = self._tasks.start
        start(keep_lease(lambda: self._stored(self._store.renew), self._tasks.lose, lease_s=self._lease_s))
        start(repeat(lambda: asyncio.to_thread(self._blobs.sweep), "what broken uploads left"))
        start(repeat(self._owned_blobs.drop_unwanted, "blobs that no job wants"))
        if (retention_s := self._retention_s) is not None:
            start(repeat(lambda: self._removal.retire(retention_s), "expired documents", retention_s))
        if self._sender is not None:
            start(self._sender.run())
            start(repeat(self._sender.purge, "old dead letters"))
        for plan in plans:
            self._ingestion.add(plan)
        for extraction_plan in extraction_plans:
            self._extraction.add(extraction_plan)
        self._tasks.serve(self._ingestion.lane)
        self._tasks.serve(self._extraction.lane)

    async def close(self) -> None:
        """Stop working; another runner goes on with what has not ended."""
        await self._tasks.close()
        with contextlib.suppress(Exception):  # a lease that cannot be given back runs out
            await self._stored(self._store.close)
        self._stored.close()
        self._read_result.close()
        self._watch.close()

    @property
    def watch(self) -> TaskWatch:
        """What callers learn of the tasks."""
        return self._watch

    @property
    def healthy(self) -> bool:
        """Whether this runner still owns the tasks."""
        return not self._tasks.lost

    @property
    def num_unfinished(self) -> int:
        """Unfinished jobs."""
        return len(self._ingestion.lane.running)

    @property
    def num_queued(self) -> int:
        """Pages (and openings and endings of jobs) that no worker has taken yet."""
        return len(self._ingestion.lane.queue)

    def check_room(self, namespace: str = "default", max_unfinished: int | None = None) -> None:
        """Raises QueueFull or QuotaExceeded when as many jobs are unfinished as allowed, in all or of a namespace."""
        running = self._ingestion.lane.running
        if len(running) >= self._max_queued_jobs:
            raise QueueFull(f"{self._max_queued_jobs} jobs are unfinished")
        mine = sum(job.namespace == namespace for job in running.values())
        if max_unfinished is not None and mine >= max_unfinished:
            raise QuotaExceeded(f"{mine} jobs of this namespace are unfinished, as many as this key allows")

    async def submit(self, submission: Submission, staged: StagedBlob) -> Job:
        """The job of this upload, whose bytes are staged; see `JobStore.submit`.

        A caller that goes away in the middle leaves either no job or one that runs: row and entry go together.
        """
        return await self._watch.job(await self._wholly_submitted(submission, staged))

    async def extract(self, submission: ExtractionSubmission) -> ExtractionJob:
        """A new extraction, which runs also when the caller goes away. Raises QueueFull, QuotaExceeded, UnknownJob."""
        extraction_id = await asyncio.shield(self._tasks.start(self._submitted_extraction(submission)))
        return await self._watch.extraction(extraction_id)

    async def subscribe(self, subscription: Subscription) -> None:
        """Tell an address of the events of a group of jobs."""
        await self._stored(lambda: self._store.subscribe(subscription))

    async def cancel(self, job_id: str, namespace: str | None = None) -> Job:
        """End the job; what it has in the pipeline is cancelled, pages that are done stay."""
        plan = await self._watch.read(lambda records: records.plan(job_id, namespace))
        job = self._ingestion.lane.running.get(job_id) or RunningJob.of(plan)
        await self._ingestion.end(job, Ending("cancelled"))
        return await self._watch.job(job_id, namespace)

    async def cancel_extraction(self, extraction_id: str, namespace: str | None = None) -> ExtractionJob:
        """End it; the model's work for it ends, too. One that has ended is left as it is."""
        plan = await self._watch.read(lambda records: records.extraction_plan(extraction_id, namespace))
        extraction = self._extraction.lane.running.get(extraction_id) or RunningExtraction.of(plan)
        await self._extraction.end(extraction, Ending("cancelled"))
        return await self._watch.extraction(extraction_id, namespace)

    async def forget(self, namespace: str, document_id: str) -> None:
        """Remove a document for good; see `Removal.forget`. Raises UnknownDocument."""
        await self._removal.forget(namespace, document_id)

    async def _cancel_all(self, namespace: str, document_id: str) -> int:
        """End the jobs and extractions of a document; how many jobs it has."""
        num_jobs, job_ids, extraction_ids = await self._watch.read(
            lambda records: records.tasks_of(namespace, document_id)
        )
        for job_id in job_ids:
            await self.cancel(job_id, namespace)
        for extraction_id in extraction_ids:
            await self.cancel_extraction(extraction_id, namespace)
        return num_jobs

    async def _wholly_submitted(self, submission: Submission, staged: StagedBlob, mail: Plan | None = None) -> str:
        """The id of its job, whose row and entry go together also when the caller is cancelled meanwhile."""
        return await asyncio.shield(self._tasks.start(self._submitted(submission, staged, mail)))

    async def _submitted(self, submission: Submission, staged: StagedBlob, mail: Plan | None) -> str:
        job_id = await self._owned_blobs.take(submission, staged, mail)
        plan = await self._stored.retry_until_done(lambda: self._store.records.unfinished(job_id))
        if plan is not None:  # new, or its commit was not told when the database went away
            self._ingestion.add(plan)
        return job_id

    async def _submitted_extraction(self, submission: ExtractionSubmission) -> str:
        plan: ExtractionPlan = await self._stored(
            lambda: self._store.change(
                lambda db: add(db, submission, self._max_queued_jobs, self._store.records.shard.others)
            )
        )
        self._extraction.add(plan)
        return plan.id

    async def _max_unfinished(self, job_id: str) -> int | None:
        return await self._watch.read(lambda records: records.max_unfinished(job_id))
