"""Computes which tokens guides allow, in a thread beside the model."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from batching.errors import RequestFailed
from batching.sampling.guide_matcher import Allowed
from batching.step_plan import PlanRow


@dataclass(frozen=True, slots=True, eq=False)
class Masks:
    """By place of the row among those that reached the model; rows without a guide have none."""

    allowed: Mapping[int, Allowed | RequestFailed] = field(default_factory=dict[int, "Allowed | RequestFailed"])
    guide_s: float = 0.0


NO_MASKS = Masks()


class GuideMasks:
    """One thread, started with the first row that has a guide."""

    def __init__(self, vocabulary: int) -> None:
        """`vocabulary`: columns of the logits."""
        self._vocabulary = vocabulary
        self._thread: ThreadPoolExecutor | None = None

    def begin(self, rows: Sequence[PlanRow]) -> Future[Masks] | None:
        """Start on the rows of a step; None where no row that samples has a guide."""
        guided = {index: row for index, row in enumerate(rows) if row.owner.matcher is not None and row.samples}
        if not guided:
            return None
        if self._thread is None:
            self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="batching-guides")
        return self._thread.submit(self._masks, guided)

    def close(self) -> None:
        """End the thread; nothing is in flight."""
        if self._thread is not None:
            self._thread.shutdown()
            self._thread = None

    def _masks(self, guided: Mapping[int, PlanRow]) -> Masks:
        began = time.perf_counter()
        allowed = {index: self._allowed(row) for index, row in guided.items()}
        return Masks(allowed, time.perf_counter() - began)

    def _allowed(self, row: PlanRow) -> Allowed | RequestFailed:
        assert row.owner.matcher is not None
        try:
            return row.owner.matcher.allowed(row.tokens, self._vocabulary)
        except RequestFailed as error:
            return error
