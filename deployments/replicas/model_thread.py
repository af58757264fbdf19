"""The one thread that runs a model of a replica, and the health check that finds it stuck."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
MAX_WORK_S = 300.0  # one piece of work takes less, however slow the machine is


class ModelThread:
    """Does one piece of work after the other, off the event loop."""

    def __init__(self, name: str, *, stuck_s: float = MAX_WORK_S) -> None:
        self._name = name
        self._stuck_s = stuck_s
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._since: float | None = None  # seconds of a clock that never goes back; None: at rest

    async def run(self, work: Callable[..., T], *arguments: object) -> T:
        """What the work gives, when its turn has come."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._noted, work, *arguments)

    def check(self) -> None:
        """Raises RuntimeError when the thread has been at one piece of work for too long."""
        if (since := self._since) is not None and time.monotonic() - since > self._stuck_s:
            raise RuntimeError(f"the thread {self._name} is stuck: {self._stuck_s:g} s at one piece of work")

    def _noted(self, work: Callable[..., T], *arguments: object) -> T:
        self._since = time.monotonic()
        try:
            return work(*arguments)
        finally:
            self._since = None
