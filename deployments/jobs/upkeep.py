"""Repeats the upkeep of the stored work: what is too old goes, and what broken uploads left."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

logger = logging.getLogger("ray.serve")
SWEEP_PERIOD_S = 3600.0  # between two searches for what is too old


async def repeat(upkeep: Callable[[], Awaitable[object]], what: str, period_s: float | None = None) -> None:
    """Do it now and from time to time; one that fails is done again at its next time."""
    while True:
        try:
            await upkeep()
        except Exception:  # the database or the disk may be away for a moment
            logger.exception("%s could not be removed", what)
        await asyncio.sleep(SWEEP_PERIOD_S if period_s is None else min(SWEEP_PERIOD_S, period_s))
