"""`deployments.jobs.watch`: who watches pages being read sees each glimpse once, and is let go at the job's end."""

from __future__ import annotations

import asyncio

from deployments.jobs.values import Glimpse
from tests.deployments.gated_work import GatedWork, Uploading, run, upload


def glimpse(number: int = 1) -> Glimpse:
    return Glimpse(number=number, size=(10, 10), regions=())


def test_a_glimpse_wakes_who_watches_and_is_told_once(database: str) -> None:
    """Guards against a watcher that asks in vain, and one that gets the same picture for ever."""
    work = GatedWork()

    async def scenario(runner: Uploading) -> list[tuple[list[Glimpse], int, bool]]:
        work.gate = asyncio.Event()
        job = await runner.take(upload())
        await work.entered.wait()
        waiting = asyncio.create_task(runner.glimpses(job.id, 0, 20))
        await asyncio.sleep(0)
        runner.glimpse(job.id, glimpse())
        runner.glimpse(job.id, glimpse(number=9))  # a page that nobody reads
        told = [await waiting, await runner.glimpses(job.id, 1, 0), await runner.glimpses(job.id, 7, 0)]
        waiting = asyncio.create_task(runner.glimpses(job.id, 1, 600))
        await asyncio.sleep(0)
        work.gate.set()
        await runner.wait(job.id, 20)
        await asyncio.wait_for(asyncio.shield(waiting), 20)  # it was woken, long before its 600 s
        runner.glimpse(job.id, glimpse())  # that comes too late
        return [*told, await waiting, await runner.glimpses(job.id, 0, 20)]

    first, again, of_another_life, ending, ended = run(database, work, scenario)
    assert first == ([glimpse()], 1, False)
    assert again == ([], 1, False)
    assert of_another_life == ([glimpse()], 1, False)
    assert (ending[0], ending[2]) == ([], True)
    assert ended == ([], 0, True)
