"""Decides when work in the graph is retried (replica died, server full, no child process) and when it is given up."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import TypeVar

from configs.machine_memory import num_oom_kills
from deployments.errors import Busy, Lost, ReplicaDied
from documents.errors import RendererUnavailable

logger = logging.getLogger("ray.serve")
T = TypeVar("T")
MAX_BUSY_S = 600.0  # a deployment that stays full for so long is stuck
MAX_PAUSE_S = 1.0
REPLACEMENT_PAUSE_S = 1.0  # before the next look after a replica died, while another takes its place
RENDERER_PAUSES_S = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)  # together they cover two minutes of memory pressure
# over three and a half minutes in sum, besides the time of the attempts
SHORTAGE_PAUSES_S = (5.0, 10.0, 20.0, *[30.0] * 6)


async def with_retries(
    call: Callable[[], Awaitable[T]],
    *,
    attempts: int,
    num_deaths: int = 0,
    last_attempt_lock: asyncio.Lock | None = None,
    renderer_pauses_s: Sequence[float] | None = None,
    max_pause_s: float = MAX_PAUSE_S,
) -> T:
    """The result of `call`: retried on another replica if one dies, later if all are busy or no renderer child lives.

    A replica that dies ends all calls that it was running, and only one of them may be the cause. So the last
    attempt runs alone among the calls that share `last_attempt_lock`: none is given up because of another one.
    The lock is held while `call` runs, and until Serve knows of a death, but through none of the pauses.
    `num_deaths` of the attempts were made before, in company. `max_pause_s`: as `wait_while_busy`.
    A death while the kernel ended processes for lack of memory is no attempt, as long as SHORTAGE_PAUSES_S last.

    Raises:
        Lost: `attempts` replicas died over it, or all were busy for MAX_BUSY_S seconds.
        RendererUnavailable: still no child lived after the last of `renderer_pauses_s`.
    """
    pauses = iter(SHORTAGE_PAUSES_S)
    for attempt in range(num_deaths, attempts - 1):
        try:
            return await _through_shortages(call, pauses, renderer_pauses_s, max_pause_s)
        except ReplicaDied as error:
            await _recovered(attempt, error)
    last = call if last_attempt_lock is None or attempts == 1 else lambda: _by_itself(last_attempt_lock, call, attempts)
    try:
        return await _through_shortages(last, pauses, renderer_pauses_s, max_pause_s)
    except ReplicaDied as error:
        raise Lost(f"{attempts} replicas died during this work") from error


async def unless_replaced(call: Callable[[], Awaitable[T]], fallback: T) -> T:
    """The result of `call` of one who only looks on, and may look again.

    `fallback`, after a pause, where the replica died or takes no more calls: what it looks at goes on all the same.
    """
    try:
        return await call()
    except (Busy, ReplicaDied):
        await asyncio.sleep(REPLACEMENT_PAUSE_S)
        return fallback


async def _by_itself(last_attempt_lock: asyncio.Lock, call: Callable[[], Awaitable[T]], attempts: int) -> T:
    async with last_attempt_lock:
        try:
            return await call()
        except ReplicaDied as error:
            await _recovered(attempts - 1, error)  # the next one must not meet the same dead replica
            raise


async def _through_shortages(
    call: Callable[[], Awaitable[T]],
    pauses: Iterator[float],
    renderer_pauses_s: Sequence[float] | None,
    max_pause_s: float,
) -> T:
    """What `call` gives, after a pause again when its replica died while memory ran out.

    Raises:
        ReplicaDied: with memory to spare, or after the last of `pauses`.
        Lost: all were busy for MAX_BUSY_S seconds.
    """
    while True:
        before = await asyncio.to_thread(num_oom_kills)
        try:
            return await wait_while_busy(call, renderer_pauses_s, max_pause_s)
        except Busy as error:
            raise Lost("the server was full for too long", code="still_busy") from error
        except ReplicaDied as error:
            of_memory = await asyncio.to_thread(num_oom_kills) > before
            pause = next(pauses, None) if of_memory else None
            if pause is None:
                raise
            logger.warning("a replica was killed for lack of memory; its work is retried in %.0f s: %s", pause, error)
        await asyncio.sleep(pause)


async def _recovered(attempt: int, died: ReplicaDied) -> None:
    """Serve needs a moment to see that a replica is gone."""
    logger.warning("a replica died (try %d): %s", attempt + 1, died)
    await asyncio.sleep(0.2 * 2**attempt)


async def wait_while_busy(
    call: Callable[[], Awaitable[T]],
    renderer_pauses_s: Sequence[float] | None = None,
    max_pause_s: float = MAX_PAUSE_S,
) -> T:
    """The result of `call`, repeated while it is refused as Busy or the renderer has no child.

    There is no event for either, so the pauses grow, up to `max_pause_s` where a call costs much. Raises Busy after
    MAX_BUSY_S seconds.
    """
    started_at, pause = time.monotonic(), 0.05
    renderer_pauses = iter(RENDERER_PAUSES_S if renderer_pauses_s is None else renderer_pauses_s)
    while True:
        try:
            return await call()
        except Busy:
            if time.monotonic() - started_at > MAX_BUSY_S:
                raise
        except RendererUnavailable as error:
            if (renderer_pause := next(renderer_pauses, None)) is None:
                raise
            logger.warning("%s; retried in %g s", error.message, renderer_pause)
            await asyncio.sleep(renderer_pause)
            continue
        await asyncio.sleep(pause)
        pause = min(2 * pause, max_pause_s)
