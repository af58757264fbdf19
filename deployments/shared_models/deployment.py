"""One process for Layout, Ocr and Embedder, in profiles with small models, to share torch's memory.

Whoever calls one of them holds a `SharedModelHandle` and does not see the difference.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from configs import Settings
from deployments.embedder.deployment import Embedder
from deployments.layout.deployment import Layout
from deployments.ocr.deployment import Ocr

PARTS: dict[str, type] = {"layout": Layout, "ocr": Ocr, "embedder": Embedder}
MAX_CALLS = 10_000  # for parts whose callers already limit their calls


class Models:
    """The three parts as they are alone, each with its own threads; a method of one is called by both names."""

    def __init__(self, settings: Settings) -> None:
        self._parts: dict[str, Any] = {name: part(settings) for name, part in PARTS.items()}
        limits = {"layout": settings.layout.max_ongoing, "ocr": settings.ocr.max_ongoing}
        self._places = {name: asyncio.Semaphore(limits.get(name, MAX_CALLS)) for name in PARTS}

    async def run(self, part: str, method: str, *args: Any, **options: Any) -> Any:
        """A part's own method."""
        async with self._places[part]:
            return await getattr(self._parts[part], method)(*args, **options)

    async def run_stream(self, part: str, method: str, *args: Any, **options: Any) -> AsyncGenerator[Any, None]:
        """A part's own generator; leaving this one leaves that one."""
        generator = getattr(self._parts[part], method)(*args, **options)
        try:
            async with self._places[part]:
                async for item in generator:
                    yield item
        finally:
            await generator.aclose()

    async def check_health(self) -> None:
        """Raises when any of them is of no use any more: Serve replaces them all."""
        for part in self._parts.values():
            await part.check_health()
