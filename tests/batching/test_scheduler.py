"""Which sequences take part in which step."""

import dataclasses

import pytest

from batching import EngineConfig, FinishReason, RequestFailed
from batching.scheduler import Scheduler
from batching.step_plan import RowResult, StepResult
from tests.batching.conftest import blocks_of


def scheduler_of(*seqs, max_patches=1, **limits):
    config = EngineConfig(**limits)
    scheduler = Scheduler(config, max_patches)
    for seq in seqs:
        scheduler.add(seq)
    return scheduler, config


def answer(scheduler, plan):
    """Commit a step in which each row that samples gets token 1."""
    rows = tuple(RowResult(token_id=1) if row.samples else RowResult() for row in plan.rows)
    return scheduler.commit(plan, StepResult(rows=rows))


def test_a_new_request_joins_the_running_ones_in_the_very_next_step(new_sequence):
    """Otherwise this is static batching with another name."""
    first, second = new_sequence(4, 5), new_sequence(4, 5)
    scheduler, _ = scheduler_of(first)
    answer(scheduler, scheduler.schedule())
    scheduler.add(second)
    plan = scheduler.schedule()
    assert [(row.owner.seq_id, row.count) for row in plan.rows] == [(first.seq_id, 1), (second.seq_id, 4)]


def test_a_long_prompt_is_cut_so_that_running_decodes_go_on(new_sequence):
    """A prompt of 100 tokens must not stall those that are being read meanwhile."""
    decoding, long = new_sequence(2, 50), new_sequence(100, 1)
    scheduler, _ = scheduler_of(decoding, max_step_tokens=32)
    answer(scheduler, scheduler.schedule())
    scheduler.add(long)
    for count in (31, 31, 31, 7):
        plan = scheduler.schedule()
        assert [(row.owner.seq_id, row.count) for row in plan.rows] == [(decoding.seq_id, 1), (long.seq_id, count)]
        answer(scheduler, plan)
    assert long.finish_reason is FinishReason.LENGTH
    assert decoding.num_output == 5


def test_the_youngest_is_preempted_and_comes_back_first_with_its_tokens(new_sequence, expected, drain):
    """Preempting the oldest lets two long sequences evict each other for ever."""
    seqs = [new_sequence(4, 8), new_sequence(4, 8), new_sequence(4, 8)]
    scheduler, _ = scheduler_of(*seqs, num_blocks=5, block_size=4, max_running=3)
    plan = scheduler.schedule()
    assert [row.owner.seq_id for row in plan.rows] == [0, 1, 2]
    answer(scheduler, plan)
    newcomer = new_sequence(4, 8)
    scheduler.add(newcomer)
    scheduler.schedule()
    assert [seq.seq_id for seq in scheduler.running] == [0, 1]
    assert list(scheduler.waiting) == [seqs[2], newcomer]
    assert seqs[2].num_output == 1
    assert not blocks_of(seqs[2])


def test_preemption_changes_no_output(new_sequence, expected, drain):
    """What is recomputed must continue where it was, not begin again."""
    seqs = [new_sequence(5, 9) for _ in range(6)]
    scheduler, config = scheduler_of(*seqs, num_blocks=6, block_size=4)
    drain(scheduler, config)
    assert scheduler.num_preempted > 0
    assert all(seq.output == expected(seq.tokens[:5], 9) for seq in seqs)
    assert scheduler.tables.pool.num_free == 6


def test_first_tokens_come_in_order_of_arrival(new_sequence, drain):
    """First come, first served, also through a small pool."""
    seqs = [new_sequence(6, 6) for _ in range(12)]
    scheduler, config = scheduler_of(*seqs, num_blocks=7, block_size=4, max_running=4)
    prefilled = [row[1] for plan in drain(scheduler, config) for row in plan if row[0] == "prefill"]
    assert list(dict.fromkeys(prefilled)) == [seq.seq_id for seq in seqs]


@pytest.mark.parametrize(("mode", "steps"), [("none", 680), ("static", 400), ("continuous", 130)])
def test_the_three_policies_take_the_steps_that_arithmetic_says(mode, steps, new_sequence, drain):
    """The comparison is worth nothing if a policy wastes steps of its own."""
    seqs = [new_sequence(4, 100 if at % 8 == 0 else 10) for at in range(32)]
    scheduler, config = scheduler_of(*seqs, max_running=8, mode=mode)
    assert len(drain(scheduler, config)) == steps


