"""A runner that computes rows which have ended on, as padded `generate` does: what static batching costs."""

from __future__ import annotations

import dataclasses
from collections import deque
from typing import Any

from batching.kv.block_pool import ceil_div, scratch_block
from batching.step_plan import PlanRow, RowOwner, StepPlan, StepResult


class PaddedRunner:
    """In mode "static" a batch keeps the rows it began with until its longest is done; results are the runner's."""

    def __init__(self, runner: Any) -> None:
        self._runner = runner
        self._batch: set[int] = set()  # sequences
        self._num_rows: deque[int] = deque()  # of the steps in flight
        self._scratch = 0
        self._block_size = 1
        self.num_padding = 0  # rows in all

    def __getattr__(self, name: str) -> Any:
        return getattr(self._runner, name)

    def allocate(self, num_blocks: int, block_size: int, max_rows: int, max_running: int) -> None:
        """See `Runner.allocate`."""
        self._batch = set()
        self._scratch = scratch_block(num_blocks)
        self._block_size = block_size
        self._runner.allocate(num_blocks, block_size, max_rows, max_running)

    def launch(self, plan: StepPlan) -> Any:
        """See `Runner.launch`; padding is as long as the longest row, and all of its KV is in the scratch block."""
        seq_ids = {row.owner.seq_id for row in plan.rows}
        if self._batch.isdisjoint(seq_ids):
            self._batch = set()
        self._batch |= seq_ids
        length = max(len(row.tokens) for row in plan.rows)
        blocks = [self._scratch] * ceil_div(length, self._block_size)
        row = PlanRow(owner=RowOwner(seq_id=-1), tokens=[0] * length, start=length - 1, count=1, blocks=blocks)
        padding = (row,) * len(self._batch - seq_ids)
        self.num_padding += len(padding)
        self._num_rows.append(len(plan.rows))
        return self._runner.launch(dataclasses.replace(plan, rows=plan.rows + padding))

    def collect(self, flight: Any) -> StepResult:
        """See `Runner.collect`."""
        result: StepResult = self._runner.collect(flight)
        return dataclasses.replace(result, rows=result.rows[: self._num_rows.popleft()])
