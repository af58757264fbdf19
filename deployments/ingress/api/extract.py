"""POST /v1/extract: fills a JSON schema from a document, each value with its place on the page."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Annotated, Any, Self

from fastapi import APIRouter, Request
from fastapi.sse import format_sse_event
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator
from starlette.responses import JSONResponse, Response

from batching import Guide
from deployments.calls.cancellable_calls import call
from deployments.extraction_metrics import ExtractionMetrics
from deployments.ingress.api.extractions import EXTRACTION_RESPONSES, Wait, stored_answer
from deployments.ingress.errors import InvalidSchema, ModelNotConfigured, UnknownModel, UnknownOption
from deployments.ingress.middleware.authorization import Namespace, caller_of
from deployments.ingress.middleware.error_responses import refused
from deployments.ingress.operations.result_document import ended_job, result_document
from deployments.ingress.operations.services import Services
from deployments.ingress.server_sent_events import KEEPALIVE_COMMENT, EventStream
from deployments.schema_check import MAX_SCHEMA_BYTES
from deployments.values.jobs import ExtractionJob, ExtractionSubmission
from deployments.values.page_ranges import MAX_LENGTH
from retrieval.extraction.extractor import Extraction, Extractor
from retrieval.extraction.schema import closed

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,100}$")]


class ExtractRequest(BaseModel):
    """Which values of which document are wanted."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, protected_namespaces=())

    document_id: str | None = Field(None, max_length=200, description="id of a document; its newest revision is used")
    job_id: str | None = Field(None, max_length=200, description="or the id of a job")
    schema_or_name: dict[str, Any] | Name = Field(
        alias="schema", description="a JSON schema, or the name of one of extract.schemas"
    )
    pages: str | None = Field(None, max_length=MAX_LENGTH, description="pages, as in `1-3,7`; unset: all")
    model: str | None = Field(None, max_length=200, description="a name from /v1/models; unset: the configured model")
    stream: bool = Field(
        False, description="server-sent events: `progress` after each call of the model, then `result`"
    )

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        if (self.document_id is None) == (self.job_id is None):
            raise ValueError("give exactly one of document_id and job_id")
        return self


class ExtractResult(Extraction):
    """An extraction, and what it was made from."""

    document_id: str
    job_id: str
    revision: int
    pages: tuple[int, ...] = Field(description="pages that were searched")


def router(services: Services) -> APIRouter:
    """The route /v1/extract."""
    routes = APIRouter(tags=["extraction"])
    metrics = ExtractionMetrics()
    heartbeat_s = services.settings.limits.heartbeat_s

    @routes.post("/v1/extract", response_model=ExtractResult | ExtractionJob, responses=EXTRACTION_RESPONSES)
    async def extract(request: Request, body: ExtractRequest, namespace: Namespace, wait: Wait = None) -> Response:
        """The values of the schema. A client that leaves ends the model's work, but where `wait` is sent: then it is
        stored, goes on alone, and is answered as an extraction of /v1/extractions, 200 where it has ended."""
        extractor = _extractor(services, body.model)
        schema, guides = await asyncio.to_thread(_schema, body.schema_or_name, services.settings.extract.schemas)
        async with services.schema_slots.slot(namespace):
            await services.schema_check.guides(guides)
        job_id = await _job_id(services, body, namespace)
        job = await ended_job(services, job_id, namespace)
        async with services.documents.slot(namespace):
            _, document = await result_document(services, job, namespace, body.pages)
        if wait is not None:
            if body.stream:
                raise UnknownOption("stream: a stored extraction has events; leave one of stream and wait out")
            caller = caller_of(request)
            submission = ExtractionSubmission(
                namespace=namespace,
                max_unfinished=caller.max_unfinished_jobs,
                document_id=document.id,
                job_id=job_id,
                revision=document.revision,
                schema_=schema,
                pages=body.pages,
            )
            return await stored_answer(services, submission, wait)

        async def run(progress: Callable[[int, int], Awaitable[None]] | None = None) -> ExtractResult:
            with metrics.observed():
                extraction = await extractor.extract(document, schema, progress)
            metrics.count(extraction)
            numbers = tuple(page.number for page in document.pages)
            return ExtractResult(
                **dict(extraction), document_id=document.id, job_id=job_id, revision=document.revision, pages=numbers
            )

        if body.stream:
            return EventStream(_events(request, run, heartbeat_s))
        return JSONResponse((await run()).model_dump(mode="json"))

    return routes


def _extractor(services: Services, model: str | None) -> Extractor:
    """Raises ModelNotConfigured, and UnknownModel where `model` is another one's name."""
    extractor = services.extractor
    if extractor is None:
        raise ModelNotConfigured("no language model is configured: set answers.url or lm.model")
    if model not in (None, extractor.model):
        raise UnknownModel(f"there is no model {model!r}; the one for extraction is {extractor.model!r}")
    return extractor


async def _job_id(services: Services, body: ExtractRequest, namespace: str) -> str:
    """Of the job that the request names, or of its document's newest revision."""
    if body.job_id is not None:
        return body.job_id
    assert body.document_id is not None  # the request names one of the two
    return await call(services.jobs.job_of_document.remote(body.document_id, namespace))


def _schema(schema_or_name: dict[str, Any] | str, folder: Path | None) -> tuple[dict[str, Any], list[Guide]]:
    """The schema that is meant, and the guides that a model must be able to follow. Raises InvalidSchema."""
    if isinstance(schema_or_name, str):
        file = None if folder is None else folder / f"{schema_or_name}.json"
        if file is None or not file.is_file():
            raise InvalidSchema(f"there is no schema {schema_or_name!r} in the folder of the setting extract.schemas")
        try:
            schema_or_name = json.loads(file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise InvalidSchema(f"the schema {file.stem!r} is not JSON: {error}") from None
    if not isinstance(schema_or_name, dict):
        raise InvalidSchema("a schema must be a JSON object")
    try:
        if len(json.dumps(schema_or_name)) > MAX_SCHEMA_BYTES:
            raise InvalidSchema(f"a schema may have {MAX_SCHEMA_BYTES} bytes")
        # first as the caller wrote it: so that the places of its errors are the caller's
        guides = [Guide.json_schema(schema) for schema in (schema_or_name, closed(schema_or_name))]
    except RecursionError:
        raise InvalidSchema("the schema is nested too deeply") from None
    return schema_or_name, guides


async def _events(
    request: Request, run: Callable[..., Awaitable[ExtractResult]], heartbeat_s: float
) -> AsyncIterator[bytes]:
    """`progress` while it lasts, a comment where nothing happens for long, and `result` or `error` at the end."""
    news: asyncio.Queue[tuple[str, dict[str, Any]]] = asyncio.Queue()

    async def progress(num_done: int, total: int) -> None:
        news.put_nowait(("progress", {"done": num_done, "total": total}))

    async def whole() -> None:
        try:
            news.put_nowait(("result", (await run(progress)).model_dump(mode="json")))
        except Exception as error:
            problem = bytes(refused(request, error).body)
            news.put_nowait(("error", json.loads(problem)))

    task = asyncio.get_running_loop().create_task(whole())
    try:
        while True:
            try:
                async with asyncio.timeout(heartbeat_s):
                    kind, content = await news.get()
            except TimeoutError:
                yield KEEPALIVE_COMMENT
                continue
            yield format_sse_event(event=kind, data_str=json.dumps(content))
            if kind != "progress":
                return
    finally:  # the client went away
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
