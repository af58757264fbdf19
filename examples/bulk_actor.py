"""An actor of Ray Data that ingests: so many documents on their way at once, each from its bytes to its row."""

from __future__ import annotations

import asyncio
from typing import Any

import pyarrow as pa
from pyarrow import fs

from deployments.calls.call_retries import with_retries
from deployments.calls.cancellable_calls import call
from deployments.errors import Lost
from deployments.jobs.results.fetched_result import fetched_result
from deployments.jobs.results.result_formats import result_of
from deployments.values.jobs import Job
from documents.errors import IngestError
from documents.exports.markdown import markdown
from examples.graph import deployment

ATTEMPTS = 5  # replicas of Jobs that may die over one call
ROW = pa.schema(
    {
        "path": pa.string(),
        "size": pa.int64(),
        "document_id": pa.string(),
        "job_id": pa.string(),
        "status": pa.string(),
        "num_pages": pa.int64(),
        "failed_pages": pa.list_(pa.int64()),
        "error": pa.string(),
        "markdown": pa.large_string(),
    }
)


class Ingest:
    """Bounds itself: a document's bytes are read when it is inside the window and the server has room."""

    def __init__(self, system: fs.FileSystem, window: int) -> None:
        self._system = system
        self._jobs = deployment("Jobs")
        self._gate = asyncio.Semaphore(window)  # over all batches that Ray Data gives this actor at once

    async def __call__(self, batch: pa.Table) -> pa.Table:
        results = await asyncio.gather(*(self._row(row["path"], row["size"]) for row in batch.to_pylist()))
        return pa.Table.from_pylist([row for row in results if row is not None], schema=ROW)

    async def _row(self, path: str, size: int) -> dict[str, Any] | None:
        """What became of a document; None: it may go better another time."""
        row: dict[str, Any] = {"path": path, "size": size}
        try:
            async with self._gate:
                return row | await self._ingested(path)
        except (IngestError, OSError) as error:  # refused before the upload is stored, or away
            if getattr(error, "retryable", True):
                return None
            return row | {"status": "failed", "error": str(error)}

    async def _ingested(self, path: str) -> dict[str, Any]:
        await self._asked("check_room")  # before a byte is read
        content = await asyncio.to_thread(self._content, path)
        job: Job = await self._asked("submit", content, file_name=path.rsplit("/", 1)[-1])
        job = await self._asked("wait", job.id)
        row = {"document_id": job.document_id, "job_id": job.id, "status": job.status, "num_pages": job.num_pages}
        if job.error is not None:
            if job.error.retryable:
                raise Lost(job.error.message)
            return row | {"error": f"{job.error.code}: {job.error.message}"}
        plan, opened, pages = await with_retries(lambda: fetched_result(self._jobs, job.id), attempts=ATTEMPTS)
        failed = set(range(1, opened.num_pages + 1)) - {page.number for page in pages}
        text = await asyncio.to_thread(lambda: markdown(result_of(plan, opened, pages, job)))
        return row | {"failed_pages": sorted(failed), "markdown": text}

    async def _asked(self, method: str, *args: Any, **named: Any) -> Any:
        """A call of Jobs: again when its replica died or the server is full; given up, it ends there, too."""
        return await with_retries(lambda: call(getattr(self._jobs, method).remote(*args, **named)), attempts=ATTEMPTS)

    def _content(self, path: str) -> bytes:
        with self._system.open_input_stream(path) as stream:
            return stream.read()
