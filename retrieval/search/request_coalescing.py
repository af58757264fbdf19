"""Computes identical concurrent requests only once; a caller that leaves does not cancel it for the others."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Answer = TypeVar("Answer")


@dataclass(slots=True)
class _Work:
    task: asyncio.Task[Any]
    num_waiting: int = 0


class SharedWork(Generic[Answer]):
    """The work in progress, by key."""

    def __init__(self) -> None:
        self._in_progress: dict[Hashable, _Work] = {}

    async def join(self, key: Hashable, work: Callable[[], Awaitable[Answer]]) -> Answer:
        """The answer of the work of this key, which is started unless it is in progress; it is cancelled when the last
        caller that waits has left. An error goes to all who wait.
        """
        shared = self._in_progress.get(key)
        if shared is None:
            # in an empty context: it is not the first caller's alone, and must not be cancelled with that one's request
            task = asyncio.get_running_loop().create_task(_run(work), context=contextvars.Context())
            shared = self._in_progress[key] = _Work(task)
            task.add_done_callback(lambda _: self._remove(key, task))
        shared.num_waiting += 1
        try:
            return await asyncio.shield(shared.task)
        finally:
            shared.num_waiting -= 1
            if not shared.num_waiting and not shared.task.done():
                self._remove(key, shared.task)
                shared.task.cancel()

    def _remove(self, key: Hashable, task: asyncio.Task[Any]) -> None:
        if key in self._in_progress and self._in_progress[key].task is task:
            del self._in_progress[key]


async def _run(work: Callable[[], Awaitable[Answer]]) -> Answer:
    return await work()
