"""Uploads many files, a few at once, and saves each result or error in the output folder."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pagemill.async_client import AsyncClient
from pagemill.errors import PagemillError, Refused
from pagemill.ingesting.ingest_log import Entry, IngestLog, options_fingerprint
from pagemill.ingesting.ingest_summary import pages_by_source, pages_by_warning
from pagemill.ingesting.input_files import SourceFile
from pagemill.partial_page import PartialPage
from pagemill.values import Event, Format, Job, JobError, Options

EXIT_ALL_READ = 0  # exit codes; 2 is the shell's own code for a wrong call
EXIT_NONE_READ = 1
EXIT_SOME_READ = 3


class Watcher(Protocol):
    """Shows the progress of files and, if `shows_regions`, of the pages that OCR reads."""

    @property
    def shows_regions(self) -> bool: ...

    def began(self, output: str, name: str) -> None: ...

    def happened(self, output: str, event: Event) -> None: ...

    def read_on(self, output: str, page: PartialPage) -> None: ...

    def ended(self, entry: Entry, *, again: bool) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkIngest:
    """One ingestion of a list of files; made again over the same folder it goes on."""

    client: AsyncClient
    folder: Path
    format: Format
    options: Options
    log: IngestLog
    watcher: Watcher
    concurrency: int  # documents that the server has at once

    async def run(self, files: Sequence[SourceFile]) -> list[Entry]:
        """Every file, in their order. Raises Unreachable when the server is gone."""
        places = asyncio.Semaphore(self.concurrency)
        named = [(file, self.log.output(file.path, file.place, self.format)) for file in files]

        async def one(file: SourceFile, output: str) -> Entry:
            async with places:
                return await self._file(file, output)

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(one(*pair)) for pair in named]
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return [task.result() for task in tasks]

    async def _file(self, file: SourceFile, output: str) -> Entry:
        options = options_fingerprint(self.options)
        try:
            sha256 = await asyncio.to_thread(_sha256, file.path)
        except OSError as error:
            return self._unreadable(file, output, options, error)
        previous = self.log.entry(output, sha256, options)
        if previous is not None and self.log.is_done(previous):
            self.watcher.ended(previous, again=True)
            return previous.model_copy(update={"is_earlier": True})
        self.watcher.began(output, file.path.name)
        fresh = Entry(source=str(file.path), output=output, options=options, sha256=sha256, status="sent")
        try:
            entry = await self._done(fresh, await self._job(fresh, previous))
        except Refused as refused:
            problem = refused.problem
            error = JobError(
                code=problem.code, status=problem.status, message=problem.detail, retryable=problem.retryable
            )
            entry = fresh.model_copy(update={"status": "refused", "error": error})
        self.log.put(entry)
        self.watcher.ended(entry, again=False)
        return entry

    def _unreadable(self, file: SourceFile, output: str, options: str, error: OSError) -> Entry:
        why = JobError(code="cannot_read", status=400, message=error.strerror or str(error))
        entry = Entry(source=str(file.path), output=output, options=options, sha256="", status="refused", error=why)
        self.log.put(entry)
        self.watcher.ended(entry, again=False)
        return entry

    async def _job(self, fresh: Entry, previous: Entry | None) -> Job:
        """The job that the record knows, if the server still has it; else a new one."""
        if previous is not None and previous.job_id is not None and previous.status not in ("failed", "cancelled"):
            try:
                return await self.client.job(previous.job_id)
            except Refused as refused:
                if refused.problem.status != 404:
                    raise
        job = await self.client.ingest(Path(fresh.source), options=self.options)
        self.log.put(fresh.model_copy(update={"job_id": job.id, "document_id": job.document_id}))
        return job

    @contextlib.asynccontextmanager
    async def _regions_watched(self, output: str, job_id: str) -> AsyncIterator[None]:
        """Within the block the watcher learns what is read of the job's pages; no error of that stream counts."""

        async def watch() -> None:
            with contextlib.suppress(PagemillError):
                async for page in self.client.partial_pages(job_id):
                    self.watcher.read_on(output, page)

        task = asyncio.create_task(watch()) if self.watcher.shows_regions else None
        try:
            yield
        finally:
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    async def _done(self, fresh: Entry, job: Job) -> Entry:
        if not job.done:
            async with self._regions_watched(fresh.output, job.id):
                async for event in self.client.events(job.id):
                    self.watcher.happened(fresh.output, event)
        job = await self.client.wait(job.id)
        entry = fresh.model_copy(
            update={
                "job_id": job.id,
                "document_id": job.document_id,
                "status": job.status,
                "num_pages": job.num_pages,
                "failed_pages": tuple(page.number for page in job.pages if page.status == "failed"),
                "warnings": pages_by_warning(job),
                "text_sources": pages_by_source(job),
                "seconds": None if job.finished_at is None else (job.finished_at - job.created_at).total_seconds(),
                "error": job.error,
            }
        )
        if entry.has_result:
            result = await self.client.result(job.id, self.format)
            await asyncio.to_thread(_write, self.folder / entry.output, result.content)
        return entry


def exit_code(entries: Sequence[Entry]) -> int:
    """0: every page of every file is there; 1: no file has a result; 3: some have, or some of their pages failed."""
    if all(entry.status == "succeeded" for entry in entries):
        return EXIT_ALL_READ
    return EXIT_SOME_READ if any(entry.has_result for entry in entries) else EXIT_NONE_READ


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write(path: Path, content: bytes) -> None:
    """All of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.part")
    aside.write_bytes(content)
    aside.replace(path)
