"""Likely next queries are searched for while nobody waits; a query that somebody asks always goes first."""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from retrieval.cache import normal
from retrieval.search import Query

logger = logging.getLogger(__name__)
MAX_KNOWN = 10_000  # queries whose followers are known, and sessions
MAX_FOLLOWERS = 32  # of one query; more than any window predicts
Search = Callable[[Query], Awaitable[Any]]


class Lookahead:
    """Learns what follows what in sessions, and rehearses at most `window` queries after each; one at a time.

    What is learnt of one namespace is not told in another.
    """

    def __init__(self, search: Search, window: int = 3) -> None:
        self._search, self._window = search, window
        self._last: OrderedDict[tuple[str | None, str], str] = OrderedDict()
        self._followers: OrderedDict[tuple[str | None, str], Counter[str]] = OrderedDict()
        self._waiting = 0
        self._rehearsal: asyncio.Task[None] | None = None
        self._unused: OrderedDict[tuple[str | None, str], bool] = OrderedDict()
        self.counts = Counter[str](issued=0, used=0, given_up=0)

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Somebody waits for an answer: what is rehearsed is given up, and nothing new begins."""
        self._waiting += 1
        self._give_up()
        try:
            yield
        finally:
            self._waiting -= 1

    def answered(self, query: Query, session: str, expected: Sequence[str] = ()) -> None:
        """`query` of a session has its answer: rehearse what the caller expects next, else what followed before."""
        self._learn(query, session)
        texts = self.predict(query, expected)
        if texts and not self._waiting and self._rehearsal is None:
            queries = [query.model_copy(update={"text": text}) for text in texts]
            loop = asyncio.get_running_loop()
            self._rehearsal = loop.create_task(self._rehearse(queries), context=contextvars.Context())

    def used(self, query: Query) -> None:
        """The answer to this query was there already; it counts if it was rehearsed, and once."""
        if self._unused.pop((query.namespace, normal(query.text)), False):
            self.counts["used"] += 1

    def predict(self, query: Query, expected: Sequence[str] = ()) -> list[str]:
        """At most `window` texts, the likeliest first."""
        known = self._followers.get((query.namespace, normal(query.text)), Counter())
        return list(dict.fromkeys([*expected, *(text for text, _ in known.most_common(self._window))]))[: self._window]

    async def settled(self) -> None:
        """Wait until nothing is rehearsed."""
        if self._rehearsal is not None:
            await asyncio.wait([self._rehearsal])

    async def close(self) -> None:
        """Give up what is rehearsed."""
        task = self._rehearsal
        self._give_up()
        if task is not None:
            await asyncio.wait([task])

    def _learn(self, query: Query, session: str) -> None:
        key = query.namespace, session
        if (before := self._last.get(key)) is not None and before != normal(query.text):
            followers = self._followers.setdefault((query.namespace, before), Counter())
            if query.text not in followers and len(followers) == MAX_FOLLOWERS:
                del followers[min(followers, key=followers.__getitem__)]  # of the rarest, the one known longest
            followers[query.text] += 1
            self._followers.move_to_end((query.namespace, before))
        self._last[key] = normal(query.text)
        self._last.move_to_end(key)
        for known in (self._last, self._followers):
            if len(known) > MAX_KNOWN:
                known.popitem(last=False)

    async def _rehearse(self, queries: list[Query]) -> None:
        try:
            for query in queries:
                self.counts["issued"] += 1
                await self._search(query)
                self._unused[query.namespace, normal(query.text)] = True
                if len(self._unused) > MAX_KNOWN:
                    self._unused.popitem(last=False)
        except Exception as error:  # whoever asks this in earnest will hear of it
            logger.debug("a query that was looked ahead for failed: %s", error)
        finally:
            if self._rehearsal is asyncio.current_task():
                self._rehearsal = None

    def _give_up(self) -> None:
        if self._rehearsal is not None:
            self.counts["given_up"] += 1
            self._rehearsal.cancel()
            self._rehearsal = None
