"""The MCP tools that an AI assistant sees (search, ingest, read ...): their names, descriptions and parameters."""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
import io
from collections.abc import AsyncIterator, Iterator
from typing import Annotated, Any, Literal
from urllib.parse import quote

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ImageContent, TextContent
from pydantic import Field
from starlette.requests import Request

from deployments.calls.cancellable_calls import call
from deployments.ingress.errors import Forbidden, Malformed
from deployments.ingress.facades.mcp.local_calls import LocalCalls
from deployments.ingress.form_options import options_of
from deployments.ingress.middleware.authorization import caller_of
from deployments.ingress.operations.callers import Caller
from deployments.ingress.operations.services import Services
from deployments.ingress.operations.stored_files import bucket_object
from deployments.ingress.operations.submission import SubmittedFile, check_webhook, sniffed, submit
from deployments.ingress.operations.url_fetching import fetched
from deployments.storage.bucket_objects import is_object_address
from deployments.values.jobs import Job, Options
from documents.errors import Refusal

CITATION_FIELDS = ("document_id", "file_name", "title", "page", "page_label", "heading_path", "text", "boxes", "score")
PICTURE_DPI = 100.0
Answer = dict[str, Any]
DocumentId = Annotated[str | None, Field(description="id of a document; its newest revision is used")]
JobId = Annotated[str | None, Field(description="or a job id that `ingest` returned")]


class Tools:
    """What an assistant may do; nothing of another namespace is seen or changed."""

    def __init__(self, services: Services, calls: LocalCalls) -> None:
        self._services = services
        self._calls = calls

    async def ingest(
        self,
        ctx: Context,
        file_name: Annotated[str, Field(max_length=255, description="name of the file")] = "",
        content_base64: Annotated[str | None, Field(description="the bytes of the file, as base64")] = None,
        url: Annotated[
            str | None,
            Field(max_length=8000, description="or the address of the file (settings sources.http, sources.buckets)"),
        ] = None,
        options: Annotated[
            Answer | None, Field(description="options as in the HTTP API: pages, document_id, metadata, text_source …")
        ] = None,
        wait_s: Annotated[float, Field(ge=0, description="seconds to wait for the job to end")] = 30,
    ) -> Answer:
        """Read a document (PDF, picture, Office file, web page, mail, text) so that search finds it. Gives the job's id
        and, where it ended within `wait_s`, its document's id and warnings; ask `job_status` otherwise."""
        caller = _caller(ctx)
        with _refusals_for_models():
            if not caller.may("POST", "/v1/documents"):
                raise Forbidden("the role of this key does not allow this call")
            job_options = options_of(Options, options or {})
            await check_webhook(job_options.webhook, self._services.settings.webhooks)
            await call(self._services.jobs.check_room.remote(caller.namespace, caller.max_unfinished_jobs))
            async with self._file(caller, file_name, content_base64, url) as file:
                job = await submit(self._services, file, job_options, None, caller, _keep_job)
        return await self.job_status(ctx, job.id, wait_s)

    async def job_status(
        self,
        ctx: Context,
        job_id: Annotated[str, Field(max_length=200)],
        wait_s: Annotated[float, Field(ge=0, description="seconds to wait for its end")] = 0,
    ) -> Answer:
        """How far the reading of a document is: its status, pages done, warnings, and its error if it failed."""
        response = await self._calls.get(_caller(ctx), f"/v1/jobs/{quote(job_id, safe='')}", wait=wait_s or None)
        return _summary(response.json())

    async def search(
        self,
        ctx: Context,
        query: Annotated[str, Field(min_length=1, max_length=10_000)],
        k: Annotated[int, Field(ge=1, le=100, description="passages")] = 5,
        filters: Annotated[
            Answer | None, Field(description="as of /v1/query: document_id, pages, kind, metadata")
        ] = None,
    ) -> Answer:
        """Passages of the documents that have been read, the best first, each with what a citation needs: document,
        page, headings and the boxes on the page (points, from its upper left)."""
        body = {"query": query, "k": k, "filters": filters or {}}
        answer = (await self._calls.post(_caller(ctx), "/v1/query", body)).json()
        passages = [
            {name: passage[name] for name in CITATION_FIELDS if name in passage} for passage in answer["passages"]
        ]
        return {"passages": passages, "mode": answer["mode"]}

    async def read_page(
        self,
        ctx: Context,
        page: Annotated[int, Field(ge=1, description="counts from 1")],
        document_id: DocumentId = None,
        job_id: JobId = None,
        form: Annotated[Literal["text", "picture"], Field(description="Markdown, or a picture of the page")] = "text",
    ) -> list[TextContent | ImageContent]:
        """One page of a document: its text as Markdown, or a picture of it (tables, figures, handwriting, stamps)."""
        path = f"/v1/{_place(document_id, job_id)}/pages/{page}"
        if form == "picture":
            picture = await self._calls.get(_caller(ctx), f"{path}/image", dpi=PICTURE_DPI)
            encoded = base64.b64encode(picture.content).decode()
            return [ImageContent(type="image", data=encoded, mime_type="image/png")]
        facts = (await self._calls.get(_caller(ctx), path)).json()
        return [TextContent(type="text", text="\n\n".join(text for text in facts["markdown"] if text))]

    async def extract(
        self,
        ctx: Context,
        schema: Annotated[Answer | str, Field(description="a JSON schema, or the name of a schema on the server")],
        document_id: DocumentId = None,
        job_id: JobId = None,
        pages: Annotated[str | None, Field(description="pages, as in `1-3,7`; unset: all")] = None,
    ) -> Answer:
        """The values of a JSON schema from a document, each with the page and boxes where it is printed; `match` none
        marks a value that stands nowhere."""
        body = {"schema": schema, "document_id": document_id, "job_id": job_id, "pages": pages}
        return (await self._calls.post(_caller(ctx), "/v1/extract", body)).json()

    @contextlib.asynccontextmanager
    async def _file(
        self, caller: Caller, name: str, content_base64: str | None, url: str | None
    ) -> AsyncIterator[SubmittedFile]:
        """The file; its bytes are deleted when the block is left."""
        if (content_base64 is None) == (url is None):
            raise Malformed("give exactly one of content_base64 and url")
        services = self._services
        if url is not None and is_object_address(url):
            yield bucket_object(services, url, name)
            return
        if url is not None:
            fetching = fetched(url, {}, services.settings.sources, services.max_file_bytes)
            async with services.fetch_slots.slot(caller.name), fetching as (last_part, content):
                yield await asyncio.to_thread(sniffed, name or last_part, content)
            return
        assert content_base64 is not None
        content = io.BytesIO(await asyncio.to_thread(_decoded, content_base64))
        yield await asyncio.to_thread(sniffed, name or "document", content)


