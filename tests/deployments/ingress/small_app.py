"""A small app behind the middlewares, four keys, and calls of it."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import httpx
from fastapi import FastAPI, Request

from configs.api_keys import KeyEntry, new_key
from deployments.calls.slots import FairLimiter
from deployments.ingress.middleware import error_responses
from deployments.ingress.middleware.admission import Admission
from deployments.ingress.middleware.authorization import caller_of
from deployments.ingress.middleware.body_limits import BodyGuard, BodyLimits
from deployments.ingress.middleware.security_headers import SecurityHeaders
from deployments.ingress.operations.callers import KeyRing, is_open

KEYS = {name: new_key() for name in ("reader", "writer", "boss", "slow")}
ENTRIES = [
    KeyEntry(name="reader", sha256=KEYS["reader"][1], namespace="a", roles=frozenset({"query"})),
    KeyEntry(name="writer", sha256=KEYS["writer"][1], namespace="b", roles=frozenset({"ingest"})),
    KeyEntry(name="boss", sha256=KEYS["boss"][1], namespace="c", roles=frozenset({"admin"})),
    KeyEntry(name="slow", sha256=KEYS["slow"][1], roles=frozenset({"query"}), requests_per_minute=2),
]


FORMS = ("/v1/ocr", "/ocr")


class SmallApp:
    """An app behind the middlewares; its uploads are held until the gate opens."""

    def __init__(
        self, *, keys: bool = True, max_requests: int = 10, max_pictures: int = 10, origins: Any = None
    ) -> None:
        self.gate, self.inside, self.bytes_read = asyncio.Event(), asyncio.Event(), 0
        self.app = FastAPI()
        for path in ("/v1/documents", "/v1/ocr", "/ocr"):
            self.app.post(path)(self.upload)
        for path in ("/v1/jobs", "/livez", "/metrics", "/docs-of-mine"):
            self.app.get(path)(self.look)
        self.app.post("/v1/query")(self.look)
        error_responses.install(self.app)
        ring = KeyRing(ENTRIES) if keys else None
        forms = tuple(re.compile(f"^{path}$") for path in FORMS)
        self.app.add_middleware(
            Admission,
            keys=ring,
            max_requests=max_requests,
            pictures=FairLimiter(max_pictures, wait_s=0, what="pictures"),
            origins=origins,
        )
        limits = BodyLimits(
            forms=forms, files=(), max_bytes=100, max_inline_bytes=1000, max_form_bytes=5000, max_file_bytes=3000
        )
        self.app.add_middleware(BodyGuard, limits=limits)
        self.app.add_middleware(SecurityHeaders, is_page=is_open)

    async def upload(self, request: Request) -> dict[str, int]:
        self.inside.set()
        await self.gate.wait()
        async for chunk in request.stream():
            self.bytes_read += len(chunk)
        return {"bytes": self.bytes_read}

    async def look(self, request: Request) -> dict[str, str]:
        return {"namespace": caller_of(request).namespace}


def responses_to(app: SmallApp, *calls: tuple[str, str, dict]) -> list[httpx.Response]:
    async def ask() -> list[httpx.Response]:
        transport = httpx.ASGITransport(app.app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://app") as client:
            return [await client.request(method, path, **options) for method, path, options in calls]

    return asyncio.run(ask())


def key(name: str) -> dict:
    return {"headers": {"Authorization": f"Bearer {KEYS[name][0]}"}}
