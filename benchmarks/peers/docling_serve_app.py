"""Stands in for `docling_serve.app` in docling-serve's own tests: an application that asks the server PAGEMILL_URL."""

from __future__ import annotations

import os
from typing import Any

import httpx

TIMEOUT_S = 300.0


def create_app() -> Any:
    """An ASGI application; requests and answers pass unchanged."""
    return _pass_on


async def _pass_on(scope: dict, receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})
        return
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message.get("body", b""), message.get("more_body", False)
    address = f"{os.environ['PAGEMILL_URL']}{scope['path']}?{scope['query_string'].decode()}"
    headers = [(name, value) for name, value in scope["headers"] if name not in {b"host", b"accept-encoding"}]
    headers.append((b"accept-encoding", b"identity"))  # the answer's headers are those of its bytes
    async with httpx.AsyncClient(timeout=TIMEOUT_S, trust_env=False) as client:
        answer = await client.request(scope["method"], address, headers=headers, content=body)
    await send({"type": "http.response.start", "status": answer.status_code, "headers": answer.headers.raw})
    await send({"type": "http.response.body", "body": answer.content})


def __getattr__(name: str) -> type:
    """Any other name that its tests import."""
    return type(name, (), {})
