"""Collects the engine's statistics per step and calls its observers."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection
from typing import TypeVar

from batching.engine_config import EngineConfig, EngineStats, RequestStats, StepStats
from batching.requests.completion import NORMAL_FINISH_REASONS, FinishReason
from batching.sampling.text_draft import TextDraft
from batching.scheduler import Scheduler
from batching.sequence import Sequence
from batching.step_plan import StepPlan, StepResult

log = logging.getLogger(__name__)
Stats = TypeVar("Stats", StepStats, RequestStats)


class StepReporter:
    """Counts every step and every ending once; a callback that raises is logged and not called again."""

    def __init__(self, config: EngineConfig, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._on_step = config.on_step
        self._on_finish = config.on_finish
        self._began = 0.0  # when the oldest step in flight was launched, or the one before it ended
        # a step whose figures are not reported yet
        self._ended: tuple[StepPlan, StepResult, float, EngineStats] | None = None
        self._num_steps = 0
        self._num_by_reason = dict.fromkeys(FinishReason, 0)
        self._before = self.stats()  # as of the step that was reported last

    def stats(self, last_pass: float = 0.0) -> EngineStats:
        """Where the engine stands; `last_pass` as `Runner.last_pass`."""
        scheduler, num_by_reason = self._scheduler, self._num_by_reason
        return EngineStats(
            num_waiting=len(scheduler.waiting),
            num_running=len(scheduler.running),
            num_blocks=scheduler.tables.pool.num_blocks,
            num_free_blocks=scheduler.tables.pool.num_free,
            step_running_s=time.perf_counter() - max(self._began, last_pass) if scheduler.busy else 0.0,
            num_steps=self._num_steps,
            num_preempted=scheduler.num_preempted,
            num_aborted=num_by_reason[FinishReason.ABORT],
            num_failed=num_by_reason[FinishReason.ERROR],
            num_finished=sum(num_by_reason[reason] for reason in NORMAL_FINISH_REASONS),
            num_reused=scheduler.tables.num_reused,
            num_drafts=scheduler.drafting.num_proposed,
            num_accepted=scheduler.drafting.num_accepted,
        )

    def step_begins(self) -> None:
        """The next step is launched, or waited for by a first request; no other is in flight."""
        self._began = time.perf_counter()

    def step_ended(self, plan: StepPlan, result: StepResult) -> None:
        """The oldest step was committed; its figures are as of now, and reported by `report`."""
        now = time.perf_counter()
        self._num_steps += 1
        self._ended = plan, result, now - self._began, self.stats()
        self._began = now

    def report(self, open_seqs: Collection[int]) -> None:
        """Call `on_step` for the step that ended last, once; `open_seqs`: those that no report has called ended."""
        if self._ended is None:
            return
        (plan, result, step_s, after), self._ended = self._ended, None
        before, self._before = self._before, after
        if self._on_step is None:
            return
        rows = [row for row in plan.rows if row.owner.seq_id in open_seqs]  # not ended before the step
        num_decodes = len([row for row in rows if row.decodes and not row.drafted])
        stats = StepStats(
            num_decodes=num_decodes,
            num_prefill_tokens=sum([row.count for row in rows if not row.decodes]),
            num_running=after.num_running,
            num_waiting=after.num_waiting,
            num_free_blocks=after.num_free_blocks,
            num_preempted=after.num_preempted - before.num_preempted,
            num_reused=after.num_reused - before.num_reused,
            num_drafts=len([row for row in rows if row.drafted]),
            num_accepted=after.num_accepted - before.num_accepted,
            num_guided=result.num_guided,
            guide_s=result.guide_s,
            guide_wait_s=result.guide_wait_s,
            step_s=step_s,
            labels=frozenset([row.owner.label for row in rows]),
        )
        self._on_step = _called(self._on_step, stats)

    def request_ended(self, seq: Sequence) -> None:
        """Count an ending and call `on_finish`."""
        assert seq.finish_reason is not None
        self._num_by_reason[seq.finish_reason] += 1
        if self._on_finish is None:
            return
        stats = RequestStats(
            label=seq.owner.label,
            finish_reason=seq.finish_reason,
            num_prompt=seq.num_prompt,
            num_output=seq.num_output,
            num_preempted=seq.num_preempted,
            num_steps=seq.num_steps,
            gave_up_drafts=isinstance(seq.drafter, TextDraft) and seq.drafter.given_up,
            timings=seq.timings(),
        )
        self._on_finish = _called(self._on_finish, stats)


def _called(callback: Callable[[Stats], None], stats: Stats) -> Callable[[Stats], None] | None:
    """`callback`, if it may be called again."""
    try:
        callback(stats)
    except Exception:  # a broken callback must not end the requests
        name = "on_step" if isinstance(stats, StepStats) else "on_finish"
        log.exception("%s failed and is not called again", name)
        return None
    return callback
