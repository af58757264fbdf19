"""Scheduler: which sequences take part in the next step, and with how many tokens."""

from __future__ import annotations

import itertools
import time
from collections import deque
from collections.abc import Sequence as Items

from batching.beam import Branch, Offspring
from batching.blocks import BlockPool
from batching.completion import FinishReason
from batching.config import EngineConfig
from batching.errors import BatchingError
from batching.plan import PlanRow, RowResult, StepPlan, StepResult
from batching.rows import NOBODY, padding_row, row_ahead, row_of, rows_of
from batching.sequence import Phase, Sequence


class Scheduler:
    """First come, first served; the oldest running sequence always advances, so everything ends.

    Between `schedule` and `commit` a step is in flight: its sequences keep their blocks, even if they are aborted.
    One more may be scheduled on top of it; then `commit` is called for both, in their order. A sequence that the first
    of them ends gives its blocks back though the second still writes to them: nothing that could take them is planned
    until that one is over.
    `running` is in order of arrival, and every sequence of it came before every one of `waiting`.
    """

    def __init__(self, config: EngineConfig, max_tiles: int = 1) -> None:
        """`max_tiles`: of one pass of the vision encoder; a step has one pass, but for an image of more tiles."""
        self._config = config
        self._max_tiles = max_tiles
        self.pool = BlockPool(config.num_blocks, config.block_size)
        self.waiting: deque[Sequence] = deque()
        self.running: list[Sequence] = []
        self.num_preempted = 0
        self._in_flight: dict[int, Sequence] = {}
        self._ahead: dict[int, Sequence] = {}  # of the step that was planned on top of the one in flight
        self._aborted: set[int] = set()  # to end when the step in flight is over
        self._copies: dict[int, list[tuple[int, int]]] = {}  # by sequence, for the step that is being planned
        self._num_ended = 0  # rows of the static batch that have ended

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
        assert not self._in_flight, "the step before was not committed"
        num_preempted = self.num_preempted
        self._copies = {}
        rows = self._decodes()
        if num_preempted == self.num_preempted:
            self._admit()
        rows += self._prefills(self._config.max_step_tokens - len(rows) - self._num_ended)
        if not rows:
            return None
        copies = itertools.chain.from_iterable(self._copies.values())
        return StepPlan(rows=(*rows, *self._padding()), copies=tuple(copies), max_tiles=self._max_tiles)

    def commit(self, plan: StepPlan, result: StepResult) -> list[Sequence]:
        """Take over what a step gave; the sequences that have news. Blocks of those that ended are free."""
        in_flight, self._in_flight, self._ahead = self._in_flight, self._ahead, {}
        aborted, self._aborted = self._aborted, set()
        news: list[Sequence] = []
        together = zip(plan.rows, result.rows, strict=True)
        errors = {row.seq_id: each.error for row, each in together if each.error is not None}
        now = time.perf_counter()
        seq_id = NOBODY
        for at, row in enumerate(plan.rows):
            if row.seq_id == seq_id:  # padding, or one more branch of the sequence that was just looked at
                continue
            seq_id = row.seq_id
            seq = in_flight.get(seq_id)
            if seq is None or seq.finish_reason is not None:  # padding, or ended by the step before this
                continue
            num_tokens = len(seq.tokens)
            if seq_id in errors:
                self._finish(seq, FinishReason.ERROR, errors[seq_id])
            elif seq_id in aborted:
                self._finish(seq, FinishReason.ABORT)
            elif seq.beams is None:
                self._advance(seq, row, result.rows[at], now)
            else:
                self._advance_beams(seq, *rows_of(seq_id, at, plan, result), now)
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
        if any(not seq.params.takes_likeliest or seq.seq_id not in self._in_flight for seq in self.running):
            return None
        going_on = [seq for seq in self.running if seq.num_output + 1 < seq.max_tokens]
        if not going_on or (self.waiting and len(going_on) < self._config.max_running):
            return None
        places = {row.seq_id: at for at, row in enumerate(plan.rows)}
        rows: list[PlanRow] = []
        for seq in going_on:
            (branch,) = seq.branches
            if len(branch.tokens) // self.pool.block_size >= len(branch.blocks):
                taken = self.pool.take(1)
                if taken is None:
                    return None
                branch.blocks += taken
            rows.append(row_ahead(seq, branch, places[seq.seq_id]))
        self._ahead = {seq.seq_id: seq for seq in going_on}
        return StepPlan(rows=tuple(rows))

    def _decodes(self) -> list[PlanRow]:
        """Oldest first: growing may cost a younger one its blocks, before its own turn."""
        rows: list[PlanRow] = []
        size = self.pool.block_size
        for seq in [seq for seq in self.running if seq.decoding]:
            branch = seq.branches[0]
            room = seq.beams is None and branch.num_computed < len(branch.blocks) * size  # so have most
            if seq.phase is Phase.RUNNING and (room or self._grow(seq)):
                self._in_flight[seq.seq_id] = seq
                rows.append(row_of(seq, 0, branch, 1, True))
                if seq.beams is not None:
                    rows += [row_of(seq, at, each, 1, True) for at, each in enumerate(seq.branches) if at]
        return rows

    def _grow(self, seq: Sequence) -> bool:
        """Blocks for the next token; the youngest make room. False when `seq` was itself the youngest."""
        for branch in seq.branches:
            while not self._own_next_slot(seq, branch):
                youngest = self.running[-1]
                self._preempt(youngest)
                if youngest is seq:
                    return False
        return True

    def _own_next_slot(self, seq: Sequence, branch: Branch) -> bool:
        """Whether the branch has a block of its own for its next token: one more, or a copy of one it shares."""
        at = branch.num_computed // self.pool.block_size
        shared = at < len(branch.blocks) and self.pool.is_shared(branch.blocks[at])
        if at < len(branch.blocks) and not shared:
            return True
        taken = self.pool.take(1)
        if taken is None:
            return False
        if shared:
            self._copies.setdefault(seq.seq_id, []).append((branch.blocks[at], taken[0]))
            self.pool.give([branch.blocks[at]])
            branch.blocks[at] = taken[0]
        else:
            branch.blocks += taken
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
        if not self.running:
            self._num_ended = 0
        if self._config.mode in ("static", "static_dropping") and self.running:
            return
        limit = self._config.max_running
        width = sum(each.params.num_beams for each in self.running) if self.waiting else 0
        while self.waiting:
            seq = self.waiting[0]
            if width + seq.params.num_beams > limit or (self._config.mode == "none" and self.running):
                return
            # a block to grow for each that runs: else the newcomer would be preempted at once
            if self.pool.num_free < sum(self.pool.blocks_for(len(each.tokens)) for each in seq.branches) + width:
                return
            for branch in seq.branches:
                taken = self.pool.take(self.pool.blocks_for(len(branch.tokens)))
                assert taken is not None
                branch.blocks += taken
            seq.phase = Phase.RUNNING
            seq.admitted = seq.admitted or time.perf_counter()
            self.running.append(self.waiting.popleft())
            width += seq.params.num_beams

    def _prefills(self, budget: int) -> list[PlanRow]:
        rows: list[PlanRow] = []
        tiles = 0
        for seq in self.running if len(self._in_flight) < len(self.running) else ():
            if seq.seq_id in self._in_flight:  # it decodes
                continue
            encodes = seq.num_tiles if seq.features is None else 0
            if budget <= 0 or (encodes and tiles and tiles + encodes > self._max_tiles):
                break
            tiles += encodes
            for at, branch in enumerate(seq.branches):
                count = min(seq.num_to_prefill(branch), budget)
                if count > 0:
                    budget -= count
                    rows.append(row_of(seq, at, branch, count, False))
                    self._in_flight[seq.seq_id] = seq
        return rows

    def _padding(self) -> list[PlanRow]:
        """Rows of a static batch that have ended, as long as its longest."""
        if not self._num_ended:
            return []
        length = max(len(seq.tokens) for seq in self.running)
        return [padding_row(length)] * self._num_ended

    def _advance(self, seq: Sequence, row: PlanRow, came: RowResult, now: float) -> None:
        seq.branches[0].num_computed = row.end
        if row.samples:
            seq.features = None
            self._note(seq, seq.append(came, now))
            seq.recompute_if_outgrown()
        else:
            seq.features = came.features

    def _advance_beams(self, seq: Sequence, rows: Items[PlanRow], came: Items[RowResult], now: float) -> None:
        assert seq.beams is not None
        for row in rows:
            seq.branches[row.branch].num_computed = row.end
        if not rows[0].samples:
            seq.features = came[0].features
            return
        seq.features = None
        if offspring := seq.beams.extend(seq.branches, [each.candidates for each in came]):
            self._fork(seq, offspring)
            seq.recompute_if_outgrown()
        else:
            self._note(seq, seq.settle(seq.beams.best, now))

    def _note(self, seq: Sequence, reason: FinishReason | None) -> None:
        if reason is not None:
            self._num_ended += self._config.mode == "static"
            self._finish(seq, reason)

    def _fork(self, seq: Sequence, offspring: list[Offspring]) -> None:
        """New branches over the blocks of their parents; parents without offspring give theirs back."""
        parents = seq.branches
        seq.branches = [
            Branch(
                tokens=[*parents[each.parent].tokens, each.token_id],
                num_computed=parents[each.parent].num_computed,
                blocks=self.pool.share(parents[each.parent].blocks),
                score=each.score,
            )
            for each in offspring
        ]
        for parent in parents:
            self.pool.give(parent.blocks)

    def _finish(self, seq: Sequence, reason: FinishReason, error: BatchingError | None = None) -> None:
        (self.waiting if seq.phase is Phase.WAITING else self.running).remove(seq)
        self._release(seq)
        seq.image = seq.generator = None
        seq.phase, seq.finish_reason, seq.error = Phase.FINISHED, reason, error
        seq.finished = time.perf_counter()

    def _release(self, seq: Sequence) -> None:
        for branch in seq.branches:
            self.pool.give(branch.blocks)
        self._copies.pop(seq.seq_id, None)
        seq.features = None
