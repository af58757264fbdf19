"""GET /v1/jobs/{id}/events and /regions: streams a job's progress and partial results; a client can resume after
the last event.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Annotated

from fastapi import APIRouter, Header
from fastapi.sse import format_sse_event
from starlette.responses import Response

from deployments.calls.call_retries import REPLACEMENT_PAUSE_S
from deployments.calls.cancellable_calls import call
from deployments.ingress.middleware.authorization import Namespace
from deployments.ingress.operations.services import Services
from deployments.ingress.server_sent_events import STREAM_RESPONSES, EventStream, followed
from deployments.values.jobs import Event, PartialPage

Fetch = Callable[[int, float], Awaitable[tuple[list[Event], bool]]]
MAX_EVENT_ID = 2**63 - 1  # the largest id that a database counts to
LastEventId = Annotated[int, Header(ge=0, le=MAX_EVENT_ID)]


def router(services: Services) -> APIRouter:
    """The routes /v1/jobs/{job_id}/events and /regions."""
    routes = APIRouter(prefix="/v1/jobs", tags=["jobs"])

    @routes.get("/{job_id}/events", response_class=EventStream, responses=EVENT_RESPONSES)
    async def events(job_id: str, namespace: Namespace, last_event_id: LastEventId = 0) -> Response:
        """Server-sent events until the job has ended: `queued`, `running`, `page_started`, `page` (with status, timings
        by stage and warnings), `indexing`, and its last status. Comments in between are keep-alives. With
        `Last-Event-ID` only what came after it, also after a restart of the server; 204 when nothing comes any more."""
        return await event_stream(follower_of(services, job_id, namespace, last_event_id))

    @routes.get("/{job_id}/regions", response_class=EventStream, responses=EVENT_RESPONSES)
    async def regions(job_id: str, namespace: Namespace) -> Response:
        """Server-sent events `regions` while pages of the job are read by OCR: a page's number, its size in points, and
        its regions from the top with kind, box and the text that was read there by now (null: none yet). They are what
        is known at the moment and are not kept: the page itself comes with `page` in the job's events."""
        job = await call(services.jobs.job.remote(job_id, namespace))
        if job.done:
            return Response(status_code=204)
        return EventStream(partial_regions(services, job_id))

    return routes


def partial_regions(services: Services, job_id: str) -> AsyncIterator[bytes]:
    """What is read of a job's pages, as it goes over the wire, until the job has ended."""
    num_sent = 0
    heartbeat_s = services.settings.limits.heartbeat_s

    async def more() -> tuple[Sequence[PartialPage], bool]:
        nonlocal num_sent
        pages, num_sent, over = await call(services.jobs.partial_results.remote(job_id, num_sent, heartbeat_s))
        return pages, over

    return followed(more, lambda page: format_sse_event(event="regions", data_str=page.model_dump_json()))


EVENT_RESPONSES = STREAM_RESPONSES | {204: {"description": "no further events: the job has ended"}}


class Follower:
    """One client that follows the stored events of a job or an extraction."""

    def __init__(self, fetch: Fetch, heartbeat_s: float, after: int = 0) -> None:
        """`fetch(after, wait_s)`: the events since one, waited for, and whether those were all."""
        self._fetch = fetch
        self._heartbeat_s = heartbeat_s
        self._after = after

    async def more(self, wait_s: float | None = None) -> tuple[list[Event], bool]:
        """What happened since, waiting for something so long (a heartbeat), and whether that was all."""
        new_events, over = await self._fetch(self._after, self._heartbeat_s if wait_s is None else wait_s)
        if new_events:
            self._after = new_events[-1].id
        return new_events, over

    async def text(self, new_events: list[Event], over: bool) -> AsyncIterator[bytes]:
        """The stream as it goes over the wire."""
        yield format_sse_event(retry=int(1000 * REPLACEMENT_PAUSE_S))
        for event in new_events:
            yield written(event)
        if not over:
            async for text in followed(self.more, written):
                yield text


def follower_of(services: Services, job_id: str, namespace: str, after: int = 0) -> Follower:
    """Of a job of the namespace."""

    async def fetch(after: int, wait_s: float) -> tuple[list[Event], bool]:
        return await call(services.jobs.events.remote(job_id, after, wait_s, namespace))

    return Follower(fetch, services.settings.limits.heartbeat_s, after)


async def event_stream(follower: Follower) -> Response:
    """The events; 204 where none come any more. Raises what the first look at the task raises."""
    new_events, over = await follower.more(0)  # a task that is not there is answered by a status
    if over and not new_events:  # a browser reconnects until an answer says that there is no more
        return Response(status_code=204)
    return EventStream(follower.text(new_events, over))


def written(event: Event) -> bytes:
    """One server-sent event; its data are JSON on one line."""
    body = json.dumps(event.body | {"at": event.created_at.isoformat()}, ensure_ascii=False)
    return format_sse_event(id=str(event.id), event=event.kind, data_str=body)
