"""Collects callers while a layout batch runs, so that they join the next batch together.

`@serve.batch` closes a batch when its window ends, also while an earlier one still runs; under random arrivals small
batches then queue behind each other. With the gate only one batch's worth of calls is inside.
"""

from __future__ import annotations

import asyncio
import collections
import contextlib
from collections.abc import AsyncIterator


class BatchGate:
    """At most `size` calls are inside, and none enters while a batch runs."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._inside = 0
        self._running = False
        self._waiting: collections.deque[asyncio.Future[None]] = collections.deque()

    @contextlib.asynccontextmanager
    async def entered(self) -> AsyncIterator[None]:
        """Wait for a place, hold it in the block."""
        await self._enter()
        try:
            yield
        finally:
            self._leave()

    def close(self) -> None:
        """A batch begins: those who are inside are its items."""
        self._running = True

    def open(self) -> None:
        """The batch is over, whether or not its callers are still there."""
        self._running = False
        self._let_in()

    def resize(self, size: int) -> None:
        """From now on `size` calls may be inside; those that wait and fit come in."""
        self._size = size
        self._let_in()

    @property
    def num_waiting(self) -> int:
        return len(self._waiting)

    async def _enter(self) -> None:
        if not self._running and self._inside < self._size and not self._waiting:
            self._inside += 1
            return
        place = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():  # let in and cancelled at once
                self._leave()
            raise

    def _leave(self) -> None:
        self._inside -= 1
        self._let_in()

    def _let_in(self) -> None:
        while self._inside < self._size and self._waiting and not self._running:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                self._inside += 1
