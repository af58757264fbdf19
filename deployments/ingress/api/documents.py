"""POST and DELETE /v1/documents: an upload becomes a job (or the result of one with `wait`); deletes documents."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Annotated, Any, cast

from fastapi import APIRouter, Header, Path, Query, Request
from pydantic import BaseModel, Field
from ray.serve.exceptions import RequestCancelledError
from starlette.responses import JSONResponse

from deployments.calls.call_retries import unless_replaced
from deployments.calls.cancellable_calls import call, together
from deployments.ingress.errors import Cancelled, JobFailed, Malformed, UnknownOption
from deployments.ingress.form_options import form_schema, options_of
from deployments.ingress.middleware.authorization import Namespace, caller_of
from deployments.ingress.middleware.error_responses import ProblemDocument, refused
from deployments.ingress.operations.callers import Caller
from deployments.ingress.operations.services import Services
from deployments.ingress.operations.stored_files import bucket_object
from deployments.ingress.operations.submission import SubmittedFile, check_webhook, submit
from deployments.ingress.uploads import MAX_FILES, Form, read_form
from deployments.values.jobs import Job, Options
from documents.media_types import SUPPORTED_TYPES

FILES = ("file", "files")


def router(services: Services) -> APIRouter:
    """The routes under /v1/documents."""
    routes = APIRouter(prefix="/v1/documents", tags=["documents"])

    @routes.post("", response_model=Job, status_code=202, openapi_extra=UPLOAD, responses=JOB_RESPONSES)
    async def ingest(
        request: Request,
        namespace: Namespace,
        wait: Annotated[float, Query(ge=0, description="seconds to wait for the job to end")] = 0,
        idempotency_key: Annotated[str | None, Header(max_length=200)] = None,
    ) -> JSONResponse:
        """Ingest one or more files, or objects of buckets that the server may read (`source`: `s3://bucket/key`), which
        come behind the files: 202 and where to look, or 200 when all ended well within `wait` seconds. Of several files
        some of which failed or were refused: 207 and each one's job or problem; a single one that failed is
        answered with its error."""
        caller = caller_of(request)
        await call(services.jobs.check_room.remote(caller.namespace, caller.max_unfinished_jobs))
        reading = read_form(
            services, request, files=FILES, fields=FormFields, needs_file=False, allowed=SUPPORTED_TYPES
        )
        async with reading as form:
            files = _files(services, form)
            options = _options(form, single=len(files) == 1)
            await check_webhook(options.webhook, services.settings.webhooks)
            if idempotency_key is not None and len(files) > 1:
                raise Malformed("an Idempotency-Key needs a single file")
            try:
                jobs = await _submitted(services, files, options, idempotency_key, caller)
            except PartlySubmitted as partly:
                return await _partial_answer(request, partly)
        jobs = await _waited(services, jobs, min(wait, services.settings.limits.wait_s), options, namespace)
        return _answer(jobs, single=len(files) == 1, waited=wait > 0)

    @routes.delete("/{document_id:path}", status_code=204)
    async def forget(document_id: Annotated[str, Path(max_length=200)], namespace: Namespace) -> None:
        """Remove a document for good: its jobs (cancelled, if they run), its pages, its bytes and its index entries."""
        await call(services.jobs.forget.remote(document_id, namespace))

    return routes


class FormFields(BaseModel):
    """The fields of the form beside its files."""

    source: list[str] = Field([], description="address of an object that the server may read, s3://bucket/key")
    options: str = Field("{}", description="Options as JSON")


class RefusedFile(BaseModel):
    """A file of a form that became no job."""

    file_name: str
    problem: ProblemDocument


class PartialAnswer(BaseModel):
    """Of several files some of which failed or were refused: each job says how it ended."""

    jobs: list[Job]
    refused: list[RefusedFile] = []


JOB_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"model": Job},
    207: {"description": "several files, some of which failed or were refused", "model": PartialAnswer},
}
UPLOAD = form_schema(FormFields, file="file", several_files=True, or_field="source")


def _files(services: Services, form: Form) -> list[SubmittedFile]:
    """The files of the form, then those that it names. Raises SourceRefused, Malformed."""
    sources = [bucket_object(services, url) for url in form.repeated.get("source", ()) if url]
    files = [*form.uploads, *sources]
    if not files:
        raise Malformed("no file in the form; send it in the field `file`, or its address in `source`")
    if len(files) > MAX_FILES:
        raise Malformed(f"this call takes {MAX_FILES} file at a time")
    return files


def _options(form: Form, *, single: bool) -> Options:
    try:
        payload = json.loads(form.fields.get("options") or "{}")
    except (ValueError, RecursionError) as error:
        raise Malformed(f"options is not JSON: {error}") from None
    if not isinstance(payload, dict):
        raise Malformed("options must be a JSON object")
    options = options_of(Options, cast("dict[str, Any]", payload))
    if options.document_id is not None and not single:
        raise UnknownOption("document_id needs a single file")
    return options


async def _submitted(
    services: Services, files: Sequence[SubmittedFile], options: Options, key: str | None, caller: Caller
) -> list[Job]:
    """The jobs of the files, in order.

    Raises:
        PartlySubmitted: one file of several was refused after others had become jobs.
    """

    def leave(job: Job) -> None:
        _left(services, [job], options)

    jobs: list[Job] = []
    for file in files:
        try:
            jobs.append(await submit(services, file, options, key, caller, leave))
        except asyncio.CancelledError:  # the client went away
            _left(services, jobs, options)
            raise
        except Exception as refusal:
            if not jobs:
                raise
            raise PartlySubmitted(jobs, files[len(jobs) :], refusal) from refusal
    return jobs


async def _waited(services: Services, jobs: list[Job], wait_s: float, options: Options, namespace: str) -> list[Job]:
    if not wait_s:
        return jobs
    try:
        # where Jobs is replaced, they were taken all the same, and their ids must reach the client
        return await unless_replaced(
            lambda: together(call(services.jobs.wait.remote(job.id, wait_s, namespace)) for job in jobs), jobs
        )
    except (asyncio.CancelledError, RequestCancelledError):  # the client went away
        _left(services, jobs, options)
        raise


def _left(services: Services, jobs: Sequence[Job], options: Options) -> None:
    """Cancel the jobs of a client that went away, if it wanted that."""

    async def cancel(job: Job) -> None:
        await call(services.jobs.cancel.remote(job.id))

    if options.cancel_on_disconnect:
        for job in jobs:
            services.background_tasks.start(cancel(job))


class PartlySubmitted(Exception):
    """Some files of a form became jobs, and the others were refused."""

    def __init__(self, jobs: list[Job], refused: Sequence[SubmittedFile], refusal: Exception) -> None:
        super().__init__(f"{len(refused)} of {len(jobs) + len(refused)} files were refused")
        self.jobs = jobs
        self.refused = refused
        self.refusal = refusal


async def _partial_answer(request: Request, partly: PartlySubmitted) -> JSONResponse:
    """207: the jobs that were taken, and of each further file why it was not; sent again, only those are new."""
    problem = json.loads(bytes(refused(request, partly.refusal).body))
    body = {
        "jobs": [job.model_dump(mode="json") for job in partly.jobs],
        "refused": [{"file_name": file.name, "problem": problem} for file in partly.refused],
    }
    return JSONResponse(body, 207)


def _answer(jobs: list[Job], *, single: bool, waited: bool) -> JSONResponse:
    if single and waited and jobs[0].error is not None:
        raise JobFailed(jobs[0].id, jobs[0].error)
    if single and waited and jobs[0].status == "cancelled":
        raise Cancelled(f"job {jobs[0].id} was cancelled")
    status = 202
    if waited and all(job.done for job in jobs):
        status = 207 if any(job.error is not None or job.status == "cancelled" for job in jobs) else 200
    bodies = [job.model_dump(mode="json") for job in jobs]
    if not single:
        return JSONResponse({"jobs": bodies}, status)
    return JSONResponse(bodies[0], status, {"Location": jobs[0].links["self"]})
