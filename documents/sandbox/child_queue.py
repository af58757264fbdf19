"""Decides which call a free child process serves next: fair among namespaces, oldest first.

A child that changes its namespace is ended and started again. So it stays with one while that has calls waiting: for a
turn, if another holds fewer children. It lingers for the namespace's next call before it goes to one that holds as many
already, for callers make the calls for a page one after the other. Both last in proportion to what its start took.

Of two children or more one never parses, and of a namespace's calls those that compose are served first: the structure
of a page, which takes milliseconds, waits for no drawing, which may take many seconds.
"""

from __future__ import annotations

import asyncio
import collections
import itertools
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from documents.sandbox.child_call import Work
from documents.sandbox.child_process import ChildProcess
from documents.values import Source

MIN_TURN_S = 5.0  # minimum duration of a namespace's turn
# minimum duration of a turn, in durations of a child's start, so that starts do not take most of the time
MIN_TURN_STARTS = 5.0
MIN_IDLE_S = 0.5  # a child waits this long, or as long as a start took: waiting in vain then costs no more than a start


@dataclass(slots=True, eq=False)
class Place:
    """One child, and who has it."""

    child: ChildProcess
    namespace: str | None = None  # whose it is; None: nobody's, its next call starts it anyhow
    work: Work | None = None  # that it does now
    turn_began: float = 0.0  # by the loop's clock: when the namespace got it
    idle_since: float = 0.0

    @property
    def turn_ends(self) -> float:
        return self.turn_began + max(MIN_TURN_S, MIN_TURN_STARTS * self.child.start_s)

    @property
    def lingers_until(self) -> float:
        return self.idle_since + max(MIN_IDLE_S, self.child.start_s)


@dataclass(slots=True, eq=False)
class Waiter:
    """One call that has no child yet."""

    number: int  # in the order of arrival
    source: Source
    work: Work
    place: asyncio.Future[Place] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class ChildQueue:
    """Each child is free or serves exactly one call; no call waits while a child may serve it."""

    def __init__(self, children: Sequence[ChildProcess]) -> None:
        self._places = [Place(child) for child in children]
        self._max_parsing = max(1, len(children) - 1)
        self._waiters: dict[tuple[str, Work], collections.deque[Waiter]] = {}  # none of them empty
        self._numbers = itertools.count()
        self._timer: asyncio.TimerHandle | None = None  # until a child has lingered
        self._closed = False

    @asynccontextmanager
    async def child_for(self, source: Source, work: Work) -> AsyncIterator[ChildProcess]:
        """A child for one call. Raises RuntimeError once the queue is closed."""
        if self._closed:
            raise RuntimeError("the renderer pool is closed")
        waiter = Waiter(next(self._numbers), source, work)
        self._waiters.setdefault((source.namespace, work), collections.deque()).append(waiter)
        self._match()
        try:
            place = await waiter.place
        except asyncio.CancelledError:
            if waiter.place.done() and not waiter.place.cancelled():  # cancelled in the moment in which it got one
                self._free(waiter.place.result())
            else:
                self._forget(waiter)
            raise
        try:
            yield place.child
        finally:
            self._free(place)

    def close(self) -> None:
        """Refuse the calls that wait, and all that come."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        for waiter in itertools.chain.from_iterable(self._waiters.values()):
            if not waiter.place.done():
                waiter.place.set_exception(RuntimeError("the renderer pool is closed"))
        self._waiters.clear()

    def _free(self, place: Place) -> None:
        place.work = None
        place.idle_since = _now()
        place.namespace = place.child.namespace if place.child.running else None  # the call may have ended it
        self._match()

    def _forget(self, *leaving: Waiter) -> None:
        for waiter in leaving:
            line = waiter.source.namespace, waiter.work
            waiters = self._waiters.get(line, collections.deque())
            if waiter in waiters:
                waiters.remove(waiter)
                if not waiters:
                    del self._waiters[line]

    def _match(self) -> None:
        """Hand out children until none that is free may serve a call that waits."""
        self._forget(*[waiter for waiters in self._waiters.values() for waiter in waiters if waiter.place.cancelled()])
        while (pair := self._next_pair()) is not None:
            place, waiter = pair
            self._forget(waiter)
            if place.namespace != waiter.source.namespace:
                place.namespace = waiter.source.namespace
                place.turn_began = _now()
            place.work = waiter.work
            waiter.place.set_result(place)
        self._await_lingering()

    def _next_pair(self) -> tuple[Place, Waiter] | None:
        free, heads = self._free_places(), self._heads()
        waiting = {head.source.namespace for head in heads}
        for waiter in sorted(heads, key=self._rank):
            allowed = [place for place in free if self._may_serve(place, waiter.source.namespace, waiting)]
            if allowed:
                return min(allowed, key=lambda place: _effort(place, waiter.source)), waiter
        return None

    def _free_places(self) -> list[Place]:
        return [place for place in self._places if place.work is None]

    def _heads(self) -> list[Waiter]:
        """The oldest call of each namespace and work, but those that would parse while as many parse as may."""
        num_parsing = sum(place.work == "parsing" for place in self._places)
        works = ("parsing", "composing") if num_parsing < self._max_parsing else ("composing",)
        return [waiters[0] for (_, work), waiters in self._waiters.items() if work in works]

    def _rank(self, head: Waiter) -> tuple[int, bool, int]:
        return self._num_held(head.source.namespace), head.work == "parsing", head.number

    def _may_serve(self, place: Place, namespace: str, waiting: Collection[str]) -> bool:
        """Whether the free child is the namespace's, or nobody's, or may be taken from the one that has it."""
        owner = place.namespace
        if owner is None or owner == namespace:
            return True
        num_owned, num_held = self._num_held(owner), self._num_held(namespace)
        if num_held + 1 < num_owned or (num_held < num_owned and _now() >= place.turn_ends):
            return True
        return owner not in waiting and _now() >= place.lingers_until

    def _num_held(self, namespace: str) -> int:
        return sum(place.namespace == namespace for place in self._places)

    def _await_lingering(self) -> None:
        """Look again when the first free child has lingered long enough, if calls wait that it did not serve."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        ends = [place.lingers_until for place in self._free_places()]
        if ends and self._heads():  # a call that may not parse now waits for the end of another
            self._timer = asyncio.get_running_loop().call_at(min(ends), self._match)


def _effort(place: Place, source: Source) -> tuple[bool, bool, bool, float]:
    """Less for a child that has the document open; then one of its namespace, one not yet started, the longest idle."""
    foreign = place.namespace is not None and place.namespace != source.namespace
    return place.child.source != source, foreign, not place.child.running, place.idle_since


def _now() -> float:
    return asyncio.get_running_loop().time()
