"""`documents.sandbox.child_queue`: tenants share the children, which change their tenant rarely."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from documents.sandbox import child_queue
from documents.sandbox.child_call import Work
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


@pytest.fixture(params=["parsing", "composing"])
def work(request) -> Work:
    return request.param


def shared(num_children: int, callers: list[list[str]], work: Work, gap: int = 0) -> tuple[int, list[str]]:
    """Restarts, and the namespaces in the order in which they were served; each caller makes its calls in turn."""
    children = [FakeChild() for _ in range(num_children)]
    served: list[str] = []

    async def main() -> None:
        queue = ChildQueue(children)

        async def call(namespaces: list[str]) -> None:
            for namespace in namespaces:
                source = of(namespace)
                async with queue.child_for(source, work) as child:
                    served.append(namespace)
                    await child.serve(source)
                await turns(gap)

        await asyncio.gather(*map(call, callers))

    asyncio.run(main())
    return sum(child.restarts for child in children), served


def test_tenants_that_alternate_keep_a_child_each(clock, work):
    """Guards against a start per call: 90 small documents took a hundred times as long for two tenants as for one."""
    restarts, served = shared(2, [["a", "b"] * 18] * 5, work)
    assert restarts <= 2
    assert Counter(served) == {"a": 90, "b": 90}


def test_a_tenant_with_one_call_at_a_time_keeps_its_child_between_them(clock, work):
    """Guards against a child that goes to another's queue in the moment between two calls for one page."""
    restarts, served = shared(2, [["a"] * 20, *[["b"] * 20] * 4], work, gap=5)
    assert restarts <= 2
    assert Counter(served) == {"a": 20, "b": 80}


def test_a_tenant_that_comes_later_waits_for_one_call_alone(clock, work):
    """Guards against a queue of one tenant's that all others stand behind."""
    _, served = shared(2, [*[["a"] * 10] * 8, ["b"]], work)
    assert served.index("b") <= 4


def test_more_tenants_than_children_take_turns(monkeypatch, clock, work):
    """Guards against a tenant that never gets a child because others always have calls waiting."""
    monkeypatch.setattr(child_queue, "MIN_TURN_S", 3.0)

    def tick() -> float:  # a second per look at the clock: turns end
        clock.now += 0.01
        return clock.now

    monkeypatch.setattr(child_queue, "_now", tick)
    restarts, served = shared(1, [["a"] * 300, ["a"] * 300, ["b"] * 300, ["b"] * 300, ["c"] * 3, ["c"] * 3], work)
    assert Counter(served) == {"a": 600, "b": 600, "c": 6}
    assert served.index("c") < 300
    assert 2 < restarts < 60


def test_a_child_of_a_tenant_that_is_gone_serves_the_others(monkeypatch):
    """Guards against a child that is kept for a tenant without calls while others wait."""
    monkeypatch.setattr(child_queue, "MIN_IDLE_S", 0.01)

    async def main() -> tuple[int, int]:
        children = [FakeChild(), FakeChild()]
        queue = ChildQueue(children)
        for namespace in ("a", "b"):
            async with queue.child_for(of(namespace), "composing") as child:
                await child.serve(of(namespace))
        held = asyncio.Event()
        at_once = 0

        async def hold() -> None:
            nonlocal at_once
            async with queue.child_for(of("b"), "composing") as child:
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
            async with queue.child_for(of("a"), "parsing") as child:
                await child.serve(of("a"))
                served += 1

        async with queue.child_for(of("a"), "parsing"):
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
        async with queue.child_for(of("a"), "parsing"):
            waiting = asyncio.create_task(queue.child_for(of("b"), "parsing").__aenter__())
            await turns(1)
            queue.close()
            with pytest.raises(RuntimeError, match="closed"):
                await waiting
        with pytest.raises(RuntimeError, match="closed"):
            await queue.child_for(of("a"), "parsing").__aenter__()

    asyncio.run(main())


class Held:
    """Calls that each begin when they get a child, and go on until they are let go; children as many as said."""

    def __init__(self, num_children: int) -> None:
        self.queue = ChildQueue([FakeChild() for _ in range(num_children)])
        self.begun: list[str] = []
        self._ends: dict[str, asyncio.Event] = {}
        self._tasks: list[asyncio.Task[None]] = []

    async def call(self, name: str, work: Work, namespace: str = "a") -> None:
        """Let the call wait, or begin, and see which."""
        self._ends[name] = asyncio.Event()
        self._tasks.append(asyncio.create_task(self._serve(name, work, of(namespace))))
        await turns(5)

    async def end(self, *names: str) -> None:
        for name in names:
            self._ends[name].set()
            await turns(5)

    async def drain(self) -> None:
        for end in self._ends.values():
            end.set()
        await asyncio.wait_for(asyncio.gather(*self._tasks), 20)

    async def _serve(self, name: str, work: Work, source: Source) -> None:
        async with self.queue.child_for(source, work) as child:
            self.begun.append(name)
            await child.serve(source)
            await self._ends[name].wait()


def test_what_composes_waits_for_nothing_that_parses(clock):
    """Guards against a page of milliseconds behind drawings of many seconds, of its own tenant or of another."""

    async def main() -> None:
        held = Held(3)
        for name in ("draw 1", "draw 2", "draw 3"):
            await held.call(name, "parsing")
        assert held.begun == ["draw 1", "draw 2"], "one child is left"
        await held.call("compose", "composing")
        assert held.begun == ["draw 1", "draw 2", "compose"]
        await held.end("compose")
        assert held.begun == ["draw 1", "draw 2", "compose"], "which no drawing takes, although it is free"
        await held.call("compose for b", "composing", "b")
        assert held.begun[3:] == ["compose for b"]
        await held.end("compose for b")
        await held.call("draw for b", "parsing", "b")
        clock.now += 100  # b's child has lingered: calls of b wait, but none that may be served now
        await held.call("compose again", "composing")
        assert held.begun[4:] == ["compose again"]
        await held.drain()
        assert held.begun[5:] == ["draw for b", "draw 3"], "b, which holds none, before a"

    asyncio.run(main())


def test_of_a_tenant_s_calls_those_that_compose_go_first(clock):
    """Guards against pages that are nearly done behind all that were begun after them."""

    async def main() -> None:
        held = Held(1)
        for name in ("draw 1", "draw 2", "draw 3"):
            await held.call(name, "parsing")
        await held.call("compose", "composing")
        await held.end("draw 1")
        assert held.begun == ["draw 1", "compose"], "one child does both"
        await held.drain()
        assert held.begun == ["draw 1", "compose", "draw 2", "draw 3"]

    asyncio.run(main())


def test_calls_that_may_not_parse_yet_are_waited_for_without_a_timer(clock, monkeypatch):
    """Guards against a loop that looks again and again at a free child that it may not give to who waits."""

    async def main() -> int:
        held = Held(2)
        await held.call("compose", "composing", "b")
        await held.end("compose")
        for name in ("draw 1", "draw 2"):
            await held.call(name, "parsing")
        clock.now += 100
        assert held.begun == ["compose", "draw 1"]
        looks = 0
        match = held.queue._match

        def counted() -> None:
            nonlocal looks
            looks += 1
            match()

        monkeypatch.setattr(held.queue, "_match", counted)
        held.queue._await_lingering()
        await turns(50)
        await held.drain()
        return looks

    assert asyncio.run(main()) <= 4, "one look per call that ends"
