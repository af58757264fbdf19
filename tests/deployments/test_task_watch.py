"""`task_watch`: who watches pages being read sees each partial result once, and is let go at the end."""

from __future__ import annotations

import asyncio

from deployments.values.jobs import PartialPage
from tests.deployments.gated_work import GatedWork, Uploading, run, upload


def partial_page(number: int = 1) -> PartialPage:
    return PartialPage(number=number, size=(10, 10), regions=())


def test_a_partial_page_wakes_who_watches_and_is_told_once(database: str) -> None:
    """Guards against a watcher that asks in vain, and one that gets the same picture for ever."""
    work = GatedWork()

    async def scenario(runner: Uploading) -> list[tuple[list[PartialPage], int, bool]]:
        work.gate = asyncio.Event()
        job = await runner.take(upload())
        await work.entered.wait()
        waiting = asyncio.create_task(runner.watch.partial_results(job.id, 0, 20))
        await asyncio.sleep(0)
        runner.watch.partial_page(job.id, partial_page())
        runner.watch.partial_page(job.id, partial_page(number=9))  # a page that nobody reads
        answers = [
            await waiting,
            await runner.watch.partial_results(job.id, 1, 0),
            await runner.watch.partial_results(job.id, 7, 0),
        ]
        waiting = asyncio.create_task(runner.watch.partial_results(job.id, 1, 600))
        await asyncio.sleep(0)
        work.gate.set()
        await runner.watch.wait(job.id, 20)
        await asyncio.wait_for(asyncio.shield(waiting), 20)  # it was woken, long before its 600 s
        runner.watch.partial_page(job.id, partial_page())  # that comes too late
        return [*answers, await waiting, await runner.watch.partial_results(job.id, 0, 20)]

    first, again, of_another_life, ending, ended = run(database, work, scenario)
    assert first == ([partial_page()], 1, False)
    assert again == ([], 1, False)
    assert of_another_life == ([partial_page()], 1, False)
    assert (ending[0], ending[2]) == ([], True)
    assert ended == ([], 0, True)
