"""Limits current uploads and OCR calls per API key, fairly and with a bounded wait: no key can keep another out."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass

from deployments.errors import Busy


@dataclass(frozen=True, slots=True)
class _Waiter:
    caller: str
    admitted: asyncio.Future[None]


class FairLimiter:
    """At most `limit` slots are held, and one more by each caller who holds none yet.

    A slot that becomes free goes to the waiting caller who holds the fewest; among equals to the one who came first.
    """

    def __init__(self, limit: int, *, wait_s: float, what: str) -> None:
        """`wait_s`: seconds that a caller waits for a slot; `what` names the slots in the refusal: "uploads"."""
        self._limit = limit
        self._wait_s = wait_s
        self._what = what
        self._held: Counter[str] = Counter()
        self._waiting: list[_Waiter] = []

    @contextlib.asynccontextmanager
    async def slot(self, caller: str) -> AsyncIterator[None]:
        """A slot for the time of the block.

        Raises:
            Busy: none became free within the time that a caller waits.
        """
        await self._take(caller)
        try:
            yield
        finally:
            self._release(caller)

    async def _take(self, caller: str) -> None:
        if not self._held[caller] or (self._held.total() < self._limit and not self._waiting):
            self._held[caller] += 1
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
                raise Busy(f"all slots for {self._what} are taken ({self._limit})") from None
            raise

    def _release(self, caller: str) -> None:
        self._held[caller] -= 1
        self._held += Counter()  # callers without a slot are forgotten
        while self._waiting:
            waiter = min(self._waiting, key=lambda waiting: self._held[waiting.caller])
            if self._held[waiter.caller] and self._held.total() >= self._limit:
                return
            self._waiting.remove(waiter)
            if not waiter.admitted.done():
                self._held[waiter.caller] += 1
                waiter.admitted.set_result(None)
