"""Formats server-sent events: the streaming response, its OpenAPI description, and the keep-alive comments."""

from __future__ import annotations

from typing import Any

from fastapi.sse import format_sse_event
from starlette.responses import StreamingResponse

ALIVE = format_sse_event(comment="alive")
STREAM: dict[int | str, dict[str, Any]] = {200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}}


class EventStream(StreamingResponse):
    """Events as they come."""

    media_type = "text/event-stream"
