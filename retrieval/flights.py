"""Equal work that is asked for at the same time is done once; whoever leaves takes nothing from the others."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Answer = TypeVar("Answer")


@dataclass(slots=True)
class _Flight:
    task: asyncio.Task[Any]
    num_waiting: int = 0


class Flights(Generic[Answer]):
    """What is being worked on, by key."""

    def __init__(self) -> None:
        self._flights: dict[Hashable, _Flight] = {}

    async def join(self, key: Hashable, work: Callable[[], Awaitable[Answer]]) -> Answer:
        """The answer of the work of this key, which is begun unless it is under way; it is given up when the last who
        waits has left. An error goes to all who wait.
        """
        flight = self._flights.get(key)
        if flight is None:
            # in an empty context: it is not the first caller's alone, and must not be cancelled with that one's request
            task = asyncio.get_running_loop().create_task(_run(work), context=contextvars.Context())
            flight = self._flights[key] = _Flight(task)
            task.add_done_callback(lambda _: self._land(key, task))
        flight.num_waiting += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.num_waiting -= 1
            if not flight.num_waiting and not flight.task.done():
                self._land(key, flight.task)
                flight.task.cancel()

    def _land(self, key: Hashable, task: asyncio.Task[Any]) -> None:
        if key in self._flights and self._flights[key].task is task:
            del self._flights[key]


async def _run(work: Callable[[], Awaitable[Answer]]) -> Answer:
    return await work()
