"""Server-sent events: the answer that carries them, what OpenAPI says of it, and the keep-alive."""

from __future__ import annotations

from typing import Any

from fastapi.sse import format_sse_event
from starlette.responses import StreamingResponse

ALIVE = format_sse_event(comment="alive")
STREAM: dict[int | str, dict[str, Any]] = {200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}}


class EventStream(StreamingResponse):
    """Events as they come."""

    media_type = "text/event-stream"
