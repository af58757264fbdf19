"""Stored work that has not ended, in memory: a job with its pages and partial results, or an extraction."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from deployments.jobs.revisions import EarlierPage
from deployments.values.jobs import ExtractionPlan, PartialPage, Plan


@dataclass(slots=True, eq=False, kw_only=True)
class RunningTask:
    """A task of either kind."""

    id: str
    namespace: str
    calls: set[asyncio.Task[Any]] = field(default_factory=set)  # its steps that run now
    begun: float = field(default_factory=time.perf_counter)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    committed: asyncio.Event = field(default_factory=asyncio.Event)  # set when something more is committed
    timer: asyncio.TimerHandle | None = None

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

    def facts(self) -> dict[str, Any]:
        """What the log says of it when it has ended."""
        return {}


@dataclass(slots=True, eq=False, kw_only=True)
class RunningJob(RunningTask):
    """The ingestion of a document."""

    plan: Plan
    starts: dict[int, int] = field(default_factory=dict)  # by page: how often earlier lives of the server began it
    earlier: Mapping[str, EarlierPage] = field(default_factory=dict)  # by fingerprint: pages that may be taken over
    num_pages: int = 0
    num_bytes: int = 0  # of the pages read since the server started, as JSON
    left: int = 0  # pages to finish before the job can end
    pages: set[int] = field(default_factory=set)  # in the pipeline now
    partial_results: dict[int, tuple[int, PartialPage]] = field(
        default_factory=dict
    )  # by page, with its count: the newest
    num_partial_results: int = 0
    partial_changed: asyncio.Event = field(
        default_factory=asyncio.Event
    )  # set when there is one more, or when all is over

    @classmethod
    def of(cls, plan: Plan) -> RunningJob:
        return cls(id=plan.job_id, namespace=plan.namespace, plan=plan)

    def stop(self) -> None:
        """Nothing more is done here."""
        RunningTask.stop(self)
        self.partial_changed.set()

    def show(self, partial_page: PartialPage) -> None:
        """Keep how far a page is read, in the place of the one before, and wake who watches."""
        self.num_partial_results += 1
        self.partial_results[partial_page.number] = self.num_partial_results, partial_page
        self.partial_changed.set()
        self.partial_changed = asyncio.Event()

    def facts(self) -> dict[str, Any]:
        """The file and how many of its pages were wanted."""
        return {"file": self.plan.file_name, "pages": self.num_pages}


@dataclass(slots=True, eq=False, kw_only=True)
class RunningExtraction(RunningTask):
    """The extraction of values from a document that was read."""

    plan: ExtractionPlan

    @classmethod
    def of(cls, plan: ExtractionPlan) -> RunningExtraction:
        return cls(id=plan.id, namespace=plan.namespace, plan=plan)
