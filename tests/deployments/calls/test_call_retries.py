"""`deployments.calls.call_retries`: only what kills replicas by itself is given up."""

from __future__ import annotations

import asyncio

import pytest

from deployments.calls.call_retries import RENDERER_PAUSES_S, SHORTAGE_PAUSES_S, unless_replaced, with_retries
from deployments.errors import Busy, Lost, ReplicaDied
from documents.errors import RendererUnavailable

POISON = 3


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    """Serve's moment to see a death is over at once."""
    asleep = asyncio.sleep
    monkeypatch.setattr("deployments.calls.call_retries.asyncio.sleep", lambda _: asleep(0))


class Replica:
    """One process that does many things at a time; the poison takes all of them along."""

    def __init__(self) -> None:
        self._inside: set[asyncio.Future[int]] = set()
        self.calls: list[int] = []

    async def do(self, number: int) -> int:
        self.calls.append(number)
        done: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._inside.add(done)
        for _ in range(3):  # as long as it takes until all that are here have begun
            await asyncio.sleep(0)
        if number == POISON:
            for other in self._inside:
                if not other.done():
                    other.set_exception(ReplicaDied("gone"))
            self._inside.clear()
        elif not done.done():
            self._inside.discard(done)
            done.set_result(number)
        return await done


@pytest.mark.parametrize("attempts", [2, 3])
def test_what_a_poison_takes_along_is_done_all_the_same(attempts: int) -> None:
    """Guards against innocent neighbours that are given up with the one that kills."""
    replica = Replica()

    async def all_at_once() -> list[int | BaseException]:
        alone = asyncio.Lock()
        calls = [with_retries(lambda n=n: replica.do(n), attempts=attempts, last_attempt_lock=alone) for n in range(8)]
        return await asyncio.gather(*calls, return_exceptions=True)

    results = asyncio.run(all_at_once())
    assert [n for n, result in enumerate(results) if isinstance(result, Lost)] == [POISON]
    assert replica.calls.count(POISON) == attempts


def test_without_a_second_attempt_the_first_death_counts() -> None:
    """Guards against a single attempt that waits for a turn it does not need."""

    async def scenario() -> None:
        alone = asyncio.Lock()
        async with alone:
            await with_retries(_dies, attempts=1, last_attempt_lock=alone)

    with pytest.raises(Lost):
        asyncio.run(scenario())


@pytest.mark.parametrize("cause", ["no renderer", "a shortage", "a full graph"])
def test_a_call_that_pauses_holds_up_no_other_one(monkeypatch: pytest.MonkeyPatch, cause: str) -> None:
    """Guards against a last attempt that keeps the lock for minutes in which it calls nothing."""
    kills = 0
    monkeypatch.setattr("deployments.calls.call_retries.num_oom_kills", lambda: kills)
    pauses = {"no renderer": RENDERER_PAUSES_S[0], "a shortage": SHORTAGE_PAUSES_S[0], "a full graph": 0.05}

    async def scenario() -> list[str]:
        alone, paused, relieved, turn = asyncio.Lock(), asyncio.Event(), asyncio.Event(), asyncio.sleep
        calls = {"first": 0, "second": 0}

        async def sleep(pause_s: float) -> None:
            if pause_s == pauses[cause]:
                paused.set()
                await relieved.wait()
            await turn(0)

        async def do(name: str) -> str:
            nonlocal kills
            calls[name] += 1
            if calls[name] == 1:
                raise ReplicaDied("gone")
            if name == "first" and calls[name] == 2:
                if cause == "a shortage":
                    kills += 1
                    raise ReplicaDied("gone")
                raise RendererUnavailable("lost") if cause == "no renderer" else Busy("full")
            return name

        monkeypatch.setattr("deployments.calls.call_retries.asyncio.sleep", sleep)
        first = asyncio.create_task(with_retries(lambda: do("first"), attempts=2, last_attempt_lock=alone))
        await paused.wait()
        second = await asyncio.wait_for(
            with_retries(lambda: do("second"), attempts=2, last_attempt_lock=alone), timeout=10
        )
        assert not first.done()
        relieved.set()
        return [await first, second]

    assert asyncio.run(scenario()) == ["first", "second"]


