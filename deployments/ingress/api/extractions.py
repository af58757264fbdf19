"""/v1/extractions: starts, shows, follows and deletes stored extractions, which run even if the client disconnects."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import JSONResponse, Response

from deployments.calls.cancellable_calls import call
from deployments.ingress.api.job_events import EVENT_RESPONSES, Follower, LastEventId, event_stream
from deployments.ingress.errors import Cancelled, JobFailed, NotReady
from deployments.ingress.middleware.authorization import Namespace
from deployments.ingress.operations.services import Services
from deployments.ingress.server_sent_events import STREAM_RESPONSES, EventStream
from deployments.values.jobs import Event, ExtractionJob, ExtractionSubmission

Wait = Annotated[
    float | None, Query(ge=0, description="store the extraction, and wait up to so many seconds for its end")
]
EXTRACTION_RESPONSES: dict[int | str, dict[str, Any]] = {
    **STREAM_RESPONSES,
    202: {"description": "stored, not finished yet", "model": ExtractionJob},
}


async def stored_answer(services: Services, submission: ExtractionSubmission, wait_s: float) -> Response:
    """202 and where to look, or 200 where it has ended. Raises JobFailed."""
    extraction: ExtractionJob = await call(services.jobs.extract.remote(submission))
    if wait_s:
        wait_s = min(wait_s, services.settings.limits.wait_s)
        extraction = await call(services.jobs.extraction.remote(extraction.id, submission.namespace, wait_s))
        if extraction.error is not None:
            raise JobFailed(extraction.id, extraction.error)
    headers = {"Location": extraction.links["self"]}
    return JSONResponse(extraction.model_dump(mode="json"), 200 if extraction.done else 202, headers)


def router(services: Services) -> APIRouter:
    """The routes under /v1/extractions."""
    routes = APIRouter(prefix="/v1/extractions", tags=["extraction"])

    @routes.get("/{extraction_id}")
    async def extraction(
        extraction_id: str, namespace: Namespace, wait: Annotated[float, Query(ge=0)] = 0
    ) -> ExtractionJob:
        """How it stands; with `wait`, when it has ended or the seconds are over."""
        wait_s = min(wait, services.settings.limits.wait_s)
        return await call(services.jobs.extraction.remote(extraction_id, namespace, wait_s))

    @routes.delete("/{extraction_id}")
    async def cancel(extraction_id: str, namespace: Namespace) -> ExtractionJob:
        """Cancel; one that has ended is left as it is."""
        return await call(services.jobs.cancel_extraction.remote(extraction_id, namespace))

    @routes.get("/{extraction_id}/result", response_class=Response, responses=RESULT_RESPONSES)
    async def result(extraction_id: str, namespace: Namespace) -> Response:
        """What POST /v1/extract answers; 409 before the end, its own error if it failed."""
        extraction: ExtractionJob = await call(services.jobs.extraction.remote(extraction_id, namespace))
        if not extraction.done:
            raise NotReady(f"extraction {extraction_id} is {extraction.status}")
        if extraction.error is not None:
            raise JobFailed(extraction_id, extraction.error)
        text: str | None = await call(services.jobs.extraction_result.remote(extraction_id, namespace))
        if text is None:
            raise Cancelled(f"extraction {extraction_id} was cancelled")
        return Response(text, media_type="application/json")

    @routes.get("/{extraction_id}/events", response_class=EventStream, responses=EVENT_RESPONSES)
    async def events(extraction_id: str, namespace: Namespace, last_event_id: LastEventId = 0) -> Response:
        """Server-sent events until it has ended: `queued`, `running` (again after each call of the model), and its
        last status; each has the whole extraction. Comments in between are keep-alives. `Last-Event-ID` as for jobs."""

        async def fetch(after: int, wait_s: float) -> tuple[list[Event], bool]:
            return await call(services.jobs.extraction_events.remote(extraction_id, after, wait_s, namespace))

        return await event_stream(Follower(fetch, services.settings.limits.heartbeat_s, last_event_id))

    return routes


RESULT_RESPONSES: dict[int | str, dict[str, Any]] = {200: {"content": {"application/json": {}}}}
