"""Turns: whose page is next where calls of one page and of two hundred share the same places."""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import itertools
import time
from collections.abc import AsyncIterator, Callable

SLACK_S = 0.25  # that a page may be kept waiting for each that its call has left


class Turns:
    """Places that go to the page which is due first: `SLACK_S` after it came for each page that its call has left.

    Of calls alike the oldest is answered first, rather than all of them late; a short call passes a long one; no page
    is passed for longer than its slack.
    """

    def __init__(self, num_places: int, on_change: Callable[[int], None] | None = None) -> None:
        """`on_change` is told how many wait, whenever that changes."""
        self._num_free, self._num_waiting, self._on_change = num_places, 0, on_change
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []  # a heap
        self._numbers = itertools.count()

    def due(self, num_pages: int) -> float:
        """When a page is due that comes now, of a call that has so many left; for `place`."""
        return time.monotonic() + SLACK_S * num_pages

    @contextlib.asynccontextmanager
    async def place(self, due: float) -> AsyncIterator[None]:
        """Waits for a place, and holds it."""
        if self._num_free:
            self._num_free -= 1
        else:
            turn = asyncio.get_running_loop().create_future()
            heapq.heappush(self._waiting, (due, next(self._numbers), turn))
            self._count(1)
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():  # it was given a place in the same moment
                    self._pass_on()
                raise
            finally:
                self._count(-1)
        try:
            yield
        finally:
            self._pass_on()

    def _count(self, change: int) -> None:
        self._num_waiting += change
        if self._on_change is not None:
            self._on_change(self._num_waiting)

    def _pass_on(self) -> None:
        """A place is free: to whoever is due first and still waits."""
        while self._waiting:
            *_, turn = heapq.heappop(self._waiting)
            if not turn.done():
                turn.set_result(None)
                return
        self._num_free += 1
