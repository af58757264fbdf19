"""`documents.sandbox.child_queue`: tenants share the children, which change their tenant rarely."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from documents.sandbox import child_queue
from documents.sandbox.child_queue import ChildQueue
from documents.values import Source


class FakeChild:
    """Counts how often it was ended for another namespace's sake."""

    def __init__(self) -> None:
        self.running, self.start_s = False, 0.0
        self.namespace: str | None = None
        self.source: Source | None = None
        self.restarts = 0

    async def serve(self, source: Source) -> None:
        self.restarts += self.namespace not in (None, source.namespace)
        self.running, self.namespace, self.source = True, source.namespace, source
        await turns(3)


async def turns(count: int) -> None:
    """Lets the loop run what is ready."""
    for _ in range(count):
        await asyncio.sleep(0)


def of(namespace: str, number: int = 0) -> Source:
    return Source(path=f"/{number}", media_type="application/pdf", namespace=namespace)


class Clock:
    """Stands still until it is set."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(child_queue, "_now", clock)
    return clock


def shared(num_children: int, callers: list[list[str]], gap: int = 0) -> tuple[int, list[str]]:
    """Restarts, and the namespaces in the order in which they were served; each caller makes its calls in turn."""
    children = [FakeChild() for _ in range(num_children)]
    served: list[str] = []

    async def main() -> None:
        queue = ChildQueue(children)

        async def call(namespaces: list[str]) -> None:
            for namespace in namespaces:
                source = of(namespace)
                async with queue.child_for(source) as child:
                    served.append(namespace)
                    await child.serve(source)
                await turns(gap)

        await asyncio.gather(*map(call, callers))

    asyncio.run(main())
    return sum(child.restarts for child in children), served


def test_tenants_that_alternate_keep_a_child_each(clock):
    """Guards against a start per call: 90 small documents took a hundred times as long for two tenants as for one."""
    restarts, served = shared(2, [["a", "b"] * 18] * 5)
    assert restarts <= 2
    assert Counter(served) == {"a": 90, "b": 90}


def test_a_tenant_with_one_call_at_a_time_keeps_its_child_between_them(clock):
    """Guards against a child that goes to another's queue in the moment between two calls for one page."""
    restarts, served = shared(2, [["a"] * 20, *[["b"] * 20] * 4], gap=5)
    assert restarts <= 2
    assert Counter(served) == {"a": 20, "b": 80}


def test_a_tenant_that_comes_later_waits_for_one_call_alone(clock):
    """Guards against a queue of one tenant's that all others stand behind."""
    _, served = shared(2, [*[["a"] * 10] * 8, ["b"]])
    assert served.index("b") <= 4


def test_more_tenants_than_children_take_turns(monkeypatch, clock):
    """Guards against a tenant that never gets a child because others always have calls waiting."""
    monkeypatch.setattr(child_queue, "TURN_S", 3.0)

    def tick() -> float:  # a second per look at the clock: turns end
        clock.now += 0.01
        return clock.now

    monkeypatch.setattr(child_queue, "_now", tick)
    restarts, served = shared(1, [["a"] * 300, ["a"] * 300, ["b"] * 300, ["b"] * 300, ["c"] * 3, ["c"] * 3])
    assert Counter(served) == {"a": 600, "b": 600, "c": 6}
    assert served.index("c") < 300
    assert 2 < restarts < 60


def test_a_child_of_a_tenant_that_is_gone_serves_the_others(monkeypatch):
    """Guards against a child that is kept for a tenant without calls while others wait."""
    monkeypatch.setattr(child_queue, "LINGER_S", 0.01)

    async def main() -> tuple[int, int]:
        children = [FakeChild(), FakeChild()]
        queue = ChildQueue(children)
        for namespace in ("a", "b"):
            async with queue.child_for(of(namespace)) as child:
                await child.serve(of(namespace))
        held = asyncio.Event()
        at_once = 0

        async def hold() -> None:
            nonlocal at_once
            async with queue.child_for(of("b")) as child:
                await child.serve(of("b"))
                at_once += 1
                if at_once == 2:
                    held.set()
                await asyncio.wait_for(held.wait(), 20)  # both children serve b, or this fails

        await asyncio.gather(hold(), hold())
        return at_once, sum(child.restarts for child in children)

    assert asyncio.run(main()) == (2, 1)


def test_a_call_that_is_cancelled_leaves_its_child_to_the_next(clock):
    """Guards against children that are lost to callers that have gone, waiting or in the moment of their turn."""

    async def main() -> int:
        queue, served = ChildQueue([FakeChild()]), 0

        async def call() -> None:
            nonlocal served
            async with queue.child_for(of("a")) as child:
                await child.serve(of("a"))
                served += 1

        async with queue.child_for(of("a")):
            waiting, chosen, last = (asyncio.create_task(call()) for _ in range(3))
            await turns(1)
            waiting.cancel()
        chosen.cancel()  # it has been given the child, and has not run since
        await asyncio.wait_for(last, 20)
        await asyncio.gather(waiting, chosen, return_exceptions=True)
        assert waiting.cancelled()
        assert chosen.cancelled()
        return served

    assert asyncio.run(main()) == 1


def test_calls_that_wait_fail_when_the_pool_is_closed():
    """Guards against callers that wait for ever for children that have gone."""

    async def main() -> None:
        queue = ChildQueue([FakeChild()])
        async with queue.child_for(of("a")):
            waiting = asyncio.create_task(queue.child_for(of("b")).__aenter__())
            await turns(1)
            queue.close()
            with pytest.raises(RuntimeError, match="closed"):
                await waiting
        with pytest.raises(RuntimeError, match="closed"):
            await queue.child_for(of("a")).__aenter__()

    asyncio.run(main())
