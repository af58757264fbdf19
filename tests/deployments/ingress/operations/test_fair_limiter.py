"""`deployments.ingress.operations.fair_limiter`: nobody is kept out by another, and nobody waits for ever."""

from __future__ import annotations

import asyncio
import contextlib

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from deployments.errors import Busy
from deployments.ingress.operations.fair_limiter import FairLimiter


async def turns() -> None:
    """Let every task that can go on do so."""
    for _ in range(5):
        await asyncio.sleep(0)


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
