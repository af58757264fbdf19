"""Jobs: the deployment of the one JobRunner; it has one replica, and every ingress asks it by handle."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import os
from collections.abc import Sequence
from typing import Any

import ray
from ray._private.ray_constants import DASHBOARD_ADDRESS, KV_NAMESPACE_DASHBOARD
from ray.experimental.internal_kv import _internal_kv_get
from ray.serve.context import _get_global_client
from ray.serve.handle import DeploymentHandle

from configs import Settings
from configs.data_lock import GraphLock
from deployments.blobs import BlobStore, StagedBlob
from deployments.calls import call
from deployments.detached import detached
from deployments.disk import Reserve, is_disk_full
from deployments.errors import Busy, DiskFull
from deployments.jobs.meters import JobMeters
from deployments.jobs.runner import JobRunner
from deployments.jobs.store import JobStore
from deployments.jobs.values import (
    Event,
    Glimpse,
    Job,
    JobStatus,
    Options,
    PageRecord,
    Pages,
    Plan,
    Submission,
    Timings,
)
from deployments.page_task import PageTask
from documents.errors import MalformedRequest, RendererUnavailable, UnsupportedMedia
from documents.media import NAMES, sniff_content
from documents.values import Opened, Page, Source

logger = logging.getLogger("ray.serve")
# what a driver needs, too: the token, and that the address 127.0.0.1 is meant as such (pagemill/server.py)
DRIVER_VARIABLES = ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN_PATH", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER")


class Jobs:
    """Public to Ray jobs: `submit`, `wait`, `job`, `events`, `cancel`, `forget`, `facts`."""

    def __init__(self, settings: Settings, pipeline: DeploymentHandle) -> None:
        settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder = GraphLock(settings.data_dir, _ray_address())
        self._folder.take()  # a second server on the folder does not start at all
        self._settings = settings
        self._blobs, self._meters = BlobStore(settings.blob_dir), JobMeters()
        self._runner = JobRunner(
            JobStore(settings.jobs_url, max_unfinished=settings.limits.max_queued_jobs),
            self._blobs,
            GraphWork(pipeline, self._blobs, self._meters),
            max_queued_jobs=settings.limits.max_queued_jobs,
            max_pages_in_flight=settings.limits.max_pages_in_flight,
            page_attempts=settings.limits.page_attempts,
            page_deadline_s=settings.limits.page_deadline_s,
            lease_s=settings.limits.lease_s,
            retention_s=settings.limits.retention_days and settings.limits.retention_days * 86_400,
        )
        self._reserve = Reserve(settings.data_dir)
        self._started = asyncio.Lock()
        self._ready = False
        self._starting: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to work, once; called by the first call of any kind. Waits while another server owns the jobs."""
        async with self._started:
            if not self._ready:
                await asyncio.to_thread(self._tell_where)
                await asyncio.to_thread(self._reserve.lay)
                await self._runner.start()
                await asyncio.to_thread(self._folder.take)  # of a replica before us, which has ended by now
                self._ready = True

    async def submit(
        self, content: bytes, options: dict[str, Any] | None = None, *, file_name: str = "document"
    ) -> Job:
        """Ingest bytes; `options` as over HTTP.

        Raises:
            MalformedRequest, UnsupportedMedia: nothing was kept.
            QueueFull: too many jobs are unfinished.
        """
        if not content:
            raise MalformedRequest("the file is empty")
        media_type = sniff_content(content, file_name)
        if media_type is None:
            raise UnsupportedMedia(f"{NAMES} are read; this is none of them")
        chosen = Options.model_validate(options or {})
        staged = await asyncio.to_thread(self._blobs.stage, io.BytesIO(content))
        told = Submission(
            sha256=staged.sha256, size=staged.size, media_type=media_type, file_name=file_name, options=chosen
        )
        try:
            return await self.take(told, staged)
        finally:
            staged.path.unlink(missing_ok=True)

    async def check_room(self, namespace: str = "default", max_unfinished: int | None = None) -> None:
        """Raises QueueFull or QuotaExceeded when no further job would be taken: an upload is refused unread."""
        await self.start()
        self._runner.check_room(namespace, max_unfinished)

    async def take(self, submission: Submission, staged: StagedBlob) -> Job:
        """Ingest an upload whose bytes the caller has put aside in the blob store."""
        await self.start()
        job = await self._runner.submit(submission, staged)
        logger.info("job %s: %s", job.id, job.status, extra={"job": job.id, "document_id": job.document_id})
        return job

    async def wait(self, job_id: str, timeout_s: float = 3600, namespace: str | None = None) -> Job:
        """The job when it ends, or as it is after `timeout_s` seconds."""
        await self.start()
        return await self._runner.wait(job_id, timeout_s, namespace)

    async def events(
        self, job_id: str, after: int, wait_s: float, namespace: str | None = None
    ) -> tuple[list[Event], bool]:
        """What happened to a job since the event `after` (waiting for it), and whether that was all."""
        await self.start()
        return await self._runner.events(job_id, after, wait_s, namespace)

    async def glimpse(self, job_id: str, glimpse: Glimpse) -> None:
        """How far the reading of a page is; told by the pipeline, and forgotten with the page's end."""
        self._runner.glimpse(job_id, glimpse)

    async def glimpses(self, job_id: str, seen: int, wait_s: float) -> tuple[list[Glimpse], int, bool]:
        """What is being read of a job's pages, waiting for more than the first `seen`; see `JobWatch.glimpses`."""
        await self.start()
        return await self._runner.glimpses(job_id, seen, wait_s)

    async def forget(self, document_id: str, namespace: str = "default") -> None:
        """Remove a document: blob, rows and index entries, on a full disk, too. Raises UnknownDocument."""
        await self.start()
        if await asyncio.to_thread(lambda: self._reserve.full):
            await asyncio.to_thread(self._reserve.spend)  # its jobs are ended first, which writes, and would wait
        try:
            await self._runner.forget(namespace, document_id)
        except Exception as error:
            if not (isinstance(error, DiskFull) or is_disk_full(error)):
                raise
            await asyncio.to_thread(self._reserve.spend)
            await self._runner.forget(namespace, document_id)
        finally:
            await asyncio.to_thread(self._reserve.lay)

    async def job(self, job_id: str, namespace: str | None = None) -> Job:
        return await self._runner.job(job_id, namespace)

    async def jobs(self, namespace: str, limit: int = 100, status: JobStatus | None = None) -> list[Job]:
        return await self._runner.jobs(namespace, limit, status)

    async def cancel(self, job_id: str, namespace: str | None = None) -> Job:
        await self.start()
        return await self._runner.cancel(job_id, namespace)

    async def facts(self, job_id: str, namespace: str | None = None) -> tuple[Plan, Opened, Pages, list[int]]:
        """What a result is made of; see `JobRunner.facts`."""
        await self.start()
        return await self._runner.facts(job_id, namespace)

    async def page(self, job_id: str, number: int, namespace: str | None = None) -> PageRecord | None:
        """One page of a job; None: there is no such page (yet)."""
        await self.start()
        return await self._runner.look(lambda records: records.page(job_id, number, namespace))

    async def newest(self, document_id: str, namespace: str = "default") -> str:
        """The id of a document's newest job. Raises UnknownDocument."""
        await self.start()
        return await self._runner.look(lambda records: records.newest(document_id, namespace))

    async def about(self) -> dict[str, Any]:
        """How much is unfinished, and whether the disk has room. Raises DatabaseDamaged, DatabaseAway."""
        await self.start()
        counts = {"unfinished_jobs": self._runner.num_unfinished, "queued_pages": self._runner.num_queued}
        await self._runner.look(lambda records: records.check())
        await asyncio.to_thread(self._reserve.lay)
        return counts | {"disk": "full" if await asyncio.to_thread(lambda: self._reserve.full) else "has room"}

    async def check_health(self) -> None:
        """Raises when another server owns the jobs; starts the work, without waiting for the lease."""
        self._meters.left(num_jobs=self._runner.num_unfinished, num_pages=self._runner.num_queued)
        if not self._runner.healthy:
            raise RuntimeError("the jobs are another server's, or cannot be brought to an end here")
        if self._starting is not None and self._starting.done() and not self._ready:
            error = None if self._starting.cancelled() else self._starting.exception()
            logger.warning("the jobs could not be taken up, and are tried again: %s", error)
            self._starting = None
        if self._starting is None:
            self._starting = detached(self.start())

    async def __del__(self) -> None:
        """Serve's last call: give the lease back."""
        if self._ready:
            self._ready = False
            await self._runner.close()
        self._folder.release()

    def _tell_where(self) -> None:
        """`server.json` in the data folder says where this server is; written aside and renamed."""
        told = {
            "url": _url(),
            "ray_address": _ray_address(),
            "jobs_address": _jobs_address(),
            "environment": {name: os.environ[name] for name in DRIVER_VARIABLES if name in os.environ},
        }
        staged = self._settings.data_dir / "server.json.new"
        staged.write_text(json.dumps(told, indent=2) + "\n")
        staged.replace(self._settings.data_dir / "server.json")


