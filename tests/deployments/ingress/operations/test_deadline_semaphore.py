"""DeadlineSemaphore: equal calls one after the other, short ones before long ones, slots never lost."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from deployments.ingress.operations.deadline_semaphore import SLACK_S, DeadlineSemaphore


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


@pytest.mark.parametrize("given_first", [False, True], ids=["while it waits", "in the moment it is given the place"])
def test_a_call_that_is_cancelled_keeps_no_place(given_first: bool) -> None:
    asyncio.run(cancelled(given_first=given_first))


async def cancelled(*, given_first: bool) -> None:
    waiting: list[int] = []
    semaphore, release = DeadlineSemaphore(1, waiting.append), asyncio.Event()

    async def held() -> None:
        async with semaphore.slot(0.0):
            await release.wait()

    async def waits() -> None:
        async with semaphore.slot(1.0):
            pass

    first, second, third = asyncio.create_task(held()), asyncio.create_task(waits()), asyncio.create_task(waits())
    await asyncio.sleep(0)
    if given_first:
        release.set()
        await asyncio.sleep(0)  # the place is `second`'s, who has not run yet
    second.cancel()
    release.set()
    await asyncio.wait_for(asyncio.gather(first, third), 60)
    assert second.cancelled()
    assert (max(waiting), waiting[-1]) == (2, 0)
    async with asyncio.timeout(60), semaphore.slot(0.0):
        pass
