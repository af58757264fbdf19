"""Any history of the scheduler; HYPOTHESIS_PROFILE=ci drives it through 10,000 steps and more."""

import itertools
import os
from collections import Counter

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from batching import EngineConfig, RequestFailed, SamplingParams
from batching.requests.request import Prompt
from batching.scheduler import Scheduler
from batching.sequence import Phase, Sequence
from batching.step_plan import RowResult, StepResult
from tests.batching.conftest import blocks_of

CI = os.environ.get("HYPOTHESIS_PROFILE") == "ci"
BLOCK_SIZE = 3
NUM_BLOCKS = 6
WANTED_STEPS = 10_000 if CI else 500
steps_run = Counter()


class Drafts:
    """What the model nearly always says, but for every fourth token."""

    def propose(self, tokens, count):
        return [2 if (len(tokens) + at) % 4 == 0 else 1 for at in range(count)]


class SchedulerMachine(RuleBasedStateMachine):
    """Any order of add, abort, step and failure keeps the pool whole, serves in order, and drains."""

    mode = "continuous"
    drafts = False
    reuses = False
    plain = False  # no images: steps are planned ahead more often

    @initialize()
    def begin(self):
        self.config = EngineConfig(
            num_blocks=NUM_BLOCKS,
            block_size=BLOCK_SIZE,
            max_running=4,
            max_step_tokens=40 if self.plain else 7,
            mode=self.mode,
            reuse_prefixes=self.reuses,
            max_drafts=3 if self.drafts else 0,
            drafter=Drafts,
        )
        self.scheduler = Scheduler(self.config, max_patches=2)
        self.seqs, self.plan, self.ahead, self.numbers = [], None, None, itertools.count()
        self.slots = {}  # what the device holds: by block and place, the tokens up to there
        self.states = {}  # and by state slot, all tokens that entered the state

    @rule(
        num_prompt=st.integers(1, 18),
        max_tokens=st.integers(0, 20),
        num_patches=st.integers(0, 3),
        other=st.sampled_from([0, 4, 18]),
    )
    def add(self, num_prompt, max_tokens, num_patches, other):
        if self.plain:
            num_patches = 0
        if self.reuses:  # most have a head of two blocks that others have, too
            num_prompt, num_patches = max(num_prompt, 7), 0
        capacity = NUM_BLOCKS * BLOCK_SIZE
        prompt = Prompt(
            token_ids=[3 if at == other else 1 for at in range(min(num_prompt, capacity))],
            max_tokens=max_tokens,
            stop_token_ids=frozenset({0}),
            image="image" if num_patches else None,
            num_patches=num_patches,
        )
        seq = Sequence(next(self.numbers), prompt, SamplingParams(), capacity=capacity)
        self.seqs.append(seq)
        self.scheduler.add(seq)

    @precondition(lambda self: any(not seq.admissible for seq in self.seqs))
    @rule(chance=st.randoms())
    def prepare_image(self, chance):
        chance.choice([seq for seq in self.seqs if not seq.admissible]).pixels = "pixels"

    @precondition(lambda self: self.seqs)
    @rule(chance=st.randoms())
    def abort(self, chance):
        self.scheduler.abort(chance.choice(self.seqs))

    @precondition(lambda self: self.plan is None)
    @rule()
    def schedule(self):
        self.plan = self.scheduler.schedule()

    @precondition(lambda self: self.plan is not None and self.ahead is None)
    @rule()
    def schedule_ahead(self):
        self.ahead = self.scheduler.schedule(on_top_of=self.plan)

    @precondition(lambda self: self.plan is not None)
    @rule(fails=st.booleans(), ending=st.integers(0, 9))
    def commit(self, fails, ending):
        self.compute(self.plan)
        rows = [self.result(row, at + ending) for at, row in enumerate(self.plan.rows)]
        if fails:
            rows[-1] = RowResult(error=RequestFailed("broke"))
        plan, self.plan, self.ahead = self.plan, self.ahead, None
        self.scheduler.commit(plan, StepResult(rows=tuple(rows)))
        self.ahead = self.scheduler.schedule(on_top_of=self.plan) if self.plain and self.plan is not None else None
        steps_run["ahead"] += self.plan is not None
        steps_run[self.config.mode] += 1

    @precondition(lambda self: self.plan is None)
    @rule(count=st.integers(2, 12), ending=st.integers(0, 9), looks_ahead=st.booleans())
    def several_steps(self, count, ending, looks_ahead):
        """Far enough that sequences grow out of their blocks."""
        for _ in range(count):
            if self.plan is None:
                self.schedule()
            if looks_ahead and self.plan is not None and self.ahead is None:
                self.schedule_ahead()
            self.what_a_step_writes_is_one_sequence_s_alone()
            if self.plan is not None:
                self.commit(fails=False, ending=ending)
            self.service_is_in_order_of_arrival()
            self.every_block_is_free_or_held_as_often_as_sequences_have_it()

    def compute(self, plan):
        """Keys and values of a token depend on it and all before it; a row reads those of its own tokens alone."""
        rows = [row for row in plan.rows if row.end <= len(row.tokens)]
        for row in rows:
            for at in range(row.start, row.end):
                self.slots[row.blocks[at // BLOCK_SIZE], at % BLOCK_SIZE] = tuple(row.tokens[: at + 1])
        if not (self.drafts or self.reuses or self.plain):  # those that a model with a state has not got
            for row in rows:
                assert self.states.get(row.slot, ()) == tuple(row.tokens[: row.start]) or not row.start
                self.states[row.slot] = tuple(row.tokens[: row.end])
        for row in rows:
            for at in range(row.end):
                assert self.slots[row.blocks[at // BLOCK_SIZE], at % BLOCK_SIZE] == tuple(row.tokens[: at + 1])

    @staticmethod
    def result(row, ending):
        """Token 0 ends a sequence; some rows get it."""
        if not row.samples:
            return RowResult(features="features")
        return RowResult(token_id=int(ending % 7 > 0))

    @invariant()
    def every_block_is_free_or_held_as_often_as_sequences_have_it(self):
        holders = Counter(block for seq in self.scheduler.running for block in blocks_of(seq))
        assert holders == self.scheduler.tables.pool._holders
        assert len(holders) + self.scheduler.tables.pool.num_free == NUM_BLOCKS

    @invariant()
    def every_state_slot_is_free_or_one_running_sequence_s(self):
        held = [seq.slot for seq in self.scheduler.running]
        assert len(set(held)) == len(held)
        assert sorted([*held, *self.scheduler.tables.slots._free]) == list(range(self.config.max_running))
        assert all(seq.slot is None for seq in self.seqs if seq.phase is not Phase.RUNNING)

    @invariant()
    def only_the_running_hold_blocks_and_the_ended_hold_nothing(self):
        for seq in self.seqs:
            assert bool(blocks_of(seq)) == (seq.phase is Phase.RUNNING)
            if seq.phase is Phase.FINISHED:
                assert seq.prompt.image is seq.pixels is seq.features is None
                assert seq.num_output <= seq.max_tokens

    @invariant()
    def service_is_in_order_of_arrival(self):
        order = [seq.seq_id for seq in [*self.scheduler.running, *self.scheduler.waiting]]
        assert order == sorted(order)

    @invariant()
    def a_step_stays_within_its_limits(self):
        if self.plan is not None:
            assert sum(row.count for row in self.plan.rows) <= self.config.max_step_tokens
            assert len(self.plan.rows) <= self.config.max_running
            assert len(self.scheduler.running) <= self.config.max_running

    @invariant()
    def what_a_step_writes_is_one_sequence_s_alone(self):
        """A write into a shared block, or one that nobody holds any more, changes what another reads."""
        if self.plan is None:
            return
        for row in self.plan.rows:
            others = [seq for seq in self.scheduler.running if seq.seq_id != row.owner.seq_id]
            if row.fed_by is not None:  # its sequence may have ended since: what it still writes must hurt nobody
                assert not {block for seq in others for block in blocks_of(seq)}.intersection(row.blocks)
                continue
            # an abort takes blocks only from those that are not in flight
            assert len(row.blocks) * BLOCK_SIZE >= row.end
            for at in range(row.start // BLOCK_SIZE, (row.end - 1) // BLOCK_SIZE + 1):
                assert self.scheduler.tables.pool._holders[row.blocks[at]] == 1
                assert row.blocks[at] not in self.scheduler.tables.pool._hashes, (
                    "what is known by its contents never changes"
                )

    def teardown(self):
        if not hasattr(self, "seqs"):
            return
        for _ in range(5000):
            if self.plan is None:
                for seq in self.scheduler.waiting:
                    seq.pixels = "pixels"
                self.plan = self.scheduler.schedule()
            if self.plan is None:
                break
            self.commit(fails=False, ending=1)
        assert all(seq.phase is Phase.FINISHED for seq in self.seqs)
        self.scheduler.check_idle()


class StaticMachine(SchedulerMachine):
    """The same under the policy `static`."""

    mode = "static"


class AheadMachine(SchedulerMachine):
    """The same without images, always planning ahead where that goes."""

    plain = True


class DraftingMachine(SchedulerMachine):
    """The same with drafts, many of which are what the model says, and with the heads of prompts shared."""

    drafts = True
    reuses = True

    def teardown(self):
        super().teardown()
        if hasattr(self, "scheduler"):
            drafting = self.scheduler.drafting
            assert 0 <= drafting.num_accepted <= drafting.num_proposed
            steps_run["reused"] += self.scheduler.tables.num_reused
            steps_run["accepted"] += drafting.num_accepted
            steps_run["rejected"] += drafting.num_proposed - drafting.num_accepted


class OneAtATimeMachine(SchedulerMachine):
    """The same under the policy `none`."""

    mode = "none"


LIMITS = settings(max_examples=100 if CI else 25, stateful_step_count=60 if CI else 40, deadline=None)
MACHINES = (SchedulerMachine, DraftingMachine, AheadMachine, StaticMachine, OneAtATimeMachine)
TestContinuous, TestDrafting, TestAhead, TestStatic, TestOneAtATime = (machine.TestCase for machine in MACHINES)
for case in (TestContinuous, TestDrafting, TestAhead, TestStatic, TestOneAtATime):
    case.settings = LIMITS
del case  # or pytest would take it for one more


def test_the_machine_was_driven_far_enough():
    """A machine whose rules are hardly ever allowed finds nothing; how often each is drawn is chance."""
    assert steps_run.total() >= WANTED_STEPS
    assert min(steps_run[kind] for kind in ("ahead", "accepted", "rejected", "reused")) > 0
    assert min(steps_run[mode] for mode in ("continuous", "static", "none")) > 0
