"""Porter: nobody passes who lacks a key, asks too much, or finds the house full; no body is read of those."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from urllib.parse import parse_qs

from starlette.requests import HTTPConnection, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from deployments.ingress.body import BodyLimits, BoundedBody
from deployments.ingress.callers import ANYONE, Caller, KeyRing, is_open
from deployments.ingress.places import Places
from deployments.ingress.problems import refusal_answer
from deployments.ingress.refusals import Forbidden, HeadersTooLarge, Problem, TooManyRequests, Unauthorized, Unavailable
from deployments.ingress.sites import Sites

MAX_HEADER_BYTES = 32_768
WITH_PICTURES = ("/v1/ocr", "/ocr", "/v1/layout", "/doc_layout")  # that lie in memory until they are read
POLICY_VIOLATION = 1008  # a WebSocket that is closed for it before it is accepted is answered 403
MINUTE_S = 60.0
PAGES = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; script-src 'self' 'unsafe-inline'"
HEADERS = {
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-resource-policy": b"same-origin",
}
OF_DATA = {
    b"cache-control": b"no-store",
    b"content-security-policy": b"default-src 'none'; frame-ancestors 'none'; sandbox",
}
OF_PAGES = {b"content-security-policy": f"{PAGES}; frame-ancestors 'none'".encode()}


class Porter:
    """ASGI middleware around all routes."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        keys: KeyRing | None,
        max_requests: int,
        bodies: BodyLimits,
        pictures: Places,
        sites: Sites | None = None,
    ) -> None:
        self._app, self._keys, self._sites = app, keys, sites
        self._bodies, self._pictures = bodies, pictures
        self._requests = Places(max_requests, wait_s=0, what="requests")
        self._quotas: dict[str, Bucket] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self._connect(scope, receive, send)
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        path = scope["path"]
        send = _with_headers(send, OF_PAGES if is_open(path) else OF_DATA)
        body = BoundedBody(receive, path, self._bodies)
        async with contextlib.AsyncExitStack() as places:
            try:
                self._bodies.check(request)
                if not is_open(path):  # open ones answer however full the house is
                    scope["pagemill.caller"] = caller = self._admitted(request)
                    await places.enter_async_context(self._requests.taken(caller.name))
                    if path in WITH_PICTURES:
                        await places.enter_async_context(self._pictures.taken(caller.name))
            except Problem as refusal:
                await refusal_answer(request, refusal)(scope, receive, send)
                return
            await self._app(scope, body, send)

    async def _connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A WebSocket: its caller may read, or it is closed before it is open. A browser sets no header there, so the
        key may be in the query."""
        connection = HTTPConnection(scope)
        told = parse_qs(scope["query_string"].decode("latin-1")).get("api_key", [""])[-1]
        headers = connection.headers if not told else {**connection.headers, "x-api-key": told}
        try:
            scope["pagemill.caller"] = self._known(headers, "GET", scope["path"])
        except Problem:
            await receive()  # its beginning
            await send({"type": "websocket.close", "code": POLICY_VIOLATION})
            return
        try:
            async with self._requests.taken(scope["pagemill.caller"].name):
                await self._app(scope, receive, send)
        except Unavailable:
            await send({"type": "websocket.close", "code": POLICY_VIOLATION})

    def _admitted(self, request: Request) -> Caller:
        """Who calls; raises the problem that keeps them out."""
        if sum(len(name) + len(value) for name, value in request.scope["headers"]) > MAX_HEADER_BYTES:
            raise HeadersTooLarge(f"the headers have more than {MAX_HEADER_BYTES} bytes")
        return self._known(request.headers, request.method, request.scope["path"])

    def _known(self, headers: Mapping[str, str], method: str, path: str) -> Caller:
        """Who calls with these headers, if they may call this now; raises the problem that keeps them out."""
        if self._keys is None and self._sites is not None:
            self._sites.check(headers)
        caller = ANYONE if self._keys is None else self._keys.caller(headers)
        if caller is None:
            raise Unauthorized("send a key as `Authorization: Bearer` or `X-API-Key`")
        if not caller.may(method, path):
            raise Forbidden("the role of this key does not allow this call")
        if caller.requests_per_minute is not None:
            bucket = self._quotas.setdefault(caller.name, Bucket(caller.requests_per_minute))
            if not bucket.take(time.monotonic()):
                raise TooManyRequests(f"this key may make {caller.requests_per_minute} calls a minute")
        return caller


class Bucket:
    """Fills up evenly with the calls of a minute; each call takes one."""

    def __init__(self, per_minute: int) -> None:
        self._size, self._left, self._filled_at = per_minute, float(per_minute), 0.0

    def take(self, now: float) -> bool:
        """Whether one was left at `now`, in seconds of a clock that never goes back."""
        if self._filled_at:
            self._left = min(self._size, self._left + (now - self._filled_at) * self._size / MINUTE_S)
        self._filled_at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


def _with_headers(send: Send, further: dict[bytes, bytes]) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = {name.lower() for name, _ in message["headers"]}
            added = [(name, value) for name, value in (HEADERS | further).items() if name not in given]
            message = {**message, "headers": [*message["headers"], *added]}
        await send(message)

    return sent
