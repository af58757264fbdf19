"""Handles on objects of this process, in the place of Ray's."""

from __future__ import annotations

import asyncio
import contextlib
from types import SimpleNamespace
from typing import Any


class Handle:
    """A handle on an object of this process: `handle.method.remote(...)` is a task, and takes tasks as arguments."""

    def __init__(self, body: Any) -> None:
        self._body = body

    def __getattr__(self, name: str) -> Any:
        async def run(*args: Any, **options: Any) -> Any:
            values = [await arg if isinstance(arg, asyncio.Task) else arg for arg in args]
            return await getattr(self._body, name)(*values, **options)

        return SimpleNamespace(remote=lambda *args, **options: asyncio.ensure_future(run(*args, **options)))

    def options(self, *, stream: bool) -> Any:
        """The same methods as generators."""
        assert stream
        return Streams(self._body)


class Streams:
    """A handle whose calls are streams."""

    def __init__(self, body: Any) -> None:
        self._body = body

    def __getattr__(self, name: str) -> Any:
        async def run(*args: Any, **options: Any) -> Any:
            values = [await arg if isinstance(arg, asyncio.Task) else arg for arg in args]
            async with contextlib.aclosing(getattr(self._body, name)(*values, **options)) as items:
                async for item in items:
                    yield item

        return SimpleNamespace(remote=lambda *args, **options: Stream(run(*args, **options)))


class Stream:
    """A generator that ends when it is cancelled, as Ray's do."""

    def __init__(self, items: Any) -> None:
        self._items = items
        self.ending: asyncio.Task[None] | None = None

    def __aiter__(self) -> Any:
        return self._items

    def cancel(self) -> None:
        self.ending = asyncio.ensure_future(self._items.aclose())


async def all_running() -> dict[str, dict[str, Any]]:
    """What Serve's controller would say if it were here."""
    names = ("jobs", "pipeline", "renderer", "layout", "ocr", "search", "lm")
    return {name: {"status": "ready"} for name in names}
