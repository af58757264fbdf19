"""Decides which step is done next: tasks take turns, so that a long document does not hold up a short one."""

from __future__ import annotations

import asyncio
import collections
from collections.abc import Iterable
from typing import Generic, TypeVar

T = TypeVar("T")


class StepQueue(Generic[T]):
    """Steps of many tasks; `take` gives the next one of the task whose turn it is."""

    def __init__(self) -> None:
        self._items: dict[str, collections.deque[T]] = {}
        self._turns: collections.deque[str] = collections.deque()
        self._filled = asyncio.Event()

    def put(self, task_id: str, items: Iterable[T]) -> None:
        waiting = self._items.setdefault(task_id, collections.deque())
        waiting.extend(items)
        if waiting and task_id not in self._turns:
            self._turns.append(task_id)
        self._update_event(task_id)

    async def take(self) -> tuple[str, T]:
        """Wait for an item; its task goes to the end of the line."""
        while not self._turns:
            await self._filled.wait()
        task_id = self._turns.popleft()
        item = self._items[task_id].popleft()
        if self._items[task_id]:
            self._turns.append(task_id)
        self._update_event(task_id)
        return task_id, item

    def drop(self, task_id: str) -> None:
        """Forget what is queued of a task."""
        if self._items.pop(task_id, None) is not None and task_id in self._turns:
            self._turns.remove(task_id)
        self._update_event(task_id)

    def __len__(self) -> int:
        return sum(map(len, self._items.values()))

    def _update_event(self, task_id: str) -> None:
        if not self._items.get(task_id):
            self._items.pop(task_id, None)
        if self._turns:
            self._filled.set()
        else:
            self._filled.clear()
