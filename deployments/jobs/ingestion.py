"""Ingests a document in steps: open the file, read each page, finish; decides on retries, failed pages and the end."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import time
import weakref
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, TypeVar

from deployments.calls.call_retries import with_retries
from deployments.errors import Lost
from deployments.jobs.attached_documents import AttachedDocuments
from deployments.jobs.pipeline_work import Work
from deployments.jobs.revisions import ComparedPage, EarlierPage, Revisions, reading_key_of
from deployments.jobs.running_task import RunningJob
from deployments.jobs.store.job_queries import replace_opened
from deployments.jobs.store.store import JobStore
from deployments.jobs.store.store_thread import StoreThread
from deployments.jobs.task_runner import Lane, TaskRunner
from deployments.values.jobs import LOSS_WARNINGS, Ending, JobError, Plan, Timings
from deployments.values.page_ranges import absent_pages, select_pages
from documents.document.document_warnings import no_text_warnings
from documents.errors import IngestError, PageTimeout, TooLargeUnpacked
from documents.matching.invoice_check import checked_invoice, contradictions
from documents.values import Opened, Page, PageWarning

logger = logging.getLogger("ray.serve")
T = TypeVar("T")
# replicas that may die while they index one document; the second attempt is the only retry that runs at that moment,
# because each death also ends the pages of other documents
MAX_INDEX_ATTEMPTS = 2
PAGES_INDEXED_PER_PAGE_DEADLINE = 100  # pages that are indexed in the time that one page may take


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestionLimits:
    """What a job may take."""

    max_pages_in_flight: int
    page_attempts: int
    page_deadline_s: float = 600
    max_result_bytes: int = 256_000_000
    readers: str = ""  # the version, models and settings by which pages are read


class Ingestion:
    """The kind of task that reads a document, over a store that is called in its own thread."""

    def __init__(
        self,
        runner: TaskRunner,
        store: JobStore,
        stored: StoreThread,
        read_result: StoreThread,
        work: Work,
        attached: AttachedDocuments,
        limits: IngestionLimits,
    ) -> None:
        self.lane = Lane("job", limits.max_pages_in_flight, self._commit_end)
        self._runner = runner
        self._store = store
        self._stored = stored.retry_until_done
        self._read_result = read_result.retry_until_done
        self._work = work
        self._attached = attached
        self._revisions = Revisions(work, store, stored, read_result)
        self._limits = limits
        self._suspects = asyncio.Lock()
        self._survivors = asyncio.Lock()
        self._turns: weakref.WeakValueDictionary[tuple[str, str], asyncio.Lock] = weakref.WeakValueDictionary()

    def add(self, plan: Plan) -> None:
        """Begin with a job, unless that has been done: equal uploads meet here."""
        left_s = None
        if plan.options.deadline_s is not None:
            past_s = (datetime.now(UTC) - plan.created_at).total_seconds()  # negative where the clock was set back
            left_s = max(0.0, plan.options.deadline_s - max(0.0, past_s))
        self._runner.add(self.lane, RunningJob.of(plan), self._open, left_s=left_s)

    async def end(self, job: RunningJob, ending: Ending) -> None:
        """End a job for good."""
        await self._runner.end(self.lane, job, ending)

    def turn(self, namespace: str, document_id: str) -> asyncio.Lock:
        """Held by who changes what the index has of a document."""
        return self._turns.setdefault((namespace, document_id), asyncio.Lock())

    async def _open(self, job: RunningJob) -> None:
        """Learn how many pages there are, and queue those that are asked for and not yet done."""
        try:
            opened = await _within(
                self._limits.page_deadline_s, "opening", self._tried(lambda: self._work.open(job.plan))
            )
            numbers = select_pages(job.plan.options.pages, opened.num_pages)
        except IngestError as error:
            await self.end(job, Ending("failed", JobError.of(error)))
            return
        if not numbers:
            none = JobError(code="no_pages", status=422, message=f"of {opened.num_pages} pages none was chosen")
            await self.end(job, Ending("failed", none))
            return
        if job.plan.options.attachments == "documents" and opened.attachments:
            opened = await self._tried(lambda: self._attached.submitted(job.plan, opened))
        reading_key = reading_key_of(job.plan, self._limits.readers)
        unread_numbers = await self._stored(lambda: self._store.begin(job.plan, opened, numbers, reading_key))
        job.tell()
        job.earlier = await self._earlier_pages(job, reading_key)
        job.left, job.starts = len(unread_numbers), unread_numbers
        job.num_pages = len(numbers)
        pages = [functools.partial(self._page, number) for number in unread_numbers]
        self.lane.queue.put(job.id, pages or [self._finish])

    async def _earlier_pages(self, job: RunningJob, reading_key: str | None) -> Mapping[str, EarlierPage]:
        """Those that the document's new revision may take over; none where comparing them takes too long."""
        if reading_key is None or not job.plan.options.reuse_pages:
            return {}
        comparing = self._revisions.earlier_pages(job.plan, reading_key)
        try:
            return await _within(self._limits.page_deadline_s, "comparing", comparing)
        except PageTimeout as error:
            logger.warning("job %s takes no pages over: %s", job.plan.job_id, error, extra=_ids(job))
            return {}

    async def _page(self, number: int, job: RunningJob) -> None:
        """Do one page, within its deadline, and commit how it ended."""
        job.pages.add(number)
        timings: Timings = {}
        compared = ComparedPage()
        await self._stored(lambda: self._store.note(job.plan, "page_started", {"number": number, "stage": "reading"}))
        job.tell()
        try:
            compared = await self._revisions.compared(job.plan, number, job.earlier)
            outcome = compared.page
            if outcome is None:
                outcome, timings = await self._survived(job, number)
            await self._add_size(job, outcome)
        except IngestError as error:
            outcome = JobError.of(error)
        except Exception as error:
            logger.exception("page %d of job %s failed", number, job.plan.job_id, extra=_ids(job, number))
            outcome = JobError.of(error)
        finally:
            job.pages.discard(number)
            job.partial_results.pop(number, None)
        marks = {"fingerprint": compared.fingerprint, "reused_from": compared.revision}
        await self._stored(lambda: self._store.finish_page(job.plan, number, outcome, timings, **marks))
        job.tell()
        job.left -= 1
        if job.left == 0:
            self.lane.queue.put(job.id, [self._finish])

    async def _finish(self, job: RunningJob) -> None:
        """Put the document into the index and end the job."""
        opened, pages, failed = await self._read_result(lambda: self._store.records.facts(job.plan.job_id))
        numbers = select_pages(job.plan.options.pages, opened.num_pages)
        lost_pages = sorted({*numbers, *failed}.difference(pages.numbers))  # reported, however they were lost
        warnings = [PageWarning(code="page_failed", message="the page could not be read", page=n) for n in lost_pages]
        for part in absent_pages(job.plan.options.pages, opened.num_pages):
            message = f"{part} does not exist; the document has {opened.num_pages} pages"
            warnings.append(PageWarning(code="no_such_page", message=message))
        if not pages.numbers:
            rows = (await self._read_result(lambda: self._store.records.job(job.plan.job_id))).pages
            lost = no_page_read([row.error for row in rows if row.error is not None])
            await self.end(job, Ending("failed", lost, warnings))
            return
        warnings += await self._read_result(lambda: no_text_warnings(pages))
        if opened.invoice is not None:
            claimed = opened.invoice
            invoice = await self._read_result(lambda: checked_invoice(claimed, pages))
            opened = opened.model_copy(update={"invoice": invoice})
            warnings += contradictions(invoice)
            await self._stored(lambda: self._store.change(lambda db: replace_opened(db, job.plan, opened)))
        if job.plan.options.index:
            warnings += await self._indexed(job, opened, len(pages.numbers))
        of_pages = (await self._read_result(lambda: self._store.records.job(job.plan.job_id))).pages
        all_warnings = [*warnings, *opened.warnings, *(warning for page in of_pages for warning in page.warnings)]
        partial = any(warning.code in LOSS_WARNINGS for warning in all_warnings)
        await self.end(job, Ending("partial" if partial else "succeeded", warnings=warnings))

    async def _survived(self, job: RunningJob, number: int) -> tuple[Page, Timings]:
        """The page; those that the server did not survive often take turns, and are given up in the end."""
        starts = job.starts.get(number, 0)
        if starts >= 2 * self._limits.page_attempts:
            raise Lost(f"the server went down {starts} times while reading this page")
        async with self._survivors if starts >= self._limits.page_attempts else contextlib.nullcontext():
            own_s = job.plan.options.page_deadline_s
            limit_s = self._limits.page_deadline_s if own_s is None else min(own_s, self._limits.page_deadline_s)
            until = time.time() + limit_s  # of all its attempts
            return await _within(limit_s, "the page", self._tried(lambda: self._work.page(job.plan, number, until)))

    def _commit_end(self, job: RunningJob, ending: Ending, seconds: float) -> bool:
        return self._store.finish(job.plan, ending, {"total_s": seconds})

    async def _add_size(self, job: RunningJob, page: Page) -> None:
        """Count a page to what its document may have. Raises TooLargeUnpacked."""
        num_bytes = await asyncio.to_thread(lambda: len(page.model_dump_json()))
        if job.num_bytes + num_bytes > self._limits.max_result_bytes:
            megabytes = self._limits.max_result_bytes // 1_000_000
            raise TooLargeUnpacked(f"the document's pages have over {megabytes} MB of text and places")
        job.num_bytes += num_bytes

    async def _tried(self, call: Callable[[], Awaitable[T]], attempts: int | None = None) -> T:
        return await with_retries(
            call, attempts=attempts or self._limits.page_attempts, last_attempt_lock=self._suspects
        )

    async def _indexed(self, job: RunningJob, opened: Opened, num_pages: int) -> list[PageWarning]:
        """Put the document into the index; what kept it out."""
        async with self.turn(job.plan.namespace, job.plan.document_id):
            return await self._replaced(job, opened, num_pages)

    async def _replaced(self, job: RunningJob, opened: Opened, num_pages: int) -> list[PageWarning]:
        standing = await self._read_result(lambda: self._store.records.standing(job.plan))
        if standing == "ended":
            return []
        if standing == "superseded":
            return [PageWarning(code="superseded", message="the index has a newer revision of the document")]
        await self._stored(lambda: self._store.note(job.plan, "indexing", {"stage": "indexing"}))
        job.tell()
        try:
            limit_s = self._limits.page_deadline_s * max(1.0, num_pages / PAGES_INDEXED_PER_PAGE_DEADLINE)
            indexing = self._tried(lambda: self._work.finish(job.plan, opened), attempts=MAX_INDEX_ATTEMPTS)
            await _within(limit_s, "indexing", indexing)
        except Lost as error:
            logger.error("job %s could not be indexed: %s", job.plan.job_id, error, extra=_ids(job))
            reason = f"{MAX_INDEX_ATTEMPTS} processes ended over it" if error.code == Lost.code else error.message
            return [PageWarning(code="not_indexed", message=f"the document could not be indexed: {reason}")]
        except Exception:  # the text is there all the same, so the job says what is missing and ends
            logger.exception("job %s could not be indexed", job.plan.job_id, extra=_ids(job))
            return [PageWarning(code="not_indexed", message="the document could not be indexed")]
        return []


def no_page_read(errors: Sequence[JobError]) -> JobError:
    """The error of a job without a page: one page that may be read another time makes it worth another try."""
    retryable = any(error.retryable for error in errors)
    status = HTTPStatus.SERVICE_UNAVAILABLE if retryable else HTTPStatus.UNPROCESSABLE_ENTITY
    return JobError(code="all_pages_failed", status=int(status), message="no page could be read", retryable=retryable)


async def _within(limit_s: float, what: str, work: Awaitable[T]) -> T:
    try:
        async with asyncio.timeout(limit_s):
            return await work
    except TimeoutError:
        raise PageTimeout(f"{what} was not done after {limit_s:g} s") from None


def _ids(job: RunningJob, number: int | None = None) -> dict[str, Any]:
    """Fields of a log line, so that all lines of a job or a page can be found; `job_id` is Ray's own and left out."""
    return {"job": job.plan.job_id} | ({} if number is None else {"page": number})
