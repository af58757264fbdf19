"""Handles on objects of this process, in the place of Ray's."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any


class Handle:
    """A handle on an object of this process: `handle.method.remote(...)` is a task, and takes tasks as arguments."""

    def __init__(self, body: Any) -> None:
        self._body = body

    def __getattr__(self, name: str) -> Any:
        async def run(*args: Any, **told: Any) -> Any:
            given = [await each if isinstance(each, asyncio.Task) else each for each in args]
            return await getattr(self._body, name)(*given, **told)

        return SimpleNamespace(remote=lambda *args, **told: asyncio.ensure_future(run(*args, **told)))
