"""Limits request bodies: the maximum size per route (413), and the time a slow upload may take (408)."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.routing import compile_path
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from deployments.ingress.errors import BodyTooLarge, FormNotTaken, Malformed, Stalled
from deployments.ingress.middleware.error_responses import refused
from documents.errors import Refusal

BODILESS_METHODS = frozenset({"GET", "HEAD", "DELETE", "OPTIONS"})
INLINE_FILE_PATHS = (  # JSON with files in it
    "/v1/convert/source",
    "/v1alpha/convert/source",
    "/v1/chunk/",
    "/v1/chat/completions",
    "/mcp",
)
FORM_MEDIA_TYPE = "multipart/form-data"
FILE_MEDIA_TYPE = "application/octet-stream"  # stands for any: the body is a file of whatever type it says
MAX_SMALL_DIGITS = 6  # of a declared length under a megabyte
MAX_DIGITS = 18  # a longer declared length is refused: Python parses no number of more than 4,300 digits


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyLimits:
    """Bytes and seconds; the paths that take a form or a file are named, all others take JSON or nothing."""

    forms: tuple[re.Pattern[str], ...]  # what `paths_taking` gives
    files: tuple[re.Pattern[str], ...]  # the same
    max_bytes: int  # of JSON
    max_inline_bytes: int  # of JSON with files in it
    max_form_bytes: int  # of a form with all its files
    max_file_bytes: int  # of a body that is a file
    min_bytes_per_s: float = 1000.0  # on average, once `silence_s` have passed
    max_s: float = 3600.0  # in all
    silence_s: float = 30.0  # between two pieces

    def check(self, request: Request) -> None:
        """Look at the headers alone.

        Raises:
            Malformed: a body where the method has none.
            FormNotTaken: a form where the route takes none.
            BodyTooLarge: the declared length is over the limit.
        """
        if request.method in BODILESS_METHODS and has_body(request):
            raise Malformed(f"{request.method} takes no body")
        path = request.scope["path"]
        if not _matches(path, self.forms) and request.headers.get("content-type", "").lower().startswith(
            FORM_MEDIA_TYPE
        ):
            expected = "the file itself" if _matches(path, self.files) else "JSON"
            raise FormNotTaken(f"{path} expects {expected}, not a form")
        declared = request.headers.get("content-length", "0")
        if declared.isdecimal() and (len(declared) > MAX_DIGITS or int(declared) > self.limit(path)):
            raise self.too_large(path)

    def limit(self, path: str) -> int:
        """Bytes that a body to this path may have."""
        if _matches(path, self.forms):
            return self.max_form_bytes
        if _matches(path, self.files):
            return self.max_file_bytes
        return self.max_inline_bytes if path.startswith(INLINE_FILE_PATHS) else self.max_bytes

    def too_large(self, path: str) -> BodyTooLarge:
        """The refusal of a body that is longer than `limit`."""
        return BodyTooLarge(f"a body for {path} may have at most {self.limit(path)} bytes")


class BodyGuard:
    """ASGI middleware: a body that is too long, or comes too slowly, is refused before it is all read."""

    def __init__(self, app: ASGIApp, *, limits: BodyLimits) -> None:
        self._app = app
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        try:
            self._limits.check(request)
        except Refusal as refusal:
            await refused(request, refusal)(scope, receive, send)
            return
        await self._app(scope, BoundedBody(receive, scope["path"], self._limits), send)


class BoundedBody:
    """ASGI `receive` of one request: raises where the body is too long, silent or too slow.

    Only the time that is spent waiting for the client counts, not that of the application.
    """

    def __init__(
        self, receive: Receive, path: str, limits: BodyLimits, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._receive = receive
        self._path = path
        self._limits = limits
        self._clock = clock
        self._limit = limits.limit(path)
        self._num_bytes = 0
        self._waited_s = 0.0
        self._complete = False

    async def __call__(self) -> Message:
        """Raises Stalled, BodyTooLarge."""
        if self._complete:
            return await self._receive()  # the client's leaving: it may take as long as it likes
        message = await self._next(self._patience_s())
        self._num_bytes += len(message.get("body", b""))
        if self._num_bytes > self._limit:
            raise self._limits.too_large(self._path)
        self._complete = not message.get("more_body", False)
        return message

    async def _next(self, patience_s: float) -> Message:
        since = self._clock()
        try:
            if patience_s <= 0:
                raise TimeoutError
            async with asyncio.timeout(patience_s):
                return await self._receive()
        except TimeoutError:
            raise Stalled(f"the body arrived too slowly: {self._num_bytes} bytes in {self._waited_s:.0f} s") from None
        finally:
            self._waited_s += self._clock() - since

    def _patience_s(self) -> float:
        """Seconds that the next piece may take."""
        limits = self._limits
        by_rate = limits.silence_s + self._num_bytes / limits.min_bytes_per_s - self._waited_s
        return min(limits.silence_s, by_rate, limits.max_s - self._waited_s)


def paths_taking(openapi: Mapping[str, Any], media_type: str) -> tuple[re.Pattern[str], ...]:
    """The paths whose calls take a body of this type, as the document of all calls says."""
    calls = [(path, call) for path, item in openapi["paths"].items() for call in item.values()]
    taking = {path for path, call in calls if media_type in call.get("requestBody", {}).get("content", {})}
    return tuple(compile_path(path)[0] for path in sorted(taking))


def declares_small_body(request: Request) -> bool:
    """Whether the headers say that the body has less than a megabyte."""
    declared = request.headers.get("content-length", "")
    return declared.isdecimal() and len(declared) <= MAX_SMALL_DIGITS


def has_body(request: Request) -> bool:
    """Whether the headers announce a body."""
    return "transfer-encoding" in request.headers or request.headers.get("content-length", "0") != "0"


def _matches(path: str, patterns: tuple[re.Pattern[str], ...]) -> bool:
    return any(pattern.match(path) for pattern in patterns)
