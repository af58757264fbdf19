"""The steps of a job: open the file, read one page, finish; decides on retries, failed pages and the final status."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import weakref
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Literal, Protocol, TypeVar

from deployments.calls.call_retries import with_retries
from deployments.errors import Lost
from deployments.jobs.attached_documents import AttachedDocuments
from deployments.jobs.page_queue import PageQueue
from deployments.jobs.pipeline_work import Work
from deployments.jobs.running_job import Running
from deployments.jobs.store.job_queries import replace_opened
from deployments.jobs.store.store import JobStore
from deployments.values.jobs import JobError, JobStatus, Timings
from deployments.values.page_ranges import absent_pages, select_pages
from deployments.values.stored_pages import Pages
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
# codes of the warnings that mean that a part of the document is missing in the result
LOSS_WARNINGS = frozenset(
    {"page_failed", "region_failed", "not_indexed", "cut_short", "sheet_failed", "attachment_unread"}
)


@dataclass(frozen=True, slots=True)
class Step:
    """One unit of work of a job; `number` is the number of its page."""

    kind: Literal["open", "page", "finish"]
    number: int = 0


OPEN_STEP = Step("open")
FINISH_STEP = Step("finish")


class End(Protocol):
    """Ends a job for good."""

    async def __call__(
        self, job: Running, status: JobStatus, *, error: JobError | None = ..., warnings: list[PageWarning] | None = ...
    ) -> None: ...


class Steps:
    """The three kinds of step, over a store that is called in its own thread."""

    def __init__(
        self,
        store: JobStore,
        stored: Callable[[Callable[[], Any]], Awaitable[Any]],
        work: Work,
        queue: PageQueue[Step],
        end: End,
        attached: AttachedDocuments,
        *,
        page_attempts: int,
        page_deadline_s: float,
        max_result_bytes: int,
    ) -> None:
        self._store = store
        self._stored = stored
        self._work = work
        self._queue = queue
        self._end = end
        self._attached = attached
        self._page_attempts = page_attempts
        self._page_deadline_s = page_deadline_s
        self._max_result_bytes = max_result_bytes
        self._suspects = asyncio.Lock()
        self._survivors = asyncio.Lock()
        self._turns: weakref.WeakValueDictionary[tuple[str, str], asyncio.Lock] = weakref.WeakValueDictionary()

    def turn(self, namespace: str, document_id: str) -> asyncio.Lock:
        """Held by who changes what the index has of a document."""
        return self._turns.setdefault((namespace, document_id), asyncio.Lock())

    async def open(self, job: Running, _: int) -> None:
        """Learn how many pages there are, and queue those that are asked for and not yet done."""
        try:
            opened = await _within(self._page_deadline_s, "opening", self._tried(lambda: self._work.open(job.plan)))
            numbers = select_pages(job.plan.options.pages, opened.num_pages)
        except IngestError as error:
            await self._end(job, "failed", error=JobError.of(error))
            return
        if not numbers:
            none = JobError(code="no_pages", status=422, message=f"of {opened.num_pages} pages none was chosen")
            await self._end(job, "failed", error=none)
            return
        if job.plan.options.attachments == "documents" and opened.attachments:
            opened = await self._tried(lambda: self._attached.submitted(job.plan, opened))
        unread_numbers = await self._stored(lambda: self._store.begin(job.plan, opened, numbers))
        job.tell()
        job.left, job.starts = len(unread_numbers), unread_numbers
        job.num_pages = len(numbers)
        self._queue.put(job.plan.job_id, [Step("page", number) for number in unread_numbers] or [FINISH_STEP])

    async def page(self, job: Running, number: int) -> None:
        """Do one page, within its deadline, and commit how it ended."""
        job.pages.add(number)
        timings: Timings = {}
        await self._stored(lambda: self._store.note(job.plan, "page_started", {"number": number, "stage": "reading"}))
        job.tell()
        try:
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
        await self._stored(lambda: self._store.finish_page(job.plan, number, outcome, timings))
        job.tell()
        job.left -= 1
        if job.left == 0:
            self._queue.put(job.plan.job_id, [FINISH_STEP])

    async def finish(self, job: Running, _: int) -> None:
        """Put the document into the index and end the job."""
        opened, pages, failed = await self._stored(lambda: self._store.records.facts(job.plan.job_id))
        numbers = select_pages(job.plan.options.pages, opened.num_pages)
        lost_pages = sorted({*numbers, *failed}.difference(pages.numbers))  # reported, however they were lost
        warnings = [PageWarning(code="page_failed", message="the page could not be read", page=n) for n in lost_pages]
        for part in absent_pages(job.plan.options.pages, opened.num_pages):
            message = f"{part} does not exist; the document has {opened.num_pages} pages"
            warnings.append(PageWarning(code="no_such_page", message=message))
        if not pages:
            rows = (await self._stored(lambda: self._store.records.job(job.plan.job_id))).pages
            lost = no_page_read([row.error for row in rows if row.error is not None])
            await self._end(job, "failed", error=lost, warnings=warnings)
            return
        warnings += await asyncio.to_thread(no_text_warnings, pages)
        if opened.invoice is not None:
            invoice = await asyncio.to_thread(checked_invoice, opened.invoice, pages)
            opened = opened.model_copy(update={"invoice": invoice})
            warnings += contradictions(invoice)
            await self._stored(lambda: self._store.change(lambda db: replace_opened(db, job.plan, opened)))
        if job.plan.options.index:
            warnings += await self._indexed(job, opened, pages)
        of_pages = (await self._stored(lambda: self._store.records.job(job.plan.job_id))).pages
        all_warnings = [*warnings, *opened.warnings, *(warning for page in of_pages for warning in page.warnings)]
        partial = any(warning.code in LOSS_WARNINGS for warning in all_warnings)
        await self._end(job, "partial" if partial else "succeeded", warnings=warnings)

    async def _survived(self, job: Running, number: int) -> tuple[Page, Timings]:
        """The page; those that the server did not survive often take turns, and are given up in the end."""
        starts = job.starts.get(number, 0)
        if starts >= 2 * self._page_attempts:
            raise Lost(f"the server went down {starts} times while reading this page")
        async with self._survivors if starts >= self._page_attempts else contextlib.nullcontext():
            own_s = job.plan.options.page_deadline_s
            limit_s = self._page_deadline_s if own_s is None else min(own_s, self._page_deadline_s)
            return await _within(limit_s, "the page", self._tried(lambda: self._work.page(job.plan, number)))

    async def _add_size(self, job: Running, page: Page) -> None:
        """Count a page to what its document may have. Raises TooLargeUnpacked."""
        num_bytes = await asyncio.to_thread(lambda: len(page.model_dump_json()))
        if job.num_bytes + num_bytes > self._max_result_bytes:
            megabytes = self._max_result_bytes // 1_000_000
            raise TooLargeUnpacked(f"the document's pages have over {megabytes} MB of text and places")
        job.num_bytes += num_bytes

    async def _tried(self, call: Callable[[], Awaitable[T]], attempts: int | None = None) -> T:
        return await with_retries(call, attempts=attempts or self._page_attempts, last_attempt_lock=self._suspects)

    async def _indexed(self, job: Running, opened: Opened, pages: Pages) -> list[PageWarning]:
        """Put the document into the index; what kept it out."""
        async with self.turn(job.plan.namespace, job.plan.document_id):
            return await self._replaced(job, opened, pages)

    async def _replaced(self, job: Running, opened: Opened, pages: Pages) -> list[PageWarning]:
        standing = await self._stored(lambda: self._store.records.standing(job.plan))
        if standing == "ended":
            return []
        if standing == "superseded":
            return [PageWarning(code="superseded", message="the index has a newer revision of the document")]
        await self._stored(lambda: self._store.note(job.plan, "indexing", {"stage": "indexing"}))
        job.tell()
        try:
            limit_s = self._page_deadline_s * max(1.0, len(pages) / PAGES_INDEXED_PER_PAGE_DEADLINE)
            indexing = self._tried(lambda: self._work.finish(job.plan, opened, pages), attempts=MAX_INDEX_ATTEMPTS)
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


def _ids(job: Running, number: int | None = None) -> dict[str, Any]:
    """Fields of a log line, so that all lines of a job or a page can be found; `job_id` is Ray's own and left out."""
    return {"job": job.plan.job_id} | ({} if number is None else {"page": number})
