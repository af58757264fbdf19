"""POST /file_parse of MinerU: files to Markdown, content lists and pictures, as JSON or as a zip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from deployments.calls.cancellable_calls import call
from deployments.ingress.errors import JobFailed
from deployments.ingress.facades.mineru.answers import ParseAnswer, json_answer, named, zip_answer
from deployments.ingress.facades.mineru.parse_options import ParseOptions
from deployments.ingress.form_options import form_schema, ignored_header, ignored_names
from deployments.ingress.middleware.authorization import caller_of
from deployments.ingress.operations.conversions import MAX_PICTURE_BYTES, Conversions, ended, error_of
from deployments.ingress.operations.services import Services
from deployments.ingress.uploads import read_form
from deployments.values.jobs import Job
from documents.media_types import SUPPORTED_TYPES

PICTURE_DPI = 200  # as MinerU cuts them


def router(services: Services) -> APIRouter:
    """The route /file_parse."""
    routes = APIRouter(tags=["mineru"])
    conversions = Conversions(services)

    @routes.post("/file_parse", openapi_extra=UPLOAD, response_model=ParseAnswer, responses=ZIP_RESPONSES)
    async def file_parse(request: Request) -> Response:
        """Parse files (field `files`) and wait for them, for as long as the client does. Nothing of it is kept; a
        client that goes away ends the work. Ignored fields are listed in `ignored_options` and in the header
        `Pagemill-Ignored-Options`."""
        caller = caller_of(request)
        await call(services.jobs.check_room.remote(caller.namespace, caller.max_unfinished_jobs))
        jobs: list[Job] = []
        try:
            async with read_form(services, request, files=("files",), fields=None, allowed=SUPPORTED_TYPES) as form:
                options = form.options(ParseOptions)
                ignored = ignored_names(ParseOptions, form.fields)
                jobs = await conversions.submitted(form.uploads, options.for_job, caller)
            jobs = await ended(services, jobs, caller.namespace)
            if all(job.status in ("failed", "cancelled") for job in jobs):
                raise JobFailed(jobs[0].id, error_of(jobs[0]))
            return await _answer(services, conversions, jobs, caller.namespace, options, ignored)
        finally:
            conversions.forget(jobs, caller.namespace)

    return routes


async def _answer(
    services: Services,
    conversions: Conversions,
    jobs: Sequence[Job],
    namespace: str,
    options: ParseOptions,
    ignored: Sequence[str],
) -> Response:
    """200, or 207 if some of several files failed."""
    headers = ignored_header(ignored)
    dpi = PICTURE_DPI if options.return_images else None
    async with services.documents.slot(namespace):
        max_bytes = MAX_PICTURE_BYTES // len(jobs)
        converted = [await conversions.converted(job, namespace, dpi=dpi, max_bytes=max_bytes) for job in jobs]
        status = 207 if any(one.document is None for one in converted) else 200
        if options.response_format_zip:
            headers["Content-Disposition"] = 'attachment; filename="results.zip"'
            content = await services.documents.run(zip_answer, named(converted), options)
            return Response(content, status, headers, "application/zip")
        body = await services.documents.run(json_answer, named(converted), options, ignored)
    return Response(body, status, headers, "application/json")


UPLOAD = form_schema(ParseOptions, file="files", several_files=True)
ZIP_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/zip": {}}},
    207: {"description": "several files, some of which failed: see `errors`", "content": {"application/zip": {}}},
}
