"""What a job in memory is, and what the runner needs of the pipeline."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from deployments.jobs.values import Glimpse, Plan, Timings
from documents.values import Opened, Page


class Work(Protocol):
    """What the pipeline does; each call may raise IngestError, Busy or ReplicaDied."""

    async def open(self, plan: Plan) -> Opened: ...
    async def page(self, plan: Plan, number: int) -> tuple[Page, Timings]: ...
    async def finish(self, plan: Plan, opened: Opened, pages: Sequence[Page]) -> None: ...
    async def forget(self, namespace: str, document_id: str) -> None: ...


@dataclass(slots=True)
class Running:
    """An unfinished job in memory."""

    plan: Plan
    begun: float
    starts: dict[int, int] = field(default_factory=dict)  # by page: how often earlier lives of the server began it
    left: int = 0  # pages to finish before the job can end
    pages: set[int] = field(default_factory=set)  # in the pipeline now
    tasks: set[asyncio.Task[Any]] = field(default_factory=set)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    told: asyncio.Event = field(default_factory=asyncio.Event)  # set when something more is committed
    timer: asyncio.TimerHandle | None = None
    glimpses: dict[int, tuple[int, Glimpse]] = field(default_factory=dict)  # by page, with its count: the newest
    num_glimpses: int = 0
    glimpsed: asyncio.Event = field(default_factory=asyncio.Event)  # set when there is one more, or when all is over

    def tell(self) -> None:
        """Wake who waits for the next event."""
        self.told.set()
        self.told = asyncio.Event()

    def stop(self) -> None:
        """Nothing more is done here: no deadline rings, and all who wait are woken."""
        if self.timer is not None:
            self.timer.cancel()
        self.tell()
        self.ended.set()
        self.glimpsed.set()

    def show(self, glimpse: Glimpse) -> None:
        """Keep a glimpse of a page that is being read, in the place of the one before, and wake who watches."""
        self.num_glimpses += 1
        self.glimpses[glimpse.number] = self.num_glimpses, glimpse
        self.glimpsed.set()
        self.glimpsed = asyncio.Event()
