"""Places: who may do something costly now, shared out by caller, with a bounded wait for the others."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass

from deployments.ingress.refusals import Unavailable


@dataclass(frozen=True, slots=True)
class _Waiter:
    caller: str
    admitted: asyncio.Future[None]


class Places:
    """At most `limit` callers are inside, and one more for each caller who has nothing inside yet.

    So no caller can keep another one out. A place that becomes free goes to the waiting caller with the fewest places;
    among equals to the one who came first.
    """

    def __init__(self, limit: int, *, wait_s: float, what: str) -> None:
        """`what` names the places in the refusal: "uploads"."""
        self._limit, self._wait_s, self._what = limit, wait_s, what
        self._inside: Counter[str] = Counter()
        self._waiting: list[_Waiter] = []

    @contextlib.asynccontextmanager
    async def taken(self, caller: str) -> AsyncIterator[None]:
        """A place for the time of the block.

        Raises:
            Unavailable: none became free within the time that a caller waits.
        """
        await self._take(caller)
        try:
            yield
        finally:
            self._release(caller)

    async def _take(self, caller: str) -> None:
        if not self._inside[caller] or (self._inside.total() < self._limit and not self._waiting):
            self._inside[caller] += 1
            return
        waiter = _Waiter(caller, asyncio.get_running_loop().create_future())
        self._waiting.append(waiter)
        try:
            async with asyncio.timeout(self._wait_s):
                await waiter.admitted
        except BaseException as error:
            if waiter in self._waiting:
                self._waiting.remove(waiter)
            elif not waiter.admitted.cancelled():  # admitted in the same moment
                self._release(caller)
            if isinstance(error, TimeoutError):
                raise Unavailable(f"all places for {self._what} are taken ({self._limit})") from None
            raise

    def _release(self, caller: str) -> None:
        self._inside[caller] -= 1
        self._inside += Counter()  # callers without a place are forgotten
        while self._waiting:
            waiter = min(self._waiting, key=lambda waiting: self._inside[waiting.caller])
            if self._inside[waiter.caller] and self._inside.total() >= self._limit:
                return
            self._waiting.remove(waiter)
            if not waiter.admitted.done():
                self._inside[waiter.caller] += 1
                waiter.admitted.set_result(None)
