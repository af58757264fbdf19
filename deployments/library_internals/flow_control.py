"""Backpressure of request bodies through Ray Serve's proxy: what the application has not read yet stays with the
client.

Serve 2.60 reads bodies ahead without a bound, once in its proxy and once more in the replica, whether the application
reads them or not: a client that sends 600 MB to a call that never looks at them fills 600 MB in both. Nothing public
turns this off, so the two queues of Serve are replaced by bounded ones.

Checked with: ray 2.60.0
"""

from __future__ import annotations

import asyncio
from typing import Any

from ray.serve._private import proxy, replica
from ray.serve._private.http_util import ASGIReceiveProxy, MessageQueue
from starlette.types import Message

WINDOW_BYTES = 1 << 20  # maximum bytes of one body in either queue
MESSAGE_BYTES = 500  # size of a message besides its payload
# in the replica; each batch that Serve fetches has at most WINDOW_BYTES, and what uvicorn read last
MAX_QUEUED_MESSAGES = 16


class BoundedMessageQueue(MessageQueue):
    """The queue of the proxy: who fills it waits while it holds more than WINDOW_BYTES."""

    def __init__(self) -> None:
        super().__init__()
        self._num_bytes = 0
        self._room = asyncio.Event()

    async def __call__(self, message: Message) -> None:
        await super().__call__(message)
        payload = message.get("body") or message.get("bytes") or message.get("text") or b""
        self._num_bytes += len(payload) + MESSAGE_BYTES
        if self._num_bytes > WINDOW_BYTES:
            self._room.clear()
            await self._room.wait()

    def get_messages_nowait(self) -> list[Message]:
        self._num_bytes = 0
        self._room.set()
        return super().get_messages_nowait()


class BoundedReceiveProxy(ASGIReceiveProxy):
    """`receive` of the application: it fetches nothing from the proxy while MAX_QUEUED_MESSAGES are unread."""

    def __init__(self, scope: Any, request_metadata: Any, receive_asgi_messages: Any) -> None:
        super().__init__(scope, request_metadata, self._fetch)
        self._fetch_now = receive_asgi_messages
        self._room = asyncio.Event()

    async def _fetch(self, request_metadata: Any) -> bytes:
        while self.queue.qsize() >= MAX_QUEUED_MESSAGES:
            self._room.clear()
            await self._room.wait()
        return await self._fetch_now(request_metadata)

    async def __call__(self) -> Message:
        message = await super().__call__()
        self._room.set()
        return message


def bound_proxied_bodies() -> None:
    """In Serve's proxy, before it takes connections."""
    proxy.MessageQueue = BoundedMessageQueue  # pyright: ignore[reportPrivateImportUsage]


def bound_request_bodies() -> None:
    """In a replica that serves HTTP, before its first request."""
    replica.ASGIReceiveProxy = BoundedReceiveProxy  # pyright: ignore[reportPrivateImportUsage]
