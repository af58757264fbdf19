"""Slots for work that waits its turn: one queue of waiters, and the three orders in which they are let in."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import Generic, TypeVar

from deployments.errors import Busy

Holder = TypeVar("Holder")
SLACK_S = 0.25  # how long a call's next page may wait, per page that the call has left


class Slots(Generic[Holder]):
    """At most `limit` slots are held; a free one goes to the waiter who holds the fewest, among equals to the first."""

    _num_guaranteed = 0  # slots that a holder has also beyond the limit

    def __init__(self, limit: int, on_change: Callable[[int], None] | None = None) -> None:
        """`on_change(num_waiting)` is called when somebody begins or ends to wait."""
        self._limit = limit
        self._on_change = on_change
        self._held: Counter[Holder] = Counter()
        self._waiting: dict[asyncio.Future[None], Holder] = {}  # in the order of their arrival

    @contextlib.asynccontextmanager
    async def slot(self, holder: Holder) -> AsyncIterator[None]:
        """Waits for a slot, and holds it in the block."""
        await self._take(holder)
        try:
            yield
        finally:
            self._release(holder)

    @property
    def num_waiting(self) -> int:
        return len(self._waiting)

    async def _take(self, holder: Holder) -> None:
        admitted = asyncio.get_running_loop().create_future()
        self._waiting[admitted] = holder
        self._admit()
        if admitted.done():
            return
        self._report()
        try:
            await admitted
        except BaseException:
            self._waiting.pop(admitted, None)
            if admitted.done() and not admitted.cancelled():  # admitted in the same moment
                self._release(holder)
            raise
        finally:
            self._report()

    def _release(self, holder: Holder) -> None:
        self._held[holder] -= 1
        if not self._held[holder]:
            del self._held[holder]
        self._admit()

    def _admit(self) -> None:
        """Let in those who wait, while the next of them may enter."""
        while self._waiting:
            admitted, holder = min(self._waiting.items(), key=lambda waiter: self._order(waiter[1]))
            if not admitted.cancelled():
                if self._held[holder] >= self._num_guaranteed and not self._has_room():
                    return
                self._held[holder] += 1
                admitted.set_result(None)
            del self._waiting[admitted]

    def _order(self, holder: Holder) -> float:
        """The waiter with the lowest is next."""
        return self._held[holder]

    def _has_room(self) -> bool:
        return self._held.total() < self._limit

    def _report(self) -> None:
        if self._on_change is not None:
            self._on_change(self.num_waiting)


class FairLimiter(Slots[str]):
    """No caller can keep another out: each may hold one slot also at the limit, and waits no longer than `wait_s`."""

    _num_guaranteed = 1

    def __init__(self, limit: int, *, wait_s: float, what: str) -> None:
        """`wait_s`: seconds that a caller waits for a slot; `what` names the slots in the refusal: "uploads"."""
        super().__init__(limit)
        self._wait_s = wait_s
        self._what = what

    async def _take(self, holder: str) -> None:
        """Raises Busy where none became free within the time that a caller waits."""
        try:
            async with asyncio.timeout(self._wait_s):
                await super()._take(holder)
        except TimeoutError:
            raise Busy(f"all slots for {self._what} are taken ({self._limit})") from None


class DeadlineSemaphore(Slots[float]):
    """Held by deadlines, the earliest first: of calls alike the oldest is answered first, rather than all of them late.

    A short call passes a long one, for no longer than the long one's slack.
    """

    def deadline(self, num_pages: int) -> float:
        """Of a page that arrives now, of a call that has so many left; for `slot`."""
        return time.monotonic() + SLACK_S * num_pages

    def _order(self, holder: float) -> float:
        return holder


class BatchGate(Slots[None]):
    """Nobody enters while a batch runs, so that those who come then join the next one together.

    `@serve.batch` closes a batch when its window ends, also while an earlier one still runs; under random arrivals
    small batches then queue behind each other. With the gate only one batch's worth of calls is inside.
    """

    _is_running = False

    def close(self) -> None:
        """A batch begins: those who are inside are its items."""
        self._is_running = True

    def open(self) -> None:
        """The batch is over, whether or not its callers are still there."""
        self._is_running = False
        self._admit()

    def resize(self, limit: int) -> None:
        """From now on `limit` calls may be inside; those that wait and fit come in."""
        self._limit = limit
        self._admit()

    def _has_room(self) -> bool:
        return not self._is_running and super()._has_room()
