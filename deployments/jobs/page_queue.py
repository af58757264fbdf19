"""Decides which page is read next: jobs take turns, so that a long document does not hold up a short one."""

from __future__ import annotations

import asyncio
import collections
from collections.abc import Iterable
from typing import Generic, TypeVar

T = TypeVar("T")


class PageQueue(Generic[T]):
    """Work of many jobs; `take` gives the next item of the job whose turn it is."""

    def __init__(self) -> None:
        self._items: dict[str, collections.deque[T]] = {}
        self._turns: collections.deque[str] = collections.deque()
        self._filled = asyncio.Event()

    def put(self, job_id: str, items: Iterable[T]) -> None:
        waiting = self._items.setdefault(job_id, collections.deque())
        waiting.extend(items)
        if waiting and job_id not in self._turns:
            self._turns.append(job_id)
        self._update_event(job_id)

    async def take(self) -> tuple[str, T]:
        """Wait for an item; its job goes to the end of the line."""
        while not self._turns:
            await self._filled.wait()
        job_id = self._turns.popleft()
        item = self._items[job_id].popleft()
        if self._items[job_id]:
            self._turns.append(job_id)
        self._update_event(job_id)
        return job_id, item

    def drop(self, job_id: str) -> None:
        """Forget what is queued of a job."""
        if self._items.pop(job_id, None) is not None and job_id in self._turns:
            self._turns.remove(job_id)
        self._update_event(job_id)

    def __len__(self) -> int:
        return sum(map(len, self._items.values()))

    def _update_event(self, job_id: str) -> None:
        if not self._items.get(job_id):
            self._items.pop(job_id, None)
        if self._turns:
            self._filled.set()
        else:
            self._filled.clear()
