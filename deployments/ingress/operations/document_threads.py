"""Builds and writes whole documents: in threads of their own, few at once, and fairly among namespaces.

Other work of the ingress is small and shares a pool of few threads: it never waits behind thousands of pages.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from deployments.calls.slots import FairLimiter

T = TypeVar("T")
MAX_DOCUMENTS = 2  # in memory at once, and one more per namespace that has none
MAX_THREADS = 32


class DocumentThreads:
    """Who holds a slot may have a document in memory, and run work on it."""

    def __init__(self, wait_s: float = 60) -> None:
        """`wait_s`: seconds that a call waits for a slot before it is refused."""
        self._slots = FairLimiter(MAX_DOCUMENTS, wait_s=wait_s, what="whole documents")
        self._threads = ThreadPoolExecutor(MAX_THREADS, thread_name_prefix="documents")

    def slot(self, namespace: str) -> contextlib.AbstractAsyncContextManager[None]:
        """For the time in which a document is fetched, built and written. Raises Busy."""
        return self._slots.slot(namespace)

    async def run(self, work: Callable[..., T], *arguments: object) -> T:
        """What the work gives; a caller that is cancelled keeps its slot until the thread is done with it."""
        future = self._threads.submit(work, *arguments)
        waiter = asyncio.wrap_future(future)
        try:
            return await asyncio.shield(waiter)
        except asyncio.CancelledError:
            if not future.cancel():
                await asyncio.wait({waiter})
            raise
