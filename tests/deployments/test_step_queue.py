"""`deployments.jobs.step_queue`: jobs take turns."""

import asyncio

from deployments.jobs.step_queue import StepQueue


def test_a_short_job_is_not_held_up_by_a_long_one() -> None:
    """Guards against first come, first served over pages: a thousand pages ahead of one."""

    async def scenario() -> list[tuple[str, int]]:
        queue: StepQueue[int] = StepQueue()
        queue.put("long", range(1000))
        queue.put("short", [1])
        return [await queue.take() for _ in range(3)]

    assert asyncio.run(scenario()) == [("long", 0), ("short", 1), ("long", 1)]


def test_dropped_work_is_not_handed_out() -> None:
    """Guards against pages of a cancelled job that are drawn all the same."""

    async def scenario() -> int:
        queue: StepQueue[int] = StepQueue()
        queue.put("a", [1, 2])
        queue.put("b", [3])
        queue.drop("a")
        assert await queue.take() == ("b", 3)
        return len(queue)

    assert asyncio.run(scenario()) == 0


def test_take_waits_for_work() -> None:
    """Guards against a worker that spins on an empty queue."""

    async def scenario() -> tuple[str, int]:
        queue: StepQueue[int] = StepQueue()
        taking = asyncio.create_task(queue.take())
        await asyncio.sleep(0)
        assert not taking.done()
        queue.put("a", [7])
        return await taking

    assert asyncio.run(scenario()) == ("a", 7)
