"""/v1/jobs: what became of an upload."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response

from deployments.calls import call
from deployments.ingress.callers import Namespace
from deployments.ingress.problems import Cancelled, JobFailed, NotReady
from deployments.ingress.services import Services
from deployments.jobs.result import document_of
from deployments.jobs.values import Job, JobStatus
from documents.markdown import markdown
from documents.plain_text import plain_text
from documents.values import Document

Format = Literal["md", "json", "text"]
MEDIA_TYPES: dict[Format, str] = {
    "md": "text/markdown; charset=utf-8",
    "json": "application/json",
    "text": "text/plain; charset=utf-8",
}


def router(services: Services) -> APIRouter:
    """The routes under /v1/jobs."""
    routes = APIRouter(prefix="/v1/jobs", tags=["jobs"])

    @routes.get("")
    async def jobs(
        namespace: Namespace, status: JobStatus | None = None, limit: Annotated[int, Query(ge=1, le=1000)] = 100
    ) -> dict[str, list[Job]]:
        """The newest jobs first, without their pages."""
        return {"jobs": await call(services.jobs.jobs.remote(namespace, limit, status))}

    @routes.get("/{job_id}")
    async def job(job_id: str, namespace: Namespace, wait: Annotated[float, Query(ge=0)] = 0) -> Job:
        """Status, progress by page, warnings and error; with `wait`, when it has ended or the seconds are over."""
        if wait:
            wait = min(wait, services.settings.limits.wait_s)
            return await call(services.jobs.wait.remote(job_id, wait, namespace))
        return await call(services.jobs.job.remote(job_id, namespace))

    @routes.delete("/{job_id}")
    async def cancel(job_id: str, namespace: Namespace) -> Job:
        """Cancel: pages that are done stay, the others are given up. A job that has ended is left as it is."""
        return await call(services.jobs.cancel.remote(job_id, namespace))

    @routes.get("/{job_id}/result", response_class=Response, responses=RESULT)
    async def result(job_id: str, namespace: Namespace, format: Format = "md") -> Response:  # noqa: A002  the query's name
        """The text of the document; pages that failed are named in the warnings of the job and of the JSON."""
        found: Job = await call(services.jobs.job.remote(job_id, namespace))
        if not found.done:
            raise NotReady(f"job {job_id} is {found.status}")
        if found.error is not None:
            raise JobFailed(job_id, found.error)
        if found.status == "cancelled":
            raise Cancelled(f"job {job_id} was cancelled")
        plan, opened, pages, _ = await call(services.jobs.facts.remote(job_id, namespace))
        body = await asyncio.to_thread(lambda: _written(document_of(plan, opened, pages), found, format))
        return Response(body, media_type=MEDIA_TYPES[format])

    return routes


RESULT: dict[int | str, dict[str, Any]] = {200: {"content": {name.split(";")[0]: {} for name in MEDIA_TYPES.values()}}}


def _written(document: Document, job: Job, format: Format) -> str:  # noqa: A002
    if format == "md":
        return markdown(document)
    if format == "text":
        return plain_text(document)
    lost = tuple(warning for warning in job.warnings if warning.code == "page_failed")
    return document.model_copy(update={"warnings": (*document.warnings, *lost)}).model_dump_json()
