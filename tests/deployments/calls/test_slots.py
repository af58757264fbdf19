"""`deployments.calls.slots`: nobody is kept out by another, nobody waits for ever, no slot is lost."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from deployments.calls.slots import SLACK_S, BatchGate, DeadlineSemaphore, FairLimiter, Slots
from deployments.errors import Busy


async def turns() -> None:
    """Let every task that can go on do so."""
    for _ in range(5):
        await asyncio.sleep(0)


async def hold(slots: Slots[Any], holder: object, release: asyncio.Event) -> None:
    async with slots.slot(holder):
        await release.wait()


@pytest.mark.parametrize("admitted_first", [False, True], ids=["while it waits", "in the moment it is admitted"])
def test_a_call_that_is_cancelled_keeps_no_slot(admitted_first: bool) -> None:
    """Guards against a queue that loses a slot each time a client goes away, and stands still in the end."""

    async def scenario() -> None:
        num_waiting: list[int] = []
        slots, release = Slots[str](1, num_waiting.append), asyncio.Event()
        first, second, third = (asyncio.create_task(hold(slots, holder, release)) for holder in "abb")
        await asyncio.sleep(0)
        if admitted_first:
            release.set()
            await asyncio.sleep(0)  # the slot is `second`'s, who has not run yet
        second.cancel()
        release.set()
        await asyncio.wait_for(asyncio.gather(first, third), 60)
        assert second.cancelled()
        assert (max(num_waiting), num_waiting[-1]) == (2, 0)
        async with asyncio.timeout(60), slots.slot("a"):
            pass

    asyncio.run(scenario())


def test_a_call_waits_for_a_place_and_then_has_it() -> None:
    """Guards against a burst of small calls that is refused at once though each takes a moment."""

    async def scenario() -> list[str]:
        places, order = FairLimiter(1, wait_s=60, what="uploads"), []

        async def one(name: str, leave: asyncio.Event) -> None:
            async with places.slot("a"):
                order.append(name)
                await leave.wait()

        gates = [asyncio.Event() for _ in range(3)]
        calls = [asyncio.create_task(one(str(number), gate)) for number, gate in enumerate(gates)]
        await turns()
        assert order == ["0"]
        for gate in gates:
            gate.set()
            await turns()
        await asyncio.gather(*calls)
        return order

    assert asyncio.run(scenario()) == ["0", "1", "2"]


def test_one_caller_cannot_take_the_place_of_another() -> None:
    """Guards against sixteen trickling uploads of one key that stop the uploads of all tenants."""

    async def scenario() -> None:
        places = FairLimiter(2, wait_s=0, what="uploads")
        async with contextlib.AsyncExitStack() as held:
            for _ in range(2):
                await held.enter_async_context(places.slot("greedy"))
            with pytest.raises(Busy, match="uploads"):
                await held.enter_async_context(places.slot("greedy"))
            await held.enter_async_context(places.slot("other"))
            with pytest.raises(Busy):
                await held.enter_async_context(places.slot("other"))

    asyncio.run(scenario())


def test_a_free_place_goes_to_who_has_the_fewest() -> None:
    """Guards against a long queue of one key in front of the second call of another."""

    async def scenario() -> list[str]:
        places, order = FairLimiter(4, wait_s=60, what="uploads"), []

        async def one(caller: str, leave: asyncio.Event) -> None:
            async with places.slot(caller):
                order.append(caller)
                await leave.wait()

        first, rest = asyncio.Event(), asyncio.Event()
        calls = [asyncio.create_task(one("many", gate)) for gate in (first, first, rest, rest, rest)]
        await turns()
        calls += [asyncio.create_task(one("few", rest)) for _ in range(2)]
        await turns()
        assert order == ["many"] * 4 + ["few"]
        first.set()
        await turns()
        newest = order[5:]
        rest.set()
        await asyncio.gather(*calls)
        return newest

    assert asyncio.run(scenario()) == ["few"]


class Held(RuleBasedStateMachine):
    """Any order of coming, leaving, giving up: never too many inside, no free place left unused."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.places = FairLimiter(2, wait_s=3600, what="x")
        self.calls: list[tuple[str, asyncio.Event, asyncio.Task[None]]] = []
        self.inside: list[str] = []

    def run(self, *steps: None) -> None:
        self.runner.run(turns())

    @rule(caller=st.sampled_from("abc"))
    def come(self, caller: str) -> None:
        leave = asyncio.Event()

        async def one() -> None:
            async with self.places.slot(caller):
                self.inside.append(caller)
                try:
                    await leave.wait()
                finally:
                    self.inside.remove(caller)

        async def start() -> asyncio.Task[None]:
            return asyncio.create_task(one())

        self.calls.append((caller, leave, self.runner.run(start())))
        self.run()

    @precondition(lambda self: self.calls)
    @rule(data=st.data())
    def leave(self, data: st.DataObject) -> None:
        call = data.draw(st.sampled_from(self.calls))
        call[1].set()
        self.run()
        if call[2].done():
            self.calls.remove(call)

    @precondition(lambda self: self.calls)
    @rule(data=st.data())
    def give_up(self, data: st.DataObject) -> None:
        call = data.draw(st.sampled_from(self.calls))
        call[2].cancel()
        self.run()
        assert call[2].done()
        self.calls.remove(call)

    @invariant()
    def shared_out(self) -> None:
        waiting = [caller for caller, _, task in self.calls if not task.done()]
        for caller in self.inside:
            waiting.remove(caller)
        assert len(self.inside) <= 2 + 3 - 1  # one more for each caller who had none
        assert not waiting or len(self.inside) >= 2, "a place is free and somebody waits"
        assert set(waiting) <= set(self.inside), "a caller with nothing inside waits"

    def teardown(self) -> None:
        for _, _, task in self.calls:
            task.cancel()
        self.run()
        self.runner.close()


