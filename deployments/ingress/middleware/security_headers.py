"""Security headers of every response: Content-Security-Policy, nosniff, no framing, no caching."""

from __future__ import annotations

from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

Headers = dict[bytes, bytes]
PAGES = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; script-src 'self' 'unsafe-inline'"
HEADERS: Headers = {
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-resource-policy": b"same-origin",
}
DATA_HEADERS = HEADERS | {
    b"cache-control": b"no-store",
    b"content-security-policy": b"default-src 'none'; frame-ancestors 'none'; sandbox",
}
PAGE_HEADERS = HEADERS | {b"content-security-policy": f"{PAGES}; frame-ancestors 'none'".encode()}


class SecurityHeaders:
    """ASGI middleware; a header that the route itself sets is left as it is."""

    def __init__(self, app: ASGIApp, *, is_page: Callable[[str], bool]) -> None:
        """`is_page(path)`: whether a browser shows what is there; all other paths answer data."""
        self._app = app
        self._is_page = is_page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = PAGE_HEADERS if self._is_page(scope["path"]) else DATA_HEADERS

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name.lower() for name, _ in message["headers"]}
                added = [(name, value) for name, value in headers.items() if name not in present]
                message = {**message, "headers": [*message["headers"], *added]}
            await send(message)

        await self._app(scope, receive, send_with_headers)
