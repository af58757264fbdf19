"""The Jobs deployment: one replica that owns all job state; the methods that the ingress calls."""

from __future__ import annotations

import asyncio
import functools
import io
import json
import logging
import os
import traceback
from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeVar

from configs import Settings
from configs.data_lock import GraphLock
from deployments.calls.handles import LmHandle, PipelineHandle
from deployments.calls.remote_method import method_of
from deployments.errors import DatabaseAway, DiskFull, InOtherShard
from deployments.jobs.ingestion import IngestionLimits
from deployments.jobs.metrics import JobMetrics
from deployments.jobs.pipeline_calls import ExtractionWork, GraphWork
from deployments.jobs.revisions import readers_of
from deployments.jobs.runner import JobRunner
from deployments.jobs.store.store import JobStore
from deployments.jobs.task_watch import TaskWatch
from deployments.jobs.webhooks.messages import GroupWriter
from deployments.jobs.webhooks.webhook_sender import webhook_sender
from deployments.replicas.loop_watchdog import watch_loop
from deployments.replicas.server_address import ray_address, server_facts
from deployments.storage.configured_blobs import configured_blobs
from deployments.storage.disk import Reserve, is_disk_full
from deployments.values.jobs import (
    ExtractionJob,
    ExtractionSubmission,
    Job,
    Options,
    PageRecord,
    PartialPage,
    Submission,
)
from deployments.values.shards import Shard
from deployments.values.staged_blob import StagedBlob
from deployments.values.webhooks import DeadLetter, Subscription
from deployments.writers.json_writers import extractor_by
from documents.errors import EmptyFile, Refusal, UnsupportedMedia
from documents.media_types import NAMES, sniff_content

logger = logging.getLogger("ray.serve")

MAX_START_WAIT_S = 5  # time that a health check waits for the start; Serve ends a replica whose checks take 30 s
T = TypeVar("T")
MAX_LM_ATTEMPTS = 3  # replicas of the language model that may die over one text of a stored extraction