def test_an_aborted_sequence_in_flight_keeps_its_blocks_until_the_step_is_over(new_sequence):
    """Blocks are not reused while a step still writes them."""
    seq = new_sequence(4, 5)
    scheduler, config = scheduler_of(seq)
    plan = scheduler.schedule()
    assert not scheduler.abort(seq)
    assert scheduler.tables.pool.num_free == config.num_blocks - 1
    assert answer(scheduler, plan) == [seq]
    assert seq.finish_reason is FinishReason.ABORT
    assert scheduler.tables.pool.num_free == config.num_blocks


def test_an_aborted_sequence_leaves_at_once_when_no_step_runs_it(new_sequence):
    """Waiting, or running between steps: nothing has to be waited for. A second abort is nothing."""
    running, waiting = new_sequence(4, 5), new_sequence(4, 5)
    scheduler, config = scheduler_of(running, waiting, max_running=1)
    answer(scheduler, scheduler.schedule())
    assert scheduler.abort(waiting)
    assert scheduler.abort(running)
    assert not scheduler.abort(running)
    assert scheduler.tables.pool.num_free == config.num_blocks
    assert scheduler.schedule() is None


def test_prompts_are_cut_small_only_as_long_as_most_sequences_decode(new_sequence):
    """Cut to the end, long prompts with short outputs were read 16 tokens at a time, and few rows shared a step."""
    seqs = [new_sequence(40, 5) for _ in range(4)]
    scheduler, _ = scheduler_of(seqs[0], steady_decoding=True)
    answer(scheduler, scheduler.schedule())
    scheduler.add(seqs[1])
    plan = scheduler.schedule()  # one decodes, one waits: half
    assert [row.count for row in plan.rows] == [1, 16]
    answer(scheduler, plan)
    scheduler.add(seqs[2])
    scheduler.add(seqs[3])
    plan = scheduler.schedule()  # one of four decodes
    assert [row.count for row in plan.rows] == [1, 24, 40, 40]


def test_as_many_prompt_tokens_as_decodes_may_share_a_step(new_sequence):
    """A step of many decodes lasts about twice as long with as many tokens of prompts, and not longer."""
    seqs = [new_sequence(3, 50) for _ in range(20)]
    scheduler, _ = scheduler_of(*seqs, steady_decoding=True)
    answer(scheduler, scheduler.schedule())
    scheduler.add(new_sequence(40, 5))
    assert [row.count for row in scheduler.schedule().rows] == [1] * 20 + [20]


def test_images_encoded_in_one_step_are_limited_in_number(new_sequence):
    """Thirty-two images at once would stall every decode for their whole encoding."""
    seqs = [new_sequence(4, 5, image=object()) for _ in range(5)]
    scheduler, _ = scheduler_of(*seqs, max_patches=2)
    plan = scheduler.schedule()
    assert [row.owner.seq_id for row in plan.rows] == [0, 1]
    answer(scheduler, plan)
    plan = scheduler.schedule()
    assert [row.owner.seq_id for row in plan.rows] == [0, 1, 2, 3]


def test_features_are_dropped_with_the_prefill_or_with_the_blocks(new_sequence):
    """Features of ended or preempted sequences are a leak on the device."""
    seq = new_sequence(6, 5, image=object())
    scheduler, _ = scheduler_of(seq, max_step_tokens=4, max_running=4)
    plan = scheduler.schedule()
    scheduler.commit(plan, StepResult(rows=(RowResult(features="features"),)))
    assert seq.features == "features"
    assert seq.pixels is None
    answer(scheduler, scheduler.schedule())
    assert seq.features is None
    scheduler.abort(seq)
    assert seq.prompt.image is None


def test_a_sequence_waits_for_its_image_and_who_came_later_with_it(new_sequence):
    """A step that resizes stalls all that decode; an image that is passed by may never be read."""
    first, second = new_sequence(4, 5, image=object()), new_sequence(4, 5)
    first.pixels = None
    scheduler, _ = scheduler_of(first, second)
    assert scheduler.schedule() is None
    first.pixels = "pixels"
    plan = scheduler.schedule()
    assert [(row.owner.seq_id, row.pixels) for row in plan.rows] == [(0, "pixels"), (1, None)]


