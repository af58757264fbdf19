"""Orders the pages of concurrent `/v1/layout` calls: earliest deadline first, so that short calls are not held up."""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import itertools
import time
from collections.abc import AsyncIterator, Callable

SLACK_S = 0.25  # how long a call's next page may wait, per page that the call has left


class DeadlineSemaphore:
    """Of calls alike the oldest is answered first, rather than all of them late; a short call passes a long one.

    No page is passed for longer than its slack.
    """

    def __init__(self, num_slots: int, on_change: Callable[[int], None] | None = None) -> None:
        """`on_change(num_waiting)` is called whenever that number changes."""
        self._num_free = num_slots
        self._num_waiting = 0
        self._on_change = on_change
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []  # a heap
        self._numbers = itertools.count()

    def deadline(self, num_pages: int) -> float:
        """Of a page that arrives now, of a call that has so many left; for `slot`."""
        return time.monotonic() + SLACK_S * num_pages

    @contextlib.asynccontextmanager
    async def slot(self, deadline: float) -> AsyncIterator[None]:
        """Waits for a slot, and holds it."""
        if self._num_free:
            self._num_free -= 1
        else:
            admitted = asyncio.get_running_loop().create_future()
            heapq.heappush(self._waiting, (deadline, next(self._numbers), admitted))
            self._count(1)
            try:
                await admitted
            except asyncio.CancelledError:
                if admitted.done() and not admitted.cancelled():  # admitted in the same moment
                    self._release()
                raise
            finally:
                self._count(-1)
        try:
            yield
        finally:
            self._release()

    def _count(self, change: int) -> None:
        self._num_waiting += change
        if self._on_change is not None:
            self._on_change(self._num_waiting)

    def _release(self) -> None:
        """To the earliest deadline that still waits."""
        while self._waiting:
            *_, admitted = heapq.heappop(self._waiting)
            if not admitted.done():
                admitted.set_result(None)
                return
        self._num_free += 1
