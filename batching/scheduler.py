"""Scheduler: which sequences take part in the next step and with how many tokens; preemption when KV blocks run out."""

from __future__ import annotations

import time
from collections import deque

from batching.engine_config import EngineConfig
from batching.errors import BatchingError
from batching.kv.block_tables import BlockTables
from batching.policies.admission import Admission
from batching.policies.draft_verification import Drafting
from batching.policies.lookahead import rows_on_top_of
from batching.requests.completion import FinishReason
from batching.sequence import Phase, Sequence
from batching.step_plan import PlanRow, RowResult, StepPlan, StepResult


class Scheduler:
    """First come, first served; the oldest running sequence always advances, so everything ends.

    Between `schedule` and `commit` a step is in flight: its sequences keep their blocks, even if they are aborted.
    One more may be scheduled on top of it; then `commit` is called for both, in their order. A sequence that the first
    of them ends gives its blocks back though the second still writes to them: nothing that could take them is planned
    until that one is over.
    `running` is in order of arrival, and every sequence of it came before every one of `waiting`.
    """

    def __init__(self, config: EngineConfig, max_patches: int = 1, max_rows: int | None = None) -> None:
        """`max_patches`: of one pass of the vision encoder; a step has one pass, but for pictures of more.

        `max_rows`: of a step, drafts among them; None: as many as sequences may run.
        """
        self._config = config
        self._max_patches = max_patches
        self._max_rows = max_rows or config.max_running
        self._admission = Admission(config)
        self.tables = BlockTables(config.num_blocks, config.block_size, config.max_running, config.reuse_prefixes)
        self.drafting = Drafting(config, self.tables)
        self.waiting: deque[Sequence] = deque()
        self.running: list[Sequence] = []
        self.num_preempted = 0
        self._in_flight: dict[int, Sequence] = {}
        self._ahead: dict[int, Sequence] = {}  # of the step that was planned on top of the one in flight
        self._aborted: set[int] = set()  # to end when the step in flight is over

    def add(self, seq: Sequence) -> None:
        """Put a new sequence at the end of the waiting list; it ends at once if it asks for no token."""
        self.waiting.append(seq)
        self.drafting.begin(seq)
        if seq.max_tokens == 0:
            self._finish(seq, seq.reason_of_length())

    def abort(self, seq: Sequence) -> bool:
        """End a sequence early; False when that has to wait for the step in flight, or it has ended already."""
        if seq.phase is Phase.FINISHED:
            return False
        if seq.seq_id in self._in_flight:
            self._aborted.add(seq.seq_id)
            return False
        self._finish(seq, FinishReason.ABORT)
        return True

    def fail(self, seq: Sequence, error: BatchingError) -> None:
        """End a sequence that waits with `error`."""
        assert seq.phase is Phase.WAITING
        self._finish(seq, FinishReason.ERROR, error)

    @property
    def busy(self) -> bool:
        """Whether any sequence runs or waits."""
        return bool(self.running or self.waiting)

    def schedule(self, on_top_of: StepPlan | None = None) -> StepPlan | None:
        """The next step: a token for each decoding sequence, and as much prefill as the budget leaves.

        None when there is nothing to do, or nothing that could be planned before the step `on_top_of` is over.
        """
        if on_top_of is not None:
            return self._schedule_on_top_of(on_top_of)
        assert not self._in_flight, "the previous step was not committed"
        num_preempted = self.num_preempted
        decodes = self._decodes()
        if num_preempted == self.num_preempted:
            self._admit()
        budget = self._config.max_step_tokens - len(decodes)
        prefills = self._prefills(self._admission.num_prompt_tokens(budget, len(decodes), len(self.running)))
        num_rows = len(decodes) + len(prefills)
        num_spare = min(self._max_rows - num_rows, budget - sum([row.count for row in prefills]))
        num_idle = self._config.max_running - num_rows
        rows = (*self.drafting.extended(decodes, self._in_flight, num_spare, num_idle), *prefills)
        return StepPlan(rows=rows, max_patches=self._max_patches) if rows else None

    def commit(self, plan: StepPlan, result: StepResult) -> list[Sequence]:
        """Take over the result of a step; the sequences that have news. Blocks of those that ended are free."""
        in_flight = self._in_flight
        self._in_flight = self._ahead
        self._ahead = {}
        aborted = self._aborted
        self._aborted = set()
        news: dict[int, Sequence] = {}
        now = time.perf_counter()
        for row, outcome in zip(plan.rows, result.rows, strict=True):
            seq = in_flight[row.owner.seq_id]
            if seq.finish_reason is not None:  # ended by the step before, or by a row before
                continue
            num_tokens = len(seq.tokens)
            if seq.seq_id in aborted:
                self._finish(seq, FinishReason.ABORT)
            elif outcome.error is not None:
                if not self.drafting.absorbs_error(seq, row):
                    self._finish(seq, FinishReason.ERROR, outcome.error)
            elif not row.drafted or self.drafting.accepts(seq, row):
                self._advance(seq, row, outcome, now)
            if len(seq.tokens) > num_tokens or seq.phase is Phase.FINISHED:
                news[seq.seq_id] = seq
        self.drafting.end_step(in_flight.values())
        return list(news.values())

    def end_all(self, error: BatchingError) -> list[Sequence]:
        """End every sequence with `error`; no step may be running any more."""
        self._in_flight = {}
        self._ahead = {}
        ended = [*self.running, *self.waiting]
        for seq in ended:
            self._finish(seq, FinishReason.ERROR, error)
        return ended

    def check_idle(self) -> None:
        """Check that nothing is left of what has ended; for a scheduler that is not busy.

        Raises:
            RuntimeError: something is still in flight, or a block or a slot is not free.
        """
        if self.busy or self._in_flight or self._ahead or self._aborted:
            raise RuntimeError(
                f"idle, but {len(self._in_flight)} sequences are in flight, {len(self._aborted)} aborted"
            )
        self.tables.check_idle()

    def _schedule_on_top_of(self, plan: StepPlan) -> StepPlan | None:
        """None also where somebody could join: a newcomer would wait for one step more."""
        if self._aborted or self._ahead:
            return None
        rows = rows_on_top_of(plan, self.running, self.tables, self._config.max_running if self.waiting else 1)
        if rows is None:
            return None
        self._ahead = {row.owner.seq_id: self._in_flight[row.owner.seq_id] for row in rows}
        return StepPlan(rows=tuple(rows))

    def _decodes(self) -> list[PlanRow]:
        """Oldest first: growing may cost a younger one its blocks, before its own turn."""
        rows: list[PlanRow] = []
        for seq in [seq for seq in self.running if seq.decoding]:
            if seq.phase is Phase.RUNNING and self._grow(seq):
                self._in_flight[seq.seq_id] = seq
                rows.append(seq.row(1, decodes=True))
        return rows

    def _grow(self, seq: Sequence) -> bool:
        """Make room for the next token; the youngest lose theirs for it. False when `seq` was itself the youngest."""
        while not self.tables.grow(seq, len(seq.tokens)):
            youngest = self.running[-1]
            self._preempt(youngest)
            if youngest is seq:
                return False
        return True

    def _preempt(self, seq: Sequence) -> None:
        """Back to the front of the waiting list; what was computed is computed again, what was generated stays."""
        self.running.remove(seq)
        self.tables.release(seq)
        seq.preempt()
        self.waiting.appendleft(seq)
        self.num_preempted += 1

    def _admit(self) -> None:
        num_to_admit = self._admission.num_to_admit(len(self.running), self.waiting)
        while self.waiting and num_to_admit > 0 and len(self.running) < self._config.max_running:
            seq = self.waiting[0]
            # a block to grow for each that runs: else the newcomer would be preempted at once
            if not seq.admissible or not self.tables.fill(seq, num_spare=len(self.running)):
                return
            seq.phase = Phase.RUNNING
            seq.clock.admit()
            self.running.append(self.waiting.popleft())
            num_to_admit -= 1

    def _prefills(self, budget: int) -> list[PlanRow]:
        rows: list[PlanRow] = []
        num_patches = 0  # to encode in this step
        for seq in self.running if len(self._in_flight) < len(self.running) else ():
            if seq.seq_id in self._in_flight:  # it decodes
                continue
            num_encoded = seq.num_patches_due
            if budget <= 0 or (num_encoded and num_patches and num_patches + num_encoded > self._max_patches):
                break
            num_patches += num_encoded
            count = min(seq.num_to_prefill, budget)
            if count > 0:
                budget -= count
                rows.append(seq.row(count, decodes=False))
                self._in_flight[seq.seq_id] = seq
        return rows

    def _advance(self, seq: Sequence, row: PlanRow, outcome: RowResult, now: float) -> None:
        seq.num_computed = row.end
        if outcome.draft is not None:
            self.drafting.suggest(seq, outcome.draft)
        if not row.samples:
            seq.keep_features(outcome.features)
            self.tables.note_computed(seq)
            return
        seq.drop_pictures()
        seq.num_steps += not row.drafted
        reason = seq.append(outcome, now)
        self.tables.note_computed(seq)
        if reason is not None:
            self._finish(seq, reason)
        elif seq.prompt.recompute_beyond is not None:
            seq.recompute_if_outgrown()

    def _finish(self, seq: Sequence, reason: FinishReason, error: BatchingError | None = None) -> None:
        (self.waiting if seq.phase is Phase.WAITING else self.running).remove(seq)
        self.tables.release(seq)
        seq.finish(reason, error)
