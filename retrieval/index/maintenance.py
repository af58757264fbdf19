"""Background maintenance of the index: compacts it after commits, deletes old versions, builds the vector index."""

from __future__ import annotations

import asyncio
import contextvars
import logging
from datetime import timedelta
from typing import Any

from lancedb.index import IvfSq

from retrieval.index.index import Index

logger = logging.getLogger(__name__)
VERSION_RETENTION = timedelta(minutes=10)  # a running query may still read versions of this age
MIN_VECTOR_ROWS = 50_000  # in a smaller table, comparing every vector is as fast as an index, and exact


async def tidy(index: Index, *, vector_rows: int = MIN_VECTOR_ROWS) -> None:
    """Join small files, fold new rows into the indices, forget old versions; build a vector index once it pays.

    Raises what LanceDB raises where a writer was faster: then try later.
    """
    table = index.table
    await table.optimize(cleanup_older_than=VERSION_RETENTION)
    if await index.embedder() is None or await table.count_rows() < vector_rows:
        return
    if any("vector" in index.columns for index in await table.list_indices()):
        return
    if await table.count_rows("vector IS NOT NULL") >= vector_rows:
        config: Any = IvfSq(distance_type="cosine")  # left out of the types that `create_index` is declared with
        await table.create_index("vector", config=config)


class Upkeep:
    """Compacts the index in the background, after a number of commits or a time since the first uncompacted one."""

    def __init__(
        self, index: Index, *, commits: int = 20, wait_s: float = 60, vector_rows: int = MIN_VECTOR_ROWS
    ) -> None:
        self._index = index
        self._commits = commits
        self._wait_s = wait_s
        self._vector_rows = vector_rows
        self._due = 0
        self._timer: asyncio.TimerHandle | None = None
        self._again: asyncio.TimerHandle | None = None  # to forget the versions that were kept for queries
        self._task: asyncio.Task[None] | None = None
        self.num_done = 0

    def committed(self) -> None:
        """Note a commit."""
        self._due += 1
        if self._due >= self._commits:
            self._begin()
        else:
            self._arm()

    async def close(self) -> None:
        """Give up what waits, and wait for what is under way."""
        for timer in (self._timer, self._again):
            if timer is not None:
                timer.cancel()
        if self._task is not None:
            await asyncio.wait([self._task])

    def _arm(self) -> None:
        if self._timer is None and self._task is None:
            self._timer = asyncio.get_running_loop().call_later(self._wait_s, self._begin)

    def _arm_again(self) -> None:
        if self._again is not None:
            self._again.cancel()
        loop = asyncio.get_running_loop()
        self._again = loop.call_later(
            VERSION_RETENTION.total_seconds() + self._wait_s, self._begin, context=contextvars.Context()
        )

    def _begin(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._task is None:
            # in an empty context: it outlives the call whose commit began it
            self._task = asyncio.get_running_loop().create_task(self._run(), context=contextvars.Context())

    async def _run(self) -> None:
        due, self._due = self._due, 0
        try:
            await tidy(self._index, vector_rows=self._vector_rows)
            self.num_done += 1
            if due:
                self._arm_again()
        except Exception as error:  # a writer was faster, or the storage is away: nothing is lost by waiting
            self._due += due
            logger.info("the index will be compacted later: %s", error)
        finally:
            self._task = None
            if self._due:
                self._arm()