class Jobs:
    """Public to Ray jobs: `submit`, `wait`, `job`, `events`, `cancel`, `forget`, `facts`, `page_texts`.

    It begins to work in its first health check, which Serve awaits before it lets any call in.
    """

    def __init__(
        self,
        settings: Settings,
        pipeline: PipelineHandle,
        lm: LmHandle | None = None,
        writers: Mapping[str, GroupWriter] | None = None,
        shard: int = 0,
    ) -> None:
        """`writers`: of webhook messages in other servers' forms, for addresses that follow a group of jobs."""
        self._runner_started = False  # __del__ looks, wherever a start fails
        settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder = GraphLock(settings.data_dir, ray_address())
        if shard == 0:
            self._folder.take()  # a second server on the folder does not start at all
        self._settings = settings
        self._shard = Shard(shard, settings.shards)
        self._blobs = configured_blobs(settings).of_shard(shard)
        self._metrics = JobMetrics()
        limits = settings.limits
        store = JobStore(settings.jobs_url, max_unfinished=limits.max_queued_jobs, writers=writers, shard=self._shard)
        extractor = extractor_by(settings, lm, os.environ, lm_attempts=MAX_LM_ATTEMPTS)
        self._runner = JobRunner(
            store,
            self._blobs,
            GraphWork(pipeline, self._blobs, self._metrics, shard),
            ExtractionWork(extractor),
            IngestionLimits(
                max_pages_in_flight=limits.max_pages_in_flight,
                page_attempts=limits.page_attempts,
                page_deadline_s=limits.page_deadline_s,
                max_result_bytes=int(limits.max_result_mb * 1_000_000),
                readers=readers_of(settings),
            ),
            max_queued_jobs=limits.max_queued_jobs,
            max_extractions=settings.extract.max_running,
            lease_s=limits.lease_s,
            retention_s=limits.retention_days and limits.retention_days * 86_400,
            sender_of=functools.partial(webhook_sender, settings.webhooks, os.environ, self._metrics),
        )
        self._watch = self._runner.watch
        self._reserve = Reserve(settings.data_dir)
        self._starting: asyncio.Task[None] | None = None
        self._start_error: Exception | None = DatabaseAway("the jobs are not loaded yet, or are another server's")
        watch_loop(settings.limits.loop_stall_s)

    job = method_of("_watch", TaskWatch.job)
    jobs = method_of("_watch", TaskWatch.jobs)
    plan = method_of("_watch", TaskWatch.plan)
    facts = method_of("_watch", TaskWatch.facts)
    page_texts = method_of("_watch", TaskWatch.page_texts)
    events = method_of("_watch", TaskWatch.events)
    extraction = method_of("_watch", TaskWatch.extraction)
    extraction_events = method_of("_watch", TaskWatch.extraction_events)
    extraction_result = method_of("_watch", TaskWatch.extraction_result)

    async def submit(
        self, content: bytes, options: dict[str, Any] | None = None, *, file_name: str = "document"
    ) -> Job:
        """Ingest bytes; `options` as over HTTP.

        Raises:
            EmptyFile, UnsupportedMedia: nothing was kept.
            QueueFull: too many jobs are unfinished.
            InOtherShard: the document is of that one.
        """
        if not content:
            raise EmptyFile("the file is empty")
        media_type = sniff_content(content, file_name)
        if media_type is None:
            raise UnsupportedMedia(f"unsupported file type: {file_name} is not one of {NAMES}")
        job_options = Options.model_validate(options or {})
        async with self._blobs.staged(io.BytesIO(content)) as staged:
            submission = Submission(
                sha256=staged.sha256, size=staged.size, media_type=media_type, file_name=file_name, options=job_options
            )
            return await self.take(submission, staged)

    async def check_room(self, namespace: str = "default", max_unfinished: int | None = None) -> None:
        """Raises QueueFull or QuotaExceeded when no further job would be taken: an upload is refused unread."""
        self._started(self._runner).check_room(namespace, max_unfinished)
        if max_unfinished is not None and self._shard.count > 1:
            await self._watch.read(lambda records: records.check_quota(namespace, max_unfinished))

    async def take(self, submission: Submission, staged: StagedBlob) -> Job:
        """Ingest an upload whose bytes the caller has staged in the blob store. Raises InOtherShard."""
        await self._check_shard(submission)
        job = await self._started(self._runner).submit(submission, staged)
        logger.info("job %s: %s", job.id, job.status, extra={"job": job.id, "document_id": job.document_id})
        return job

    async def _check_shard(self, submission: Submission) -> None:
        """Raises InOtherShard where the document is of another one."""
        if self._shard.count == 1:
            return
        document = submission.namespace, submission.document_id
        shard = await self._watch.read(lambda records: records.shard_of_document(*document))
        if shard != self._shard.number:
            raise InOtherShard(shard)

    async def subscribe(self, subscription: Subscription) -> None:
        """Tell an address of the events of a group of jobs."""
        await self._started(self._runner).subscribe(subscription)

    async def dead_letters(self, namespace: str, limit: int = 100) -> list[DeadLetter]:
        """Events of the namespace that could not be delivered, the newest first."""
        return await self._watch.read(lambda records: records.dead_letters(namespace, limit))

    async def wait(self, job_id: str, timeout_s: float = 3600, namespace: str | None = None) -> Job:
        """The job when it ends, or as it is after `timeout_s` seconds."""
        return await self._started(self._watch).wait(job_id, timeout_s, namespace)

    async def partial_page(self, job_id: str, partial_page: PartialPage) -> None:
        """How far the reading of a page is; told by the pipeline, and forgotten with the page's end."""
        self._watch.partial_page(job_id, partial_page)

    async def partial_results(self, job_id: str, num_sent: int, wait_s: float) -> tuple[list[PartialPage], int, bool]:
        """What is being read of a job's pages, waiting for more than the first `num_sent`; see TaskWatch."""
        return await self._started(self._watch).partial_results(job_id, num_sent, wait_s)

    async def forget(self, document_id: str, namespace: str = "default") -> None:
        """Remove a document: blob, rows and index entries, on a full disk, too. Raises UnknownDocument."""
        runner = self._started(self._runner)
        if await asyncio.to_thread(lambda: self._reserve.full):
            await asyncio.to_thread(self._reserve.release)  # its jobs are ended first, which writes, and would wait
        try:
            await runner.forget(namespace, document_id)
        except Exception as error:
            if not (isinstance(error, DiskFull) or is_disk_full(error)):
                raise
            await asyncio.to_thread(self._reserve.release)
            await runner.forget(namespace, document_id)
        finally:
            await asyncio.to_thread(self._reserve.create)

    async def position(self, job_id: str, namespace: str) -> int:
        """Of a waiting job among those of its namespace that wait, counted from 1."""
        return await self._watch.read(lambda records: records.position(job_id, namespace))

    async def documents_older_than(self, moment: datetime, namespace: str) -> list[str]:
        """Ids of the documents all of whose jobs ended before the moment, however many."""
        documents = await self._watch.read(lambda records: records.older_than(moment, namespace))
        return [document_id for _, document_id in documents]

    async def cancel(self, job_id: str, namespace: str | None = None) -> Job:
        return await self._started(self._runner).cancel(job_id, namespace)

    async def extract(self, submission: ExtractionSubmission) -> ExtractionJob:
        """Take values of a schema from a document that was read, as a stored task."""
        return await self._started(self._runner).extract(submission)

    async def cancel_extraction(self, extraction_id: str, namespace: str | None = None) -> ExtractionJob:
        return await self._started(self._runner).cancel_extraction(extraction_id, namespace)

    async def page(self, job_id: str, number: int, namespace: str | None = None) -> PageRecord | None:
        """One page of a job; None: there is no such page (yet)."""
        return await self._watch.read(lambda records: records.page(job_id, number, namespace))

    async def job_of_document(self, document_id: str, namespace: str = "default", revision: int | None = None) -> str:
        """The id of the job that read a revision, by default the newest. Raises UnknownDocument, RevisionGone."""
        return await self._watch.read(lambda records: records.job_of_document(document_id, namespace, revision))

    async def about(self) -> dict[str, Any]:
        """How much is unfinished, and whether the disk has room.

        Raises:
            DatabaseDamaged, DatabaseAway, BlobStoreAway: that is away.
        """
        runner = self._started(self._runner)
        counts = {"unfinished_jobs": runner.num_unfinished, "queued_pages": runner.num_queued}
        await self._watch.read(lambda records: records.check())
        await asyncio.to_thread(self._blobs.check)
        await asyncio.to_thread(self._reserve.create)
        return counts | {"disk": "full" if await asyncio.to_thread(lambda: self._reserve.full) else "has room"}

    async def check_health(self) -> None:
        """Begin to work in the first check; a check waits a few seconds for it, and it goes on if that is not enough.

        Until it is through, and while another server owns the jobs, calls that change something are refused and reads
        are answered. A start that fails is repeated by the next check: a replica that is replaced for ever could name
        nothing.

        Raises:
            RuntimeError: another server has taken over the jobs.
        """
        self._metrics.left(num_jobs=self._runner.num_unfinished, num_pages=self._runner.num_queued)
        if not self._runner.healthy:
            raise RuntimeError("the jobs are owned by another server")
        if self._start_error is None:
            return
        if self._starting is None or self._starting.done():
            self._starting = asyncio.create_task(self._start(), name="jobs-start")
        await asyncio.wait({self._starting}, timeout=MAX_START_WAIT_S)

    def _started(self, part: T) -> T:
        """The runner, or what waits for it. Raises why the work could not begin, until it does."""
        if self._start_error is not None:
            raise self._start_error.with_traceback(None)
        return part

    async def _start(self) -> None:
        try:
            await self._start_parts()
            self._start_error = None
        except Exception as error:
            known = isinstance(error, Refusal)
            text = str(error) if known else "".join(traceback.format_exception(error))  # a record keeps no frames
            logger.log(logging.WARNING if known else logging.ERROR, "the jobs could not be loaded; retrying: %s", text)
            self._start_error = error

    async def _start_parts(self) -> None:
        is_first = self._shard.number == 0
        if is_first:
            await asyncio.to_thread(self._write_server_file)
        await asyncio.to_thread(self._reserve.create)
        if not self._runner_started:  # what follows may fail, and is then repeated alone
            await self._runner.start()
            self._runner_started = True
        if is_first:
            await asyncio.to_thread(self._folder.take)  # of a replica before us, which has ended by now

    async def __del__(self) -> None:
        """Serve's last call: give the lease back."""
        if self._starting is not None and not self._starting.done():
            self._starting.cancel()
            await asyncio.wait({self._starting})
        if self._runner_started:
            self._runner_started = False
            await self._runner.close()
        self._folder.release()

    def _write_server_file(self) -> None:
        """Write `server.json`, the address of this server, into the data folder; as a new file that is then renamed."""
        facts = server_facts()
        staged = self._settings.data_dir / "server.json.new"
        staged.write_text(json.dumps(facts, indent=2) + "\n")
        staged.replace(self._settings.data_dir / "server.json")
