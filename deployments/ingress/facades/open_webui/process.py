"""PUT /process: a file as the Markdown of its pages, as Open WebUI's engine External sends and reads it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Any
from urllib.parse import unquote

from fastapi import APIRouter, Header, Request
from pydantic import BaseModel, Field, TypeAdapter
from ray.serve.exceptions import RequestCancelledError
from starlette.responses import Response

from deployments.calls.cancellable_calls import call
from deployments.ingress.middleware.authorization import caller_of
from deployments.ingress.middleware.body_limits import FILE_MEDIA_TYPE
from deployments.ingress.operations.conversions import ended
from deployments.ingress.operations.page_links import page_link, public_address
from deployments.ingress.operations.result_document import ended_job
from deployments.ingress.operations.services import Services
from deployments.ingress.operations.submission import submit
from deployments.ingress.uploads import read_file
from deployments.jobs.results.fetched_result import fetched_result
from deployments.jobs.results.result_formats import document_of
from deployments.values.jobs import Job, Options, Plan
from documents.errors import IngestError
from documents.exports.markdown import markdown
from documents.values import Opened, Page
from retrieval.search.source import source_of

FILE_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}_(?=.)")  # Open WebUI's, before the name
# a job that ends with its client is of this client alone
JOB_OPTIONS = Options.model_validate(
    {"index": False, "metadata": {"received_from": "open_webui"}, "cancel_on_disconnect": True}
)
FILE_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {FILE_MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}},
    }
}


class PageMetadata(BaseModel):
    """Plain values: vector databases refuse others."""

    page: int = Field(description="counts from 0: Open WebUI adds one when it shows it")
    page_label: str = Field(description="what the file calls the page, or its number, from 1")
    total_pages: int
    source: str = Field(description="name of the file")
    title: str
    document_id: str
    revision: int
    job_id: str
    link: str = Field(description="opens the web page of this server at the page")
    warning: str | None = Field(None, description="only of a page that could not be read: why")


class PageEntry(BaseModel):
    """One page that has text, or could not be read."""

    page_content: str
    metadata: PageMetadata


PAGE_ENTRIES = TypeAdapter(list[PageEntry])


class NoExtractableText(IngestError):
    """No page of the document has text."""

    code = "no_extractable_text"


def router(services: Services) -> APIRouter:
    """The route /process."""
    routes = APIRouter(tags=["open webui"])

    def leave(job: Job) -> None:
        """Cancel the job of a client that went away."""

        async def cancel() -> None:
            await call(services.jobs.cancel.remote(job.id))

        services.background_tasks.start(cancel())

    @routes.put("/process", openapi_extra=FILE_BODY, response_model=list[PageEntry])
    async def process(
        request: Request,
        x_filename: Annotated[str, Header(max_length=4000, description="percent-encoded name of the file")] = "",
    ) -> Response:
        """The Markdown of each page of the file that is the body, of whatever type this server reads. It waits for the
        end of the job, which is cancelled if the client goes away. The document stays, and is not in the search index;
        the same file again is a further revision of it."""
        caller = caller_of(request)
        await call(services.jobs.check_room.remote(caller.namespace, caller.max_unfinished_jobs))
        name = FILE_ID.sub("", unquote(x_filename), count=1)
        job: Job | None = None
        try:
            async with read_file(services, request, name) as upload:
                job = await submit(services, upload, JOB_OPTIONS, None, caller, leave)
            await ended(services, [job], caller.namespace)
        except (asyncio.CancelledError, RequestCancelledError):
            if job is not None:
                leave(job)
            raise
        job = await ended_job(services, job.id, caller.namespace)
        address = public_address(services.settings, request.url.netloc)
        async with services.documents.slot(caller.namespace):
            plan, opened, pages = await fetched_result(services.jobs, job.id, caller.namespace)
            body = await services.documents.run(_entries_json, job, plan, opened, pages, upload.name, address)
        return Response(body, media_type="application/json")

    return routes


def _entries_json(job: Job, plan: Plan, opened: Opened, pages: Sequence[Page], name: str, address: str) -> bytes:
    """Raises NoExtractableText."""
    entries = list(_entries(job, plan, opened, pages, name, address))
    unread = sum(entry.metadata.warning is not None for entry in entries)
    if len(entries) == unread:
        pages_lost = f"; {unread} of {opened.num_pages} pages could not be read" if unread else ""
        raise NoExtractableText(f"No extractable text: no page of {name} has any{pages_lost}")
    return PAGE_ENTRIES.dump_json(entries, exclude_none=True)


def _entries(
    job: Job, plan: Plan, opened: Opened, pages: Sequence[Page], name: str, address: str
) -> Iterator[PageEntry]:
    """In the order of the pages; a page that could not be read has an entry that says so."""
    document = document_of(plan, opened, pages)
    source = source_of(document, name, opened.page_labels)
    texts = {page.number: markdown(document.model_copy(update={"pages": (page,)})) for page in document.pages}
    for progress in job.pages:
        number = progress.number
        label = source.page_labels.get(number, str(number))
        warning = None
        if number not in texts:
            reason = "the job was cancelled before" if progress.error is None else progress.error.message
            warning = f"page {label} could not be read: {reason}"
        text = texts.get(number) or ("" if warning is None else f"[{warning}]\n")
        if not text.strip():
            continue
        metadata = PageMetadata(
            page=number - 1,
            page_label=label,
            total_pages=opened.num_pages,
            source=name,
            title=source.title or name,
            document_id=job.document_id,
            revision=job.revision,
            job_id=job.id,
            link=page_link(address, job.document_id, job.revision, number),
            warning=warning,
        )
        yield PageEntry(page_content=text, metadata=metadata)