async def _dies() -> None:
    raise ReplicaDied("gone")


@pytest.mark.parametrize("num_deaths", [3, len(RENDERER_PAUSES_S), 99])
def test_a_machine_without_children_is_waited_out_for_a_bounded_time(num_deaths: int) -> None:
    """Guards against a document that fails for a minute without memory, and against one that is tried for ever."""
    calls = 0

    async def call() -> str:
        nonlocal calls
        calls += 1
        if calls <= num_deaths:
            raise RendererUnavailable("2 renderers ended (lost (-9))")
        return "read"

    if num_deaths > len(RENDERER_PAUSES_S):
        with pytest.raises(RendererUnavailable):
            asyncio.run(with_retries(call, attempts=3))
        assert calls == len(RENDERER_PAUSES_S) + 1
    else:
        assert asyncio.run(with_retries(call, attempts=3)) == "read"
    assert sum(RENDERER_PAUSES_S) >= 120, "the two minutes that a machine may be short of memory"


def test_where_the_caller_is_patient_the_callee_is_not() -> None:
    """Guards against tries within tries: a page is tried again as a whole, so none of its regions is."""
    calls = 0

    async def call() -> None:
        nonlocal calls
        calls += 1
        raise RendererUnavailable("no renderer could be started")

    with pytest.raises(RendererUnavailable):
        asyncio.run(with_retries(call, attempts=3, renderer_pauses_s=()))
    assert calls == 1


class Starved:
    """Its first calls each end with the replica, which the kernel ended for want of memory, or something else did."""

    def __init__(self, *, deaths: int, of_memory: bool) -> None:
        self.deaths, self.of_memory = deaths, of_memory
        self.calls = self.kills = 0

    async def do(self) -> str:
        self.calls += 1
        if self.calls > self.deaths:
            return "read"
        self.kills += self.of_memory
        raise ReplicaDied("gone")


@pytest.mark.parametrize("attempts", [1, 3])
def test_no_page_is_given_up_because_the_machine_is_short_of_memory(
    monkeypatch: pytest.MonkeyPatch, attempts: int
) -> None:
    """Guards against pages that fail for good since other programs filled the machine for two minutes."""
    starved = Starved(deaths=len(SHORTAGE_PAUSES_S), of_memory=True)
    monkeypatch.setattr("deployments.calls.call_retries.num_oom_kills", lambda: starved.kills)
    assert asyncio.run(with_retries(starved.do, attempts=attempts)) == "read"


def test_a_page_that_takes_all_memory_itself_is_given_up_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against one page that kills the models for ever."""
    starved = Starved(deaths=1000, of_memory=True)
    monkeypatch.setattr("deployments.calls.call_retries.num_oom_kills", lambda: starved.kills)
    with pytest.raises(Lost):
        asyncio.run(with_retries(starved.do, attempts=3))
    assert starved.calls == 3 + len(SHORTAGE_PAUSES_S)


def test_with_memory_to_spare_each_death_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    starved = Starved(deaths=1000, of_memory=False)
    monkeypatch.setattr("deployments.calls.call_retries.num_oom_kills", lambda: starved.kills)
    with pytest.raises(Lost):
        asyncio.run(with_retries(starved.do, attempts=3))
    assert starved.calls == 3


@pytest.mark.parametrize("error", [ReplicaDied("gone"), Busy("full")])
def test_who_only_looks_on_goes_on_with_what_was_known(error: Exception) -> None:
    """Guards against a stream that ends with the replica of Jobs, though the job goes on under the next one."""

    async def dead() -> str:
        raise error

    async def alive() -> str:
        return "new"

    assert asyncio.run(unless_replaced(dead, "known")) == "known"
    assert asyncio.run(unless_replaced(alive, "known")) == "new"


def test_what_is_wrong_with_a_call_is_raised_to_who_looks_on() -> None:
    async def refused() -> str:
        raise RendererUnavailable("no child")

    with pytest.raises(RendererUnavailable):
        asyncio.run(unless_replaced(refused, "known"))
