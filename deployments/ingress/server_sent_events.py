"""Formats server-sent events: the streaming response, a stream that follows something stored, and one that may fail."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, TypeVar

from fastapi.sse import format_sse_event
from pydantic import BaseModel
from starlette.responses import StreamingResponse

from deployments.calls.call_retries import unless_replaced
from deployments.errors import UnknownExtraction, UnknownJob

logger = logging.getLogger("ray.serve")
Item = TypeVar("Item")
KEEPALIVE_COMMENT = format_sse_event(comment="alive")
STREAM_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}
}


class EventStream(StreamingResponse):
    """Events as they come."""

    media_type = "text/event-stream"


class InternalError(BaseModel):
    """What stands where the rest of an interrupted stream would."""

    code: str = "internal"
    status: int = 500
    retryable: bool = True


async def followed(
    fetch: Callable[[], Awaitable[tuple[Sequence[Item], bool]]], write: Callable[[Item], bytes]
) -> AsyncIterator[bytes]:
    """What `fetch` gives, each item written, until it says that no more comes; a comment where it gives nothing.

    It outlives a replica of Jobs, and ends where what it follows is deleted.
    """
    over = False
    while not over:
        try:
            items, over = await unless_replaced(fetch, ((), False))
        except (UnknownJob, UnknownExtraction):
            return
        for item in items:
            yield write(item)
        if not items:
            yield KEEPALIVE_COMMENT


async def events_of(items: AsyncIterator[Item], write: Callable[[Item], bytes], what: str) -> AsyncIterator[bytes]:
    """Each item written; an error in the middle is the event `error`, and the last one, since the status is out."""
    try:
        async for item in items:
            yield write(item)
    except Exception:
        logger.exception("%s was interrupted", what)
        yield format_sse_event(event="error", data_str=InternalError().model_dump_json())


def token_event(token: str) -> bytes:
    """A piece of text that was read: `data: {"token": "..."}`."""
    return format_sse_event(data_str=json.dumps({"token": token}, ensure_ascii=False))
