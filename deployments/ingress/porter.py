"""Porter: nobody passes who lacks a key, asks too much, or finds the house full; no body is read of those."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from urllib.parse import parse_qs

from starlette.requests import HTTPConnection, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from deployments.ingress.callers import ANYONE, Caller, KeyRing, is_open
from deployments.ingress.problems import (
    BodyTooLarge,
    Forbidden,
    HeadersTooLarge,
    Problem,
    TooManyRequests,
    Unauthorized,
    Unavailable,
    answer,
)
from deployments.ingress.sites import Sites

MAX_HEADER_BYTES = 32_768
WITH_FILES = ("/v1/convert/source", "/v1/chunk/")  # JSON with files in it
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
        max_body_bytes: int,
        max_inline_bytes: int,
        max_pictures: int = sys.maxsize,
        sites: Sites | None = None,
    ) -> None:
        self._app, self._keys, self._sites = app, keys, sites
        self._max_requests, self._max_pictures = max_requests, max_pictures
        self._max_body_bytes, self._max_inline_bytes = max_body_bytes, max_inline_bytes
        self._inside, self._pictures = 0, 0
        self._quotas: dict[str, Bucket] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self._connect(scope, receive, send)
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        send = _with_headers(send, OF_PAGES if is_open(scope["path"]) else OF_DATA)
        if is_open(scope["path"]):  # these answer however full the house is
            await self._app(scope, receive, send)
            return
        try:
            scope["pagemill.caller"] = self._admitted(request)
        except Problem as refused:
            told = answer(request, refused.status, refused.code, refused.detail, retryable=refused.retryable)
            told.headers.update(refused.headers)
            await told(scope, receive, send)
            return
        with self._place(scope["path"]):
            await self._app(scope, self._bounded(request, receive), send)

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
        with self._place(scope["path"]):
            await self._app(scope, receive, send)

    @contextlib.contextmanager
    def _place(self, path: str) -> Iterator[None]:
        """Held until the answer is out, a streamed one, too."""
        pictures = int(path in WITH_PICTURES)
        self._inside, self._pictures = self._inside + 1, self._pictures + pictures
        try:
            yield
        finally:
            self._inside, self._pictures = self._inside - 1, self._pictures - pictures

    def _admitted(self, request: Request) -> Caller:
        """Who calls; raises the problem that keeps them out."""
        if sum(len(name) + len(value) for name, value in request.scope["headers"]) > MAX_HEADER_BYTES:
            raise HeadersTooLarge(f"the headers have more than {MAX_HEADER_BYTES} bytes")
        declared, limit = request.headers.get("content-length", "0"), self._limit(request)
        if not _is_upload(request) and declared.isdigit() and int(declared) > limit:
            raise BodyTooLarge(f"a body that is no upload may have {limit} bytes")
        return self._known(request.headers, request.method, request.scope["path"])

    def _limit(self, request: Request) -> int:
        """Bytes that a body which is no form may have."""
        return self._max_inline_bytes if request.scope["path"].startswith(WITH_FILES) else self._max_body_bytes

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
        if self._inside >= self._max_requests:
            raise Unavailable("as many requests as allowed are being answered")
        if path in WITH_PICTURES and self._pictures >= self._max_pictures:
            raise Unavailable("as many pictures as allowed are being read")
        return caller

    def _bounded(self, request: Request, receive: Receive) -> Receive:
        """The body, cut off where it is longer than allowed; uploads are counted by their own door, file by file."""
        if _is_upload(request):
            return receive
        return _counted(receive, self._limit(request))


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


def _is_upload(request: Request) -> bool:
    return request.headers.get("content-type", "").lower().startswith("multipart/form-data")


def _counted(receive: Receive, max_bytes: int) -> Callable[[], Awaitable[Message]]:
    left = max_bytes

    async def counted() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise BodyTooLarge(f"a body that is no upload may have {max_bytes} bytes")
        return message

    return counted


def _with_headers(send: Send, further: dict[bytes, bytes]) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = {name.lower() for name, _ in message["headers"]}
            added = [(name, value) for name, value in (HEADERS | further).items() if name not in given]
            message = {**message, "headers": [*message["headers"], *added]}
        await send(message)

    return sent
