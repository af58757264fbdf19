"""Background tasks that continue after the request that started them has ended."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Coroutine, Iterator
from typing import Any, TypeVar

T = TypeVar("T")


def detached(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """A task with an empty context: calls that carry a request's context are cancelled when its client goes away."""
    return asyncio.get_running_loop().create_task(work, context=contextvars.Context())


class DetachedTasks:
    """Holds each task until it has ended, as asyncio itself does not."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = detached(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def __iter__(self) -> Iterator[asyncio.Task[Any]]:
        return iter(set(self._tasks))

    def __len__(self) -> int:
        return len(self._tasks)

    async def wait(self) -> None:
        """Until all that were started have ended; their errors stay with their owners."""
        await asyncio.gather(*self._tasks, return_exceptions=True)