def _caller(ctx: Context) -> Caller:
    """Whose request this is."""
    request = ctx.request_context.request
    assert isinstance(request, Request)  # both of the SDK's transports over HTTP attach it
    return caller_of(request)


def _place(document_id: str | None, job_id: str | None) -> str:
    if (document_id is None) == (job_id is None):
        raise ToolError("malformed_request: give exactly one of document_id and job_id")
    return f"jobs/{quote(job_id, safe='')}" if job_id is not None else f"documents/{quote(document_id or '')}"


def _summary(job: Answer) -> Answer:
    """Without the rows of its pages, which may be thousands."""
    num_done = sum(page["status"] == "succeeded" for page in job["pages"])
    names = ("document_id", "revision", "file_name", "status", "num_pages", "warnings", "error")
    return {"job_id": job["id"], "num_pages_done": num_done} | {name: job[name] for name in names}


def _decoded(content_base64: str) -> bytes:
    try:
        return base64.b64decode(content_base64, validate=True)
    except binascii.Error:
        raise Malformed("content_base64 is not base64") from None


def _keep_job(_: Job) -> None:
    """Do nothing when the client leaves: an assistant asks for its job later."""


@contextlib.contextmanager
def _refusals_for_models() -> Iterator[None]:
    """Named errors as a tool answers them: their code and message, for the model to read."""
    try:
        yield
    except Refusal as error:
        raise ToolError(f"{error.code}: {error.message}") from None
