"""The state in memory of a job that is being read, with its partial results and whoever waits for them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from deployments.values.jobs import PartialPage, Plan


@dataclass(slots=True)
class Running:
    """An unfinished job in memory."""

    plan: Plan
    begun: float
    starts: dict[int, int] = field(default_factory=dict)  # by page: how often earlier lives of the server began it
    num_pages: int = 0
    num_bytes: int = 0  # of the pages read since the server started, as JSON
    left: int = 0  # pages to finish before the job can end
    pages: set[int] = field(default_factory=set)  # in the pipeline now
    tasks: set[asyncio.Task[Any]] = field(default_factory=set)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    committed: asyncio.Event = field(default_factory=asyncio.Event)  # set when something more is committed
    timer: asyncio.TimerHandle | None = None
    partial_results: dict[int, tuple[int, PartialPage]] = field(
        default_factory=dict
    )  # by page, with its count: the newest
    num_partial_results: int = 0
    partial_changed: asyncio.Event = field(
        default_factory=asyncio.Event
    )  # set when there is one more, or when all is over

    def tell(self) -> None:
        """Wake who waits for the next event."""
        self.committed.set()
        self.committed = asyncio.Event()

    def stop(self) -> None:
        """Nothing more is done here: no deadline rings, and all who wait are woken."""
        if self.timer is not None:
            self.timer.cancel()
        self.tell()
        self.ended.set()
        self.partial_changed.set()

    def show(self, partial_page: PartialPage) -> None:
        """Keep how far a page is read, in the place of the one before, and wake who watches."""
        self.num_partial_results += 1
        self.partial_results[partial_page.number] = self.num_partial_results, partial_page
        self.partial_changed.set()
        self.partial_changed = asyncio.Event()