def test_a_step_is_planned_ahead_of_tokens_that_only_the_model_looks_at(new_sequence):
    """Each row takes the token of its own row; whoever ends by length takes no part."""
    ending, first, second = new_sequence(2, 1), new_sequence(3, 5), new_sequence(4, 5)
    scheduler, _ = scheduler_of(ending, first, second, block_size=4)
    plan = scheduler.schedule()
    after = scheduler.schedule(on_top_of=plan)
    rows = [(row.owner.seq_id, row.fed_by, row.start, len(row.blocks)) for row in after.rows]
    assert rows == [(first.seq_id, 1, 3, 1), (second.seq_id, 2, 4, 2)]
    answer(scheduler, plan)
    assert [(seq.num_output, seq.num_computed) for seq in (first, second)] == [(1, 3), (1, 4)]
    answer(scheduler, after)
    assert [(seq.num_output, seq.num_computed) for seq in (first, second)] == [(2, 4), (2, 5)]


def test_no_step_is_planned_ahead_of_one_that_still_has_a_row_of_an_ended_sequence(new_sequence):
    """That row still writes to blocks that are free; were they given away now, it would write over their new owner."""
    stopped, goes_on = new_sequence(2, 9), new_sequence(2, 9)
    stopped.prompt = dataclasses.replace(stopped.prompt, stop_token_ids=frozenset({1}))
    scheduler, _ = scheduler_of(stopped, goes_on)
    plan = scheduler.schedule()
    after = scheduler.schedule(on_top_of=plan)
    answer(scheduler, plan)
    assert stopped.finish_reason is FinishReason.STOP
    assert scheduler.schedule(on_top_of=after) is None
    answer(scheduler, after)
    assert (stopped.num_output, goes_on.num_output) == (1, 2)
    assert scheduler.schedule(on_top_of=scheduler.schedule()) is not None


def test_no_step_is_planned_ahead_of_an_abort_nor_while_somebody_could_join(new_sequence):
    """An aborted sequence would be computed once more, a newcomer would wait once more."""
    first, second, third = (new_sequence(2, 9) for _ in range(3))
    scheduler, _ = scheduler_of(first, second, max_running=2)
    plan = scheduler.schedule()
    assert not scheduler.abort(second)
    assert scheduler.schedule(on_top_of=plan) is None
    answer(scheduler, plan)
    scheduler.add(third)
    plan = scheduler.schedule()
    scheduler.add(new_sequence(2, 9))
    assert scheduler.schedule(on_top_of=plan) is not None
    answer(scheduler, plan)
    scheduler.end_all(RuntimeError("over"))
    assert scheduler.tables.pool.num_free == scheduler.tables.pool.num_blocks


def test_no_step_is_planned_ahead_of_a_prompt_that_is_not_read_yet(new_sequence):
    """It samples nothing, so the step after it is not one of decodes."""
    scheduler, _ = scheduler_of(new_sequence(2, 9), new_sequence(100, 9), max_step_tokens=32)
    assert scheduler.schedule(on_top_of=scheduler.schedule()) is None


def test_an_idle_scheduler_says_when_a_block_is_lost(new_sequence):
    """A leak of one block a day ends a server after a month, far from its cause."""
    seq = new_sequence(4, 1)
    scheduler, _ = scheduler_of(seq)
    plan = scheduler.schedule()
    with pytest.raises(RuntimeError, match="in flight"):
        scheduler.check_idle()
    answer(scheduler, plan)
    scheduler.check_idle()
    lost = scheduler.tables.pool.take(1)
    with pytest.raises(RuntimeError, match="1 KV blocks are held"):
        scheduler.check_idle()
    scheduler.tables.pool.release(lost)
    scheduler.tables.pool._free.append(scheduler.tables.pool._free[0])
    with pytest.raises(RuntimeError, match="free"):
        scheduler.check_idle()


def test_an_abort_counts_though_the_row_with_drafts_breaks_in_the_same_step(new_sequence):
    """The step was done again without drafts, for a caller that had gone."""

    class Drafts:
        def propose(self, tokens, count):
            return [1] * count

    seq = new_sequence(4, 50)
    scheduler, _ = scheduler_of(seq, max_drafts=2, drafter=Drafts)
    answer(scheduler, scheduler.schedule())
    plan = scheduler.schedule()
    scheduler.abort(seq)
    broken = RowResult(error=RequestFailed("broke"))
    assert scheduler.commit(plan, StepResult(rows=(broken,) * len(plan.rows))) == [seq]
    assert seq.finish_reason is FinishReason.ABORT
