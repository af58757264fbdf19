"""StoreThread: what changes the database is called in one thread, one call after the other; never by the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from sqlalchemy.exc import InterfaceError, OperationalError

from deployments.errors import DatabaseAway
from deployments.jobs.retry import patient

T = TypeVar("T")


class StoreThread:
    """Await it with what is to be called there."""

    def __init__(self, name: str = "job-store") -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)

    async def __call__(self, change: Callable[[], T]) -> T:
        """What `change` gives. Raises DatabaseAway, or what it raises."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, change)
        except (OperationalError, InterfaceError) as error:
            raise DatabaseAway("the job database does not answer") from error

    async def surely(self, change: Callable[[], T]) -> T:
        """What a change gives that may be made twice, as soon as the database answers. Raises StillBusy."""
        return await patient(lambda: self(change))

    def close(self) -> None:
        """Let go of the thread, which must be idle."""
        self._thread.shutdown(wait=False)
