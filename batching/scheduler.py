"""Scheduler: which sequences take part in the next step and with how many tokens; preemption when KV blocks run out."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence as Items

from batching.batch_admission import Admission
from batching.draft_verification import Drafting
from batching.engine_config import EngineConfig
from batching.errors import BatchingError
from batching.kv.block_tables import BlockTables
from batching.plan_rows import row_ahead, row_of
from batching.requests.completion import FinishReason
from batching.sequence import Phase, Sequence
from batching.step_plan import PlanRow, RowResult, StepPlan, StepResult

STEADY_PREFILL = 16  # tokens


class Scheduler:
    """First come, first served; the oldest running sequence always advances, so everything ends.

    Between `schedule` and `commit` a step is in flight: its sequences keep their blocks, even if they are aborted.
    One more may be scheduled on top of it; then `commit` is called for both, in their order. A sequence that the first
    of them ends gives its blocks back though the second still writes to them: nothing that could take them is planned
    until that one is over.
    `running` is in order of arrival, and every sequence of it came before every one of `waiting`.
    """

    def __init__(self, config: EngineConfig, max_patches: int = 1) -> None:
        """`max_patches`: of one pass of the vision encoder; a step has one pass, but for pictures of more."""
        self._config = config
        self._max_patches = max_patches
        self._admission = Admission(config)
        self._tables = BlockTables(config.num_blocks, config.block_size, config.reuse_prefixes)
        self.drafting = Drafting(config, self._tables)
        self.pool = self._tables.pool
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
    def num_reused(self) -> int:
        """Tokens that were not computed, for an earlier sequence had left their keys and values."""
        return self._tables.num_reused

    @property
    def busy(self) -> bool:
        """Whether any sequence runs or waits."""
        return bool(self.running or self.waiting)

    def schedule(self, on_top_of: StepPlan | None = None) -> StepPlan | None:
        """The next step: a token for each decoding sequence, and as much prefill as the budget leaves.

        None when there is nothing to do, or nothing that could be planned before the step in flight, `on_top_of`, is
        over.
        """
        if on_top_of is not None:
            return self._schedule_on_top_of(on_top_of)
        assert not self._in_flight, "the previous step was not committed"
        num_preempted = self.num_preempted
        rows = self._decodes()
        if num_preempted == self.num_preempted:
            self._admit()
        padding = self._admission.padding(self.running)
        budget = self._config.max_step_tokens - len(rows) - len(padding)
        prefills = self._prefills(self._prefill_budget(budget, len(rows)))
        num_spare = min(
            self._config.max_running - len(rows) - len(prefills), budget - sum([row.count for row in prefills])
        )
        rows = [*self.drafting.extended(rows, self._in_flight, num_spare), *prefills]
        if not rows:
            return None
        return StepPlan(rows=(*rows, *padding), copies=self._tables.take_copies(), max_patches=self._max_patches)

    def commit(self, plan: StepPlan, result: StepResult) -> list[Sequence]:
        """Take over the result of a step; the sequences that have news. Blocks of those that ended are free."""
        assert len(plan.rows) == len(result.rows), "a runner answers every row"
        in_flight, self._in_flight, self._ahead = self._in_flight, self._ahead, {}
        aborted, self._aborted = self._aborted, set()
        news: list[Sequence] = []
        now = time.perf_counter()
        end = 0
        while end < len(plan.rows):
            first, seq_id = end, plan.rows[end].seq_id
            end += 1
            while end < len(plan.rows) and plan.rows[end].seq_id == seq_id:  # branches, drafts, padding
                end += 1
            seq = in_flight.get(seq_id)
            if seq is None or seq.finish_reason is not None:  # padding, or ended by the step before this
                continue
            rows, results = plan.rows[first:end], result.rows[first:end]
            num_tokens = len(seq.tokens)
            error = results[0].error if end - first == 1 else next((one.error for one in results if one.error), None)
            if error is not None and not rows[-1].drafted:
                self._finish(seq, FinishReason.ERROR, error)
            elif seq_id in aborted:
                self._finish(seq, FinishReason.ABORT)
            elif seq.beams is None:
                self._advance(seq, rows, results, now)
            else:
                self._advance_beams(seq, rows, results, now)
            if len(seq.tokens) > num_tokens or seq.phase is Phase.FINISHED:
                news.append(seq)
        return news

    def end_all(self, error: BatchingError) -> list[Sequence]:
        """End every sequence with `error`; no step may be running any more."""
        self._in_flight, self._ahead = {}, {}
        ended = [*self.running, *self.waiting]
        for seq in ended:
            self._finish(seq, FinishReason.ERROR, error)
        return ended

    def _schedule_on_top_of(self, plan: StepPlan) -> StepPlan | None:
        """The step after `plan`, which is in flight; None where it would depend on what `plan` gives.

        All that runs must decode, by nothing but the model, and nobody be able to join. A sequence that `plan` turns
        out to end takes part all the same; that row's result is dropped, and the step after waits for it.
        """
        if self._aborted or self._ahead or self._config.mode != "continuous":
            return None
        if len(plan.rows) != len(self.running) or any(not row.samples for row in plan.rows):
            return None
        if any(not _runs_ahead(seq) or seq.seq_id not in self._in_flight for seq in self.running):
            return None
        going_on = [seq for seq in self.running if seq.num_output + 1 < seq.max_tokens]
        if not going_on or (self.waiting and len(going_on) < self._config.max_running):
            return None
        places = {row.seq_id: at for at, row in enumerate(plan.rows)}
        rows: list[PlanRow] = []
        for seq in going_on:
            (branch,) = seq.branches
            if not self._tables.own_slot(seq.seq_id, branch, len(branch.tokens)):
                return None
            rows.append(row_ahead(seq, branch, places[seq.seq_id]))
        self._ahead = {seq.seq_id: seq for seq in going_on}
        return StepPlan(rows=tuple(rows))

    def _decodes(self) -> list[PlanRow]:
        """Oldest first: growing may cost a younger one its blocks, before its own turn."""
        rows: list[PlanRow] = []
        for seq in [seq for seq in self.running if seq.decoding]:
            if seq.phase is Phase.RUNNING and self._grow(seq):
                self._in_flight[seq.seq_id] = seq
                rows += [row_of(seq, at, branch, 1, True) for at, branch in enumerate(seq.branches)]
        return rows

    def _grow(self, seq: Sequence) -> bool:
        """Make room for the next token; the youngest lose theirs for it. False when `seq` was itself the youngest."""
        for branch in seq.branches:
            while branch.num_computed >= branch.num_owned:
                if self._tables.own_slot(seq.seq_id, branch, branch.num_computed):
                    break
                youngest = self.running[-1]
                self._preempt(youngest)
                if youngest is seq:
                    return False
        return True

    def _preempt(self, seq: Sequence) -> None:
        """Back to the front of the waiting list; what was computed is computed again, what was generated stays."""
        self.running.remove(seq)
        self._release(seq)
        for branch in seq.branches:
            branch.num_computed = 0
        seq.phase = Phase.WAITING
        seq.num_preempted += 1
        self.waiting.appendleft(seq)
        self.num_preempted += 1

    def _admit(self) -> None:
        num_to_admit = self._admission.num_to_admit(len(self.running), self.waiting)
        width = sum(seq.params.num_beams for seq in self.running) if self.waiting else 0
        while self.waiting and num_to_admit > 0:
            seq = self.waiting[0]
            if not seq.admissible:
                return
            # a block to grow for each that runs: else the newcomer would be preempted at once
            if width + seq.params.num_beams > self._config.max_running or not self._tables.fill(seq, num_spare=width):
                return
            seq.phase = Phase.RUNNING
            seq.clock.admit()
            self.running.append(self.waiting.popleft())
            width += seq.params.num_beams
            num_to_admit -= 1

    def _prefill_budget(self, budget: int, num_decodes: int) -> int:
        """Tokens of prompts: all that `budget` leaves, unless those that decode would wait for them.

        With `steady_decoding`, as long as at least half of what runs decodes, a step has `STEADY_PREFILL` tokens of
        prompts, or as many as decodes: on a CPU it lasts about twice as long for them. Where more wait for their
        prompts than decode, a large step serves most.
        """
        if not num_decodes:
            return budget
        if self._config.max_mixed_prefill is not None:
            return min(budget, self._config.max_mixed_prefill)
        steady = self._config.steady_decoding and self._config.mode == "continuous"
        if not steady or 2 * len(self._in_flight) < len(self.running):
            return budget
        return min(budget, max(STEADY_PREFILL, num_decodes))

    def _prefills(self, budget: int) -> list[PlanRow]:
        rows: list[PlanRow] = []
        num_patches = 0  # to encode in this step
        for seq in self.running if len(self._in_flight) < len(self.running) else ():
            if seq.seq_id in self._in_flight:  # it decodes
                continue
            encodes = seq.prompt.num_patches if seq.features is None else 0
            if budget <= 0 or (encodes and num_patches and num_patches + encodes > self._max_patches):
                break
            num_patches += encodes
            for at, branch in enumerate(seq.branches):
                count = min(seq.num_to_prefill(branch), budget)
                if count > 0:
                    budget -= count
                    rows.append(row_of(seq, at, branch, count, False))
                    self._in_flight[seq.seq_id] = seq
        return rows

    def _advance(self, seq: Sequence, rows: Items[PlanRow], results: Items[RowResult], now: float) -> None:
        """By the token of the first row, and by those of the others, which are drafts, as far as they are confirmed."""
        if results[0].error is not None:  # it may be its drafts' fault: where whole blocks are read, so are theirs
            self.drafting.give_up(seq)
            return
        seq.branches[0].num_computed = rows[0].start + rows[0].count
        if not rows[0].samples:
            seq.keep_features(results[0].features)
            self._tables.note_computed(seq)
            return
        seq.features = seq.pixels = None
        reason = seq.append(results[0], now)
        if len(rows) > 1:
            reason = self.drafting.confirm(seq, rows[1:], results[1:], reason, now)
        self._tables.note_computed(seq)
        if reason is not None:
            self._end(seq, reason)
        elif seq.prompt.recompute_beyond is not None:
            seq.recompute_if_outgrown()

    def _advance_beams(self, seq: Sequence, rows: Items[PlanRow], results: Items[RowResult], now: float) -> None:
        assert seq.beams is not None
        for row in rows:
            seq.branches[row.branch].num_computed = row.end
        if not rows[0].samples:
            seq.keep_features(results[0].features)
            return
        seq.features = seq.pixels = None
        if offspring := seq.beams.extend(seq.branches, [result.candidates for result in results]):
            self._tables.fork(seq, offspring)
            seq.recompute_if_outgrown()
        else:
            self._end(seq, seq.take_best(seq.beams.best, now))

    def _end(self, seq: Sequence, reason: FinishReason) -> None:
        """It ended by itself."""
        self._admission.note_end()
        self._finish(seq, reason)

    def _finish(self, seq: Sequence, reason: FinishReason, error: BatchingError | None = None) -> None:
        (self.waiting if seq.phase is Phase.WAITING else self.running).remove(seq)
        self._release(seq)
        seq.finish(reason, error)

    def _release(self, seq: Sequence) -> None:
        self._tables.release(seq)
        seq.features = seq.pixels = None


def _runs_ahead(seq: Sequence) -> bool:
    """Whether its next token and no other can follow, and is the model's alone to choose."""
    return seq.params.takes_likeliest and seq.drafter is None
