"""/v1/jobs: lists, shows, waits for and cancels jobs, and returns results in the requested format."""

from __future__ import annotations

import functools
from typing import Annotated, Any, BinaryIO

from fastapi import APIRouter, Query, Response

from deployments.calls.cancellable_calls import call
from deployments.ingress.file_body import FileBody, written_file
from deployments.ingress.middleware.authorization import Namespace
from deployments.ingress.operations.figure_pictures import drawn_figures
from deployments.ingress.operations.result_document import ended_job, result_document
from deployments.ingress.operations.services import Services
from deployments.jobs.results.result_formats import MEDIA_TYPES, Format, text_pieces
from deployments.values.jobs import Job, JobStatus
from documents.exports.zip_export import write_zip
from documents.values import Document
from retrieval.chunking.chunk_size import TokenCounter, counter_for
from retrieval.embedding.embedder import Embedder

FIGURE_DPI = 150.0


def router(services: Services) -> APIRouter:
    """The routes under /v1/jobs."""
    routes = APIRouter(prefix="/v1/jobs", tags=["jobs"])
    counter = counter_for(Embedder.find(services.settings.embedder.model))

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

    @routes.get("/{job_id}/result", response_class=Response, responses=RESULT_RESPONSES)
    async def result(job_id: str, namespace: Namespace, format: Format = "md") -> Response:  # noqa: A002  the query's name
        """The text of the document; pages that failed are named in the warnings of the job and of the JSON. Of a
        cancelled job the pages that were done: `Pagemill-Status` tells the job's status with every format."""
        job = await ended_job(services, job_id, namespace)
        async with services.documents.slot(namespace):
            plan, document = await result_document(services, job, namespace)
            if format == "zip":
                pictures, missing = await drawn_figures(services, plan, document, dpi=FIGURE_DPI)
                document = document.model_copy(update={"warnings": (*document.warnings, *missing)})
                write = functools.partial(write_zip, document, pictures)
            else:
                write = functools.partial(_write, document, format, counter)
            file = await written_file(services.documents.run, write, services.settings.data_dir)
        return FileBody(file, media_type=MEDIA_TYPES[format], headers={"Pagemill-Status": job.status})

    return routes


def _write(document: Document, form: Format, counter: TokenCounter, file: BinaryIO) -> None:
    for piece in text_pieces(document, form, counter):  # `writelines` would gather them
        file.write(piece.encode())


RESULT_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"content": {name.split(";")[0]: {} for name in MEDIA_TYPES.values()}}
}
