"""Calls into the graph are tried again when it was not the work's fault, and given up in the end."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from deployments.errors import Busy, ReplicaDied
from documents.errors import IngestError

logger = logging.getLogger("ray.serve")
T = TypeVar("T")
BUSY_S = 600.0  # a graph that is full for so long takes nothing any more
LONGEST_PAUSE_S = 1.0


class ReplicaLost(IngestError):
    """Every replica that took this work died over it."""

    code = "replica_lost"
    retryable = True


class StillBusy(IngestError):
    """The graph was full for too long."""

    code = "still_busy"
    retryable = True


async def tried(call: Callable[[], Awaitable[T]], *, attempts: int) -> T:
    """What `call` gives, on another replica when one dies, later when all are busy.

    Raises:
        ReplicaLost: `attempts` replicas died over it.
        StillBusy: all were busy for BUSY_S seconds.
    """
    died: ReplicaDied | None = None
    for attempt in range(attempts):
        try:
            return await patient(call)
        except ReplicaDied as error:
            logger.warning("a replica died (try %d): %s", attempt + 1, error)
            died = error
            await asyncio.sleep(0.2 * 2**attempt)  # Serve needs a moment to see that it is gone
    raise ReplicaLost(f"{attempts} replicas died over this work") from died


async def patient(call: Callable[[], Awaitable[T]]) -> T:
    """What `call` gives once it is not refused as Busy; Serve offers no event for that, so the pauses grow."""
    begun, pause = time.monotonic(), 0.05
    while True:
        try:
            return await call()
        except Busy as error:
            if time.monotonic() - begun > BUSY_S:
                raise StillBusy("the server was full for too long") from error
        await asyncio.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE_S)
