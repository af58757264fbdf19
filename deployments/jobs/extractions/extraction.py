"""Extracts values from a document that was read: the kind of task that asks the language model."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from deployments.jobs.extractions import extraction_rows as rows
from deployments.jobs.results.result_formats import chosen_document
from deployments.jobs.running_task import RunningExtraction
from deployments.jobs.store.store import JobStore
from deployments.jobs.store.store_thread import StoreThread
from deployments.jobs.task_runner import Lane, TaskRunner
from deployments.values.jobs import Ending, ExtractionPlan, JobError
from documents.values import Document

MAX_STARTS = 6  # lives of the server that may end over one extraction
Progress = Callable[[int, int], Awaitable[None]]
Extract = Callable[[ExtractionPlan, Document, Progress], Awaitable[dict[str, Any]]]
"""The values of a plan as JSON; `progress` receives how many of how many calls of the model are done."""


class Extraction:
    """One step: all calls of the model."""

    def __init__(
        self,
        runner: TaskRunner,
        store: JobStore,
        stored: StoreThread,
        read_result: StoreThread,
        extract: Extract,
        *,
        max_running: int,
    ) -> None:
        self.lane = Lane("extraction", max_running, self._commit_end)
        self._runner = runner
        self._store = store
        self._stored = stored.retry_until_done
        self._read_result = read_result.retry_until_done
        self._extract = extract

    def add(self, plan: ExtractionPlan) -> None:
        """Begin with an extraction."""
        self._runner.add(self.lane, RunningExtraction.of(plan), self._extracted)

    async def end(self, extraction: RunningExtraction, ending: Ending) -> None:
        """End an extraction for good; the model's work for it ends, too."""
        await self._runner.end(self.lane, extraction, ending)

    async def _extracted(self, extraction: RunningExtraction) -> None:
        num_starts = await self._stored(lambda: self._store.change(lambda db: rows.begin(db, extraction.id)))
        extraction.tell()
        if num_starts is None:  # it has ended, or its document is gone
            await self.end(extraction, Ending("cancelled"))
            return
        if num_starts > MAX_STARTS:
            message = f"the server ended {MAX_STARTS} times during this extraction"
            lost = JobError(code="replica_lost", status=503, message=message, retryable=True)
            await self.end(extraction, Ending("failed", lost))
            return

        async def progress(num_done: int, total: int) -> None:
            await self._stored(lambda: self._store.change(lambda db: rows.progress(db, extraction.id, num_done, total)))
            extraction.tell()

        document = await self._read_result(lambda: self._document(extraction.plan))
        result = await self._extract(extraction.plan, document, progress)
        await self.end(extraction, Ending("succeeded", result=result))

    def _document(self, plan: ExtractionPlan) -> Document:
        records = self._store.records
        opened, pages, _ = records.facts(plan.job_id)
        return chosen_document(records.plan(plan.job_id), opened, tuple(pages), records.job(plan.job_id), plan.pages)

    def _commit_end(self, extraction: RunningExtraction, ending: Ending, _: float) -> bool:
        return self._store.change(lambda db: rows.end(db, extraction.id, ending))
