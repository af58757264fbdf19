"""An actor of Ray that ingests blocks: so many documents on their way at once, each from its bytes to its row."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pyarrow as pa

from deployments.calls.call_retries import MAX_PAUSE_S, with_retries
from deployments.calls.cancellable_calls import call
from deployments.calls.handles import JobsHandle
from deployments.errors import InOtherShard, Lost, SourceRefused
from deployments.jobs.results.fetched_result import fetched_result
from deployments.jobs.results.result_formats import result_of
from deployments.values.jobs import Job, Options, Submission
from documents.exports.markdown import markdown
from examples.bulk_report import BlockReport, failure
from examples.bulk_rows import OUTCOME_COLUMNS, write_rows
from examples.bulk_source import Document, source_of
from examples.graph import deployment

T = TypeVar("T")
ATTEMPTS = 5  # replicas that may die over one call
MAX_UPLOAD_PAUSE_S = 30.0  # before a call is repeated that sends or copies a whole file: its shard alone may be full


class Ingest:
    """Bounds itself: a document's bytes are read when it is inside the window and the server has room."""

    def __init__(self, source: str, out: str, window: int, by_address: bool) -> None:
        self._source = source_of(source)
        self._out = out
        self._jobs = deployment("Jobs")
        self._renderer = deployment("Renderer") if by_address and source.startswith("s3://") else None
        self._gate = asyncio.Semaphore(window)  # over all blocks that this actor has at once

    async def ingested(self, block: list[Document]) -> BlockReport:
        """Write the rows of a block as one file."""
        results = await asyncio.gather(*(self._result(Document(*document)) for document in block))
        rows = [row for row, is_final in results if is_final]
        if rows:
            await asyncio.to_thread(write_rows, self._out, block, rows)
        failures = [
            failure(document, {name: row.get(name) for name in OUTCOME_COLUMNS}, is_final=is_final)
            for document, (row, is_final) in zip(block, results, strict=True)
            if not is_final or row["status"] != "succeeded"
        ]
        return BlockReport(len(rows), tuple(failures))

    async def _result(self, document: Document) -> tuple[dict[str, Any], bool]:
        """What became of a document, and whether that is its row; else it may go better another time."""
        row: dict[str, Any] = {"path": document.path, "size": document.size}
        try:
            async with self._gate:
                return row | await self._ingested(document.path), True
        except Exception as error:  # no document ends the run of the others
            is_final = not getattr(error, "retryable", not isinstance(error, pa.ArrowInvalid))
            code = getattr(error, "code", type(error).__name__)
            return row | {"status": "failed", "error": f"{code}: {error}"}, is_final

    async def _ingested(self, path: str) -> dict[str, Any]:
        await self._call_jobs("check_room")  # before a byte is read
        job = await self._submitted(path)
        while not job.done:
            job = await self._call_jobs("wait", job.id)
        row = {"document_id": job.document_id, "job_id": job.id, "status": job.status, "num_pages": job.num_pages}
        if job.error is not None:
            if job.error.retryable:
                raise Lost(job.error.message, code=job.error.code)
            return row | {"error": f"{job.error.code}: {job.error.message}"}
        plan, opened, pages = await with_retries(lambda: fetched_result(self._jobs, job.id), attempts=ATTEMPTS)
        failed = set(range(1, opened.num_pages + 1)) - {page.number for page in pages}
        text = await asyncio.to_thread(lambda: markdown(result_of(plan, opened, pages, job)))
        return row | {"failed_pages": sorted(failed), "markdown": text}

    async def _submitted(self, path: str) -> Job:
        name = path.rsplit("/", 1)[-1]
        if self._renderer is not None:
            try:
                return await with_retries(
                    lambda: self._by_address(path, name), attempts=ATTEMPTS, max_pause_s=MAX_UPLOAD_PAUSE_S
                )
            except SourceRefused:  # the server may not read it, but this process may
                pass
        content = await asyncio.to_thread(self._source.content, path)
        return await self._call_jobs("submit", content, max_pause_s=MAX_UPLOAD_PAUSE_S, file_name=name)

    async def _by_address(self, path: str, name: str) -> Job:
        """The job of an object that a renderer copies: none of its bytes comes here."""
        renderer = self._renderer
        assert renderer is not None
        staged = await call(renderer.staged_object.remote(f"s3://{path}"))
        try:
            submission = Submission(
                sha256=staged.sha256,
                size=staged.size,
                media_type=staged.media_type,
                file_name=name,
                options=Options.model_validate({}),
            )
            return await self._with_current_jobs(lambda jobs: call(jobs.take.remote(submission, staged)))
        finally:
            await call(renderer.discard_object.remote(staged))

    async def _call_jobs(self, method: str, *args: Any, max_pause_s: float = MAX_PAUSE_S, **named: Any) -> Any:
        """A call of Jobs: again when its replica died or the server is full; given up, it ends there, too."""
        return await with_retries(
            lambda: self._with_current_jobs(lambda jobs: call(getattr(jobs, method).remote(*args, **named))),
            attempts=ATTEMPTS,
            max_pause_s=max_pause_s,
        )

    async def _with_current_jobs(self, use: Callable[[JobsHandle], Awaitable[T]]) -> T:
        """What Jobs answers; where shards were added since the handle was made, the next attempt has a newer one."""
        try:
            return await use(self._jobs)
        except InOtherShard:
            self._jobs = await asyncio.to_thread(deployment, "Jobs")
            raise