def _ray_address() -> str:
    """Of this cluster's GCS; nobody is asked where Ray does not run, for asking would start one."""
    return ray.get_runtime_context().gcs_address if ray.is_initialized() else "none"


def _jobs_address() -> str | None:
    """Where `ray job submit` finds this cluster; None where its dashboard does not run.

    Read from the cluster's own GCS: what a worker's `ray.init` says is Ray's default port, whoever listens there.
    """
    address = _internal_kv_get(DASHBOARD_ADDRESS, namespace=KV_NAMESPACE_DASHBOARD)
    return f"http://{address.decode().removeprefix('http://')}" if address else None


def _url() -> str:
    """Where Serve's proxy listens; a plain `serve run` takes it from its own file, not from our settings."""
    client = _get_global_client()
    assert client is not None  # a replica has one
    http = client.http_config
    return f"http://{http.host}:{http.port}"


class GraphWork:
    """`deployments.jobs.runner.Work` by calls to the Pipeline deployment."""

    def __init__(self, pipeline: DeploymentHandle, blobs: BlobStore, meters: JobMeters) -> None:
        self._pipeline, self._blobs, self._meters = pipeline, blobs, meters

    async def open(self, plan: Plan) -> Opened:
        return await call(self._pipeline.open.remote(self._source(plan)))

    async def page(self, plan: Plan, number: int) -> tuple[Page, Timings]:
        options = plan.options
        task = PageTask(
            source=self._source(plan),
            number=number,
            text_source=options.text_source,
            ocr_mode=options.ocr_mode,
            label=plan.job_id,
            deadline_s=options.page_deadline_s,
            job_id=plan.job_id,
        )
        try:
            page, timings = await call(self._pipeline.page.remote(task))
        except (Busy, RendererUnavailable):  # not taken, or the machine's: it is tried again
            raise
        except Exception:
            self._meters.failed()
            raise
        self._meters.succeeded(timings)
        return page, timings

    async def finish(self, plan: Plan, opened: Opened, pages: Sequence[Page]) -> None:
        await call(self._pipeline.finish.remote(plan, opened, pages))

    async def forget(self, namespace: str, document_id: str) -> None:
        await call(self._pipeline.forget.remote(document_id, namespace=namespace))

    def _source(self, plan: Plan) -> Source:
        return Source(
            path=str(self._blobs.path(plan.sha256)),
            media_type=plan.media_type,
            password=plan.options.password,
            namespace=plan.namespace,
        )
