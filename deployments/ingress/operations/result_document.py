"""Gets the finished Document of a job for every route that returns it; 409 if the job has not ended or was
cancelled.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from weakref import WeakValueDictionary

from deployments.calls.cancellable_calls import call
from deployments.ingress.errors import Cancelled, JobFailed, NotReady, UnknownOption
from deployments.ingress.operations.services import Services
from deployments.jobs.results.fetched_result import fetched_result
from deployments.jobs.results.result_formats import NoSuchPages, chosen_document, document_of
from deployments.values.jobs import Job, Plan
from documents.values import Document

MAX_DOCUMENTS = 2  # in DocumentCache, which keeps whole documents: a page may depend on the pages around it


async def ended_job(services: Services, job_id: str, namespace: str) -> Job:
    """A job that has a result.

    Raises:
        UnknownJob: there is none of this id in the namespace.
        NotReady: it has not ended.
        JobFailed: it ended without a result.
        Cancelled: it was cancelled before any of its pages was done.
    """
    job: Job = await call(services.jobs.job.remote(job_id, namespace))
    if not job.done:
        raise NotReady(f"job {job_id} is {job.status}")
    if job.error is not None:
        raise JobFailed(job_id, job.error)
    if job.status == "cancelled" and all(page.status != "succeeded" for page in job.pages):
        raise Cancelled(f"job {job_id} was cancelled before any of its pages was done")
    return job


async def result_document(
    services: Services, job: Job, namespace: str, pages: str | None = None
) -> tuple[Plan, Document]:
    """What the job was to do, and what it read of the chosen pages (`1-3,7`; all); for who holds a document's slot.

    Raises UnknownOption.
    """
    plan, opened, read_pages = await fetched_result(services.jobs, job.id, namespace)
    try:
        return plan, await services.documents.run(chosen_document, plan, opened, read_pages, job, pages)
    except NoSuchPages as error:
        raise UnknownOption(f"pages: {error}") from None


class DocumentCache:
    """The last documents that were looked at, each put together once; a job that has ended does not change."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._documents: OrderedDict[str, Document] = OrderedDict()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def document(self, job_id: str, namespace: str) -> Document:
        """All pages of a job of the namespace that has ended."""
        # several pages of a job are requested at once: the first request does the work, and other jobs do not wait
        async with self._locks.setdefault(job_id, asyncio.Lock()):
            if job_id not in self._documents:
                async with self._services.documents.slot(namespace):
                    plan, opened, pages = await fetched_result(self._services.jobs, job_id)
                    self._documents[job_id] = await self._services.documents.run(document_of, plan, opened, pages)
        self._documents.move_to_end(job_id)
        document = self._documents[job_id]
        while len(self._documents) > MAX_DOCUMENTS:
            self._documents.popitem(last=False)
        return document
