"""Middleware inside Ray Serve's proxy: the proxy's own bare errors become problem documents, and bodies are held back.

Ray calls `middlewares` there, since RAY_SERVE_HTTP_PROXY_CALLBACK_IMPORT_PATH names it: `pagemill serve`, the images
and the environment of `make setup` set that. The process holds no model and no settings.
"""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any

from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from deployments.ingress.operations.readiness import Snapshot, Statuses, deployment_statuses
from deployments.library_internals.flow_control import bound_proxied_bodies
from deployments.library_internals.http_protocol import bound_connections

CALLBACK = "deployments.ingress.serve_proxy.proxy:middlewares"
SERVE_INTERNAL_PREFIX = "/-/"  # the paths of Serve itself begin with it
READINESS = "/readyz"
JSON_PATHS = (READINESS, "/ready", "/mcp")  # their errors are no problem documents
PROBLEM_MEDIA_TYPE = b"application/problem+json"  # every error of Ingress has it, and none of Serve's own
RETRY_AFTER_S = 5
REASONS = {
    404: ("starting", "the server is starting"),
    408: ("timeout", "the call was not answered in time"),
    500: ("replica_lost", "the process that handled the call has died; another one is starting"),
    503: ("starting", "a part of the server is restarting"),
}


def middlewares() -> list[Middleware]:
    """Called by Serve's proxy before it takes connections."""
    bound_proxied_bodies()
    bound_connections()
    return [Middleware(ProblemAnswers)]


class ProblemAnswers:
    """ASGI middleware: no answer leaves that is an error and no problem document (RFC 9457).

    Serve itself answers in plain text while no application runs (404), and where a replica is gone (500, 503); as
    nothing is wrong with the call, each of these becomes a 503 that says when to come again.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._statuses: Snapshot[Statuses] = Snapshot(deployment_statuses, {})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(SERVE_INTERNAL_PREFIX):
            await self._app(scope, receive, send)
            return
        path = scope["path"]
        begun = replaced = False

        async def checked(message: Message) -> None:
            nonlocal begun, replaced
            begun = True
            if message["type"] == "http.response.start" and message["status"] in REASONS:
                headers = {name.lower(): value for name, value in message["headers"]}
                replaced = not headers.get(b"content-type", b"").startswith(PROBLEM_MEDIA_TYPE)
                if path in JSON_PATHS and headers.get(b"content-type", b"").startswith(b"application/json"):
                    replaced = False  # the answer of Ingress about its parts, or an error of JSON-RPC
                if replaced:
                    await self._answer(path, message["status"], send)
            if not replaced:
                await send(message)

        await self._app(scope, receive, checked)
        if not begun:  # Serve says nothing where a replica ends over a call
            await self._answer(path, 500, send)

    async def _answer(self, path: str, status: int, send: Send) -> None:
        code, detail = REASONS[status]
        document: dict[str, Any] = {
            "type": "about:blank",
            "title": HTTPStatus.SERVICE_UNAVAILABLE.phrase,
            "status": int(HTTPStatus.SERVICE_UNAVAILABLE),
            "detail": detail,
            "code": code,
            "retryable": True,
        }
        if path == READINESS:
            document = {"status": "starting", "parts": await self._statuses.value()}
        body = json.dumps(document).encode()
        headers = [
            (b"content-type", b"application/json" if path == READINESS else PROBLEM_MEDIA_TYPE),
            (b"content-length", str(len(body)).encode()),
            (b"retry-after", str(RETRY_AFTER_S).encode()),
            (b"cache-control", b"no-store"),
            (b"x-content-type-options", b"nosniff"),
        ]
        await send({"type": "http.response.start", "status": 503, "headers": headers})
        await send({"type": "http.response.body", "body": body})