TestHeld = Held.TestCase
TestHeld.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)


def finished(semaphore: DeadlineSemaphore, calls: Sequence[tuple[str, float, int]]) -> list[str]:
    """The names of calls (name, due, pages) in the order in which their last pages are done."""
    order: list[str] = []

    async def page(due: float) -> None:
        async with semaphore.slot(due):
            await asyncio.sleep(0)

    async def call(name: str, due: float, num_pages: int) -> None:
        await asyncio.gather(*(page(due) for _ in range(num_pages)))
        order.append(name)

    async def all_of_them() -> None:
        await asyncio.gather(*(call(*arguments) for arguments in calls))

    asyncio.run(all_of_them())
    return order


def test_calls_alike_are_answered_one_after_the_other() -> None:
    calls = [(f"call {n}", float(n), 5) for n in range(4)]
    assert finished(DeadlineSemaphore(2), calls) == ["call 0", "call 1", "call 2", "call 3"]


def test_a_short_call_passes_a_long_one() -> None:
    calls = [("long", 200 * SLACK_S, 200), ("short", 1 + SLACK_S, 1)]
    assert finished(DeadlineSemaphore(2), calls) == ["short", "long"]


def test_a_long_call_is_passed_for_its_slack_at_most() -> None:
    calls = [("long", 200 * SLACK_S, 200), ("late", 200 * SLACK_S + 1, 1)]
    assert finished(DeadlineSemaphore(2), calls) == ["long", "late"]


def test_a_call_is_due_by_its_pages() -> None:
    semaphore = DeadlineSemaphore(1)
    assert semaphore.deadline(201) - semaphore.deadline(1) == pytest.approx(200 * SLACK_S, abs=0.05)


def test_callers_that_come_while_a_batch_runs_share_the_next_one() -> None:
    """Guards against the collapse into batches of one under random arrivals."""

    async def scenario() -> list[list[int]]:
        gate = BatchGate(4)
        inside: list[int] = []
        releases = [asyncio.Event() for _ in range(7)]

        async def caller(number: int) -> None:
            async with gate.slot(None):
                inside.append(number)
                await releases[number].wait()

        tasks = [asyncio.create_task(caller(0))]
        await turns()
        gate.close()
        tasks += [asyncio.create_task(caller(number)) for number in range(1, 7)]
        await turns()
        alone = list(inside)
        gate.open()
        releases[0].set()
        await turns()
        together = inside[1:]
        for release in releases:
            release.set()
        await asyncio.gather(*tasks)
        return [alone, together, sorted(inside)]

    assert asyncio.run(scenario()) == [[0], [1, 2, 3, 4], list(range(7))]


def test_nobody_enters_while_a_batch_runs_though_all_its_callers_have_gone() -> None:
    """Guards against a client of many pages that leaves, after which batches queue behind the running one."""

    async def scenario() -> list[int]:
        gate, release = BatchGate(2), asyncio.Event()

        leavers = [asyncio.create_task(hold(gate, None, release)) for _ in range(2)]
        await turns()
        gate.close()
        waiting = asyncio.create_task(hold(gate, None, release))
        for task in leavers:
            task.cancel()
        await turns()
        counts = [gate.num_waiting]
        gate.open()
        await turns()
        counts.append(gate.num_waiting)
        release.set()
        await waiting
        return counts

    assert asyncio.run(scenario()) == [1, 0]


def test_a_gate_that_is_made_wider_lets_in_those_who_wait() -> None:
    """Guards against a batch size that grows at run time while callers wait for the old one."""

    async def scenario() -> tuple[int, int]:
        gate, release = BatchGate(1), asyncio.Event()

        tasks = [asyncio.create_task(hold(gate, None, release)) for _ in range(4)]
        await turns()
        before = gate.num_waiting
        gate.resize(3)
        await turns()
        after = gate.num_waiting
        release.set()
        await asyncio.gather(*tasks)
        return before, after

    assert asyncio.run(scenario()) == (3, 1)
