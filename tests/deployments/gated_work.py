"""A job runner over a real SQLite store, with a pipeline whose pages are let through one by one."""

from __future__ import annotations

import asyncio
import hashlib
import io
import threading
from collections.abc import Callable, Coroutine
from dataclasses import fields
from pathlib import Path
from typing import Any

from deployments.ingress.facades.docling.callbacks import FORM, CallbackMessages
from deployments.jobs.extractions.extraction import Extract, Progress
from deployments.jobs.ingestion import IngestionLimits
from deployments.jobs.runner import JobRunner
from deployments.jobs.store.job_records import JobRecords
from deployments.jobs.store.store import JobStore
from deployments.storage.folder_blobs import FolderBlobs
from deployments.values.jobs import ExtractionPlan, Job, Options, Plan, Submission
from documents.boxes import BoundingBox
from documents.media_types import sniff_content
from documents.region_values import region_of
from documents.values import Attachment, Document, Opened, Page


class GatedWork:
    """Does pages of one word (`text`); counts them, and holds those that are gated."""

    def __init__(self, num_pages: int = 1) -> None:
        self.num_pages = num_pages
        self.text = "word"
        self.calls: list[tuple[str, int]] = []
        self.deadlines: list[float] = []
        self.cancelled: list[int] = []
        self.indexed: list[int] = []
        self.contents: dict[str, dict[int, str]] = {}  # by file and page
        self.compared: list[tuple[str, int]] = []
        self.num_reused = 0
        self.forgotten: list[tuple[str, str]] = []
        self.gate: asyncio.Event | None = None
        self.entered = asyncio.Event()
        self.left = asyncio.Event()
        self.attachments: dict[str, bytes] = {}  # of every document, by name
        self.troubles: dict[
            int, list[Exception]
        ] = {}  # by page; 0 is opening, -1 finishing, -2 forgetting, -3 an attachment

    async def open(self, plan: Plan) -> Opened:
        self._trouble(0)
        listed = tuple(
            Attachment(name=name, media_type=sniff_content(content, name) or "", size=len(content))
            for name, content in self.attachments.items()
        )
        return Opened(num_pages=self.num_pages, attachments=listed)

    async def attachment(self, plan: Plan, name: str) -> bytes:
        self._trouble(-3)
        return self.attachments[name]

    async def fingerprint(self, plan: Plan, number: int) -> str | None:
        """What the page says, where `contents` tells it."""
        self.compared.append((plan.job_id, number))
        return self.contents.get(plan.sha256, {}).get(number)

    def count_reused(self) -> None:
        self.num_reused += 1

    async def page(self, plan: Plan, number: int, until: float) -> tuple[Page, dict[str, float]]:
        self.calls.append((plan.job_id, number))
        self.deadlines.append(until)
        self.entered.set()
        self._trouble(number)
        if self.gate is not None:
            try:
                await self.gate.wait()
            except asyncio.CancelledError:
                self.cancelled.append(number)
                self.left.set()
                raise
        box = BoundingBox(x0=1, y0=1, x1=9, y1=9)
        region = region_of("plain text", box=box, score=1.0, text=self.text)
        return Page(number=number, size=(10, 10), regions=(region,)), {"layout_s": 0.1}

    async def finish(self, plan: Plan, opened: Opened) -> None:
        self._trouble(-1)
        self.indexed.append(plan.revision)

    async def forget(self, namespace: str, document_id: str) -> None:
        self._trouble(-2)
        self.forgotten.append((namespace, document_id))

    def _trouble(self, number: int) -> None:
        if self.troubles.get(number):
            raise self.troubles[number].pop(0)


class GatedExtract:
    """Extracts nothing, when it is let."""

    def __init__(self) -> None:
        self.num_calls = 0
        self.entered, self.cancelled, self.gate = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def __call__(self, plan: ExtractionPlan, document: Document, progress: Progress) -> dict[str, Any]:
        self.num_calls += 1
        self.entered.set()
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        await progress(1, 1)
        return {}


def limits_of(settings: dict[str, Any]) -> IngestionLimits:
    """What the settings say of an ingestion; they are taken out."""
    own = {field.name: settings.pop(field.name) for field in fields(IngestionLimits) if field.name in settings}
    defaults: dict[str, Any] = {"max_pages_in_flight": 2, "page_attempts": 2}
    return IngestionLimits(**defaults | own)


def run(
    database: str,
    work: GatedWork,
    scenario: Callable[[Any], Coroutine[Any, Any, Any]],
    extract: Extract | None = None,
    **limits,
) -> Any:
    extract = extract or GatedExtract()
    max_queued_jobs = limits.pop("max_queued_jobs", 10)
    store = JobStore(database, max_unfinished=max_queued_jobs, writers={FORM: CallbackMessages()})
    blobs = FolderBlobs(Path(database.removeprefix("sqlite:///")).parent / "blobs")

    async def whole() -> Any:
        runner = Uploading(store, blobs, work, extract, limits_of(limits), max_queued_jobs=max_queued_jobs, **limits)
        await runner.start()
        try:
            return await asyncio.wait_for(scenario(runner), 120)
        finally:
            await runner.close()

    return asyncio.run(whole())


class Uploading(JobRunner):
    """A runner whose uploads are the bytes of their file's name."""

    async def take(self, submission: Submission) -> Job:
        content = io.BytesIO(submission.file_name.encode())
        return await self.submit(submission, await asyncio.to_thread(self._blobs.stage, content))


def upload(name: str = "a", key: str | None = None, **options) -> Submission:
    return Submission(
        sha256=hashlib.sha256(name.encode()).hexdigest(),
        size=len(name),
        media_type="application/pdf",
        file_name=name,
        options=Options.model_validate(options),
        idempotency_key=key,
    )


def held(store: JobStore | JobRecords, name: str) -> tuple[asyncio.Event, threading.Event]:
    """Hold a call of the store in its thread: an event that it has begun, and one that lets it go on."""
    loop, call = asyncio.get_running_loop(), getattr(store, name)
    begun, leave = asyncio.Event(), threading.Event()

    def slow(*args: Any, **options: Any) -> Any:
        loop.call_soon_threadsafe(begun.set)
        leave.wait(60)
        return call(*args, **options)

    setattr(store, name, slow)
    return begun, leave


def blobs_of(database: str) -> list[str]:
    folder = Path(database.removeprefix("sqlite:///")).parent / "blobs"
    return [path.read_text() for path in folder.rglob("*") if path.is_file()]


async def ended(runner: Uploading, submission: Submission) -> Job:
    return await runner.watch.wait((await runner.take(submission)).id, 100)


def statuses(job: Job) -> list[str]:
    return [page.status for page in job.pages]
