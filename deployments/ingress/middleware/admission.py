"""Middleware before any request body is read: checks the API key and role, the rate limit, and sheds load."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from urllib.parse import parse_qs

from starlette.requests import HTTPConnection, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from deployments.calls.slots import FairLimiter
from deployments.errors import Busy, QuotaExceeded
from deployments.ingress.errors import Forbidden, HeadersTooLarge, Unauthorized
from deployments.ingress.middleware.authorization import SCOPE_KEY
from deployments.ingress.middleware.body_limits import declares_small_body
from deployments.ingress.middleware.error_responses import refused
from deployments.ingress.middleware.origin_guard import OriginGuard
from deployments.ingress.operations.callers import ANONYMOUS_CALLER, Caller, KeyRing, is_open
from documents.errors import Refusal

MAX_HEADER_BYTES = 32_768
PICTURE_PATHS = ("/v1/ocr", "/ocr", "/v1/layout", "/doc_layout")  # pictures stay in memory until they are read
POLICY_VIOLATION = 1008  # close code; a WebSocket that is closed with it before it is accepted is answered 403
MINUTE_S = 60.0


class Admission:
    """Open paths are always answered; any other needs a caller with the right role, a quota and a free slot."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        keys: KeyRing | None,
        max_requests: int,
        pictures: FairLimiter,
        origins: OriginGuard | None = None,
    ) -> None:
        self._app = app
        self._keys = keys
        self._origins = origins
        self._pictures = pictures
        self._requests = FairLimiter(max_requests, wait_s=0, what="requests")
        self._quotas: dict[str, TokenBucket] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self._connect(scope, receive, send)
        elif scope["type"] != "http" or is_open(scope["path"]):
            await self._app(scope, receive, send)
        else:
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        async with contextlib.AsyncExitStack() as slots:
            try:
                caller = scope.get(SCOPE_KEY)
                if caller is None:
                    caller = scope[SCOPE_KEY] = self._admitted(request)
                    await slots.enter_async_context(self._requests.slot(caller.name))
                else:  # a tool calls on behalf of its request, which was admitted: only the role is another one
                    _check_role(caller, request.method, scope["path"])
                if scope["path"] in PICTURE_PATHS or _is_large_chat(request):
                    await slots.enter_async_context(self._pictures.slot(caller.name))
            except Refusal as refusal:
                await refused(request, refusal)(scope, receive, send)
                return
            await self._app(scope, receive, send)

    async def _connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A WebSocket: its caller may read, or it is closed before it is open.

        A browser sets no header there, so the key may be in the query.
        """
        key = parse_qs(scope["query_string"].decode("latin-1")).get("api_key", [""])[-1]
        headers: Mapping[str, str] = HTTPConnection(scope).headers
        if key:
            headers = {**headers, "x-api-key": key}
        try:
            caller = self._authenticated(headers, "GET", scope["path"])
        except Refusal:
            await receive()  # `websocket.connect`
            await send({"type": "websocket.close", "code": POLICY_VIOLATION})
            return
        scope[SCOPE_KEY] = caller
        async with contextlib.AsyncExitStack() as stack:
            try:
                await stack.enter_async_context(self._requests.slot(caller.name))
            except Busy:
                await send({"type": "websocket.close", "code": POLICY_VIOLATION})
                return
            await self._app(scope, receive, send)

    def _admitted(self, request: Request) -> Caller:
        """Who calls; raises the Refusal that the call is refused with."""
        if sum(len(name) + len(value) for name, value in request.scope["headers"]) > MAX_HEADER_BYTES:
            raise HeadersTooLarge(f"the headers exceed {MAX_HEADER_BYTES} bytes")
        return self._authenticated(request.headers, request.method, request.scope["path"])

    def _authenticated(self, headers: Mapping[str, str], method: str, path: str) -> Caller:
        """Who calls with these headers, if they may make this call now; else raises a Refusal."""
        if self._keys is None and self._origins is not None:
            self._origins.check(headers)
        caller = ANONYMOUS_CALLER if self._keys is None else self._keys.caller(headers)
        if caller is None:
            raise Unauthorized("send a key as `Authorization: Bearer` or `X-API-Key`, or as the password of Basic")
        _check_role(caller, method, path)
        if caller.requests_per_minute is not None:
            quota = self._quotas.setdefault(caller.name, TokenBucket(caller.requests_per_minute))
            if not quota.take(time.monotonic()):
                raise QuotaExceeded(f"this key may make {caller.requests_per_minute} calls per minute")
        return caller


def _is_large_chat(request: Request) -> bool:
    """Whether a conversation has pictures in its body, or may have."""
    return request.scope["path"] == "/v1/chat/completions" and not declares_small_body(request)


def _check_role(caller: Caller, method: str, path: str) -> None:
    """Raises Forbidden."""
    if not caller.may(method, path):
        raise Forbidden("the role of this key does not allow this call")


class TokenBucket:
    """Refills evenly with the calls of a minute; each call takes one."""

    def __init__(self, per_minute: int) -> None:
        self._size = per_minute
        self._left = float(per_minute)
        self._filled_at = 0.0

    def take(self, now: float) -> bool:
        """Whether one was left at `now`, in seconds of a monotonic clock."""
        if self._filled_at:
            self._left = min(self._size, self._left + (now - self._filled_at) * self._size / MINUTE_S)
        self._filled_at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True
