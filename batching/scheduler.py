"""Scheduler: which sequences take part in the next step, and with how many tokens."""

from __future__ import annotations

import time
from collections import deque

from batching.blocks import BlockPool
from batching.completion import FinishReason
from batching.config import EngineConfig
from batching.errors import BatchingError
from batching.plan import PlanRow, RowResult, StepPlan, StepResult
from batching.sequence import Phase, Sequence


class Scheduler:
    """First come, first served; the oldest running sequence always advances, so everything ends.

    Between `schedule` and `commit` a step is in flight: its sequences keep their blocks, even if they are aborted.
    `running` is in order of arrival, and every sequence of it came before every one of `waiting`.
    """

    def __init__(self, config: EngineConfig) -> None:
        self._config = config
        self.pool = BlockPool(config.num_blocks, config.block_size)
        self.waiting: deque[Sequence] = deque()
        self.running: list[Sequence] = []
        self.num_preempted = 0
        self._in_flight: dict[int, Sequence] = {}
        self._aborted: set[int] = set()  # to end when the step in flight is over

    def add(self, seq: Sequence) -> None:
        """Put a new sequence at the end of the waiting list; it ends at once if it asks for no token."""
        self.waiting.append(seq)
        if seq.max_tokens == 0:
            self._finish(seq, FinishReason.LENGTH)

    def abort(self, seq: Sequence) -> bool:
        """End a sequence early; False when that has to wait for the step in flight, or it has ended already."""
        if seq.phase is Phase.FINISHED:
            return False
        if seq.seq_id in self._in_flight:
            self._aborted.add(seq.seq_id)
            return False
        self._finish(seq, FinishReason.ABORT)
        return True

    def schedule(self) -> StepPlan | None:
        """The next step: a token for each decoding sequence, and as much prefill as the budget leaves.

        None when there is nothing to do.
        """
        assert not self._in_flight, "the step before was not committed"
        num_preempted = self.num_preempted
        rows = self._decodes()
        if num_preempted == self.num_preempted:
            self._admit()
        rows += self._prefills(self._config.max_step_tokens - len(rows))
        planned = {row.seq_id for row in rows}
        self._in_flight = {seq.seq_id: seq for seq in self.running if seq.seq_id in planned}
        return StepPlan(rows=tuple(rows)) if rows else None

    def commit(self, plan: StepPlan, result: StepResult) -> list[Sequence]:
        """Take over what a step gave; the sequences that have news. Blocks of those that ended are free."""
        in_flight, self._in_flight = self._in_flight, {}
        aborted, self._aborted = self._aborted, set()
        news: list[Sequence] = []
        for row, came in zip(plan.rows, result.rows, strict=True):
            seq = in_flight[row.seq_id]
            if came.error is not None:
                self._finish(seq, FinishReason.ERROR, came.error)
            elif seq.seq_id in aborted:
                self._finish(seq, FinishReason.ABORT)
            else:
                self._advance(seq, row, came)
            if came.token_id is not None or seq.phase is Phase.FINISHED:
                news.append(seq)
        return news

    def end_all(self, error: BatchingError) -> list[Sequence]:
        """End every sequence with `error`; no step may be running any more."""
        self._in_flight.clear()
        ended = [*self.running, *self.waiting]
        for seq in ended:
            self._finish(seq, FinishReason.ERROR, error)
        return ended

    def _decodes(self) -> list[PlanRow]:
        """Oldest first: growing may cost a younger one its blocks, before its own turn."""
        decoding = [seq for seq in self.running if seq.decoding]
        return [_row(seq, 1) for seq in decoding if seq.phase is Phase.RUNNING and self._grow(seq)]

    def _grow(self, seq: Sequence) -> bool:
        """Blocks for the next token; the youngest make room. False when `seq` was itself the youngest."""
        missing = self.pool.blocks_for(seq.num_computed + 1) - len(seq.blocks)
        while (taken := self.pool.take(missing)) is None:
            youngest = self.running[-1]
            self._preempt(youngest)
            if youngest is seq:
                return False
        seq.blocks += taken
        return True

    def _preempt(self, seq: Sequence) -> None:
        """Back to the front of the waiting list; what was computed is computed again, what was generated stays."""
        self.running.remove(seq)
        self._release(seq)
        seq.num_computed = 0
        seq.phase = Phase.WAITING
        self.waiting.appendleft(seq)
        self.num_preempted += 1

    def _admit(self) -> None:
        limit = 1 if self._config.mode == "none" else self._config.max_running
        if self._config.mode == "static" and self.running:
            return
        while self.waiting and len(self.running) < limit:
            seq = self.waiting[0]
            needed = self.pool.blocks_for(len(seq.tokens))
            # a block to grow for each that runs: else the newcomer would be preempted at once
            if self.pool.num_free < needed + len(self.running):
                return
            taken = self.pool.take(needed)
            assert taken is not None
            seq.blocks += taken
            seq.phase = Phase.RUNNING
            seq.admitted = seq.admitted or time.perf_counter()
            self.running.append(self.waiting.popleft())

    def _prefills(self, budget: int) -> list[PlanRow]:
        rows: list[PlanRow] = []
        images = self._config.max_step_images
        for seq in self.running:
            if seq.decoding:
                continue
            encodes = seq.image is not None and seq.features is None
            if budget == 0 or (encodes and images == 0):
                break
            count = min(seq.num_due, budget)
            budget -= count
            images -= encodes
            rows.append(_row(seq, count))
        return rows

    def _advance(self, seq: Sequence, row: PlanRow, came: RowResult) -> None:
        seq.num_computed = row.end
        seq.features = None if row.samples else came.features
        if came.token_id is not None:
            reason = seq.append(came.token_id, came.logprob)
            if reason is not None:
                self._finish(seq, reason)

    def _finish(self, seq: Sequence, reason: FinishReason, error: BatchingError | None = None) -> None:
        (self.waiting if seq.phase is Phase.WAITING else self.running).remove(seq)
        self._release(seq)
        seq.image = seq.generator = None
        seq.phase, seq.finish_reason, seq.error = Phase.FINISHED, reason, error
        seq.finished = time.perf_counter()

    def _release(self, seq: Sequence) -> None:
        self.pool.give(seq.blocks)
        seq.features = None


def _row(seq: Sequence, count: int) -> PlanRow:
    return PlanRow(
        seq_id=seq.seq_id,
        tokens=seq.tokens,
        start=seq.num_computed,
        count=count,
        blocks=seq.blocks,
        params=seq.params,
        label=seq.label,
        decodes=seq.decoding,
        image=seq.image,
        features=seq.features,
        generator=seq.generator,
    )
