"""`task_watch`: who watches pages being read sees each partial result once, and is let go at the end."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, cast

import pytest

from deployments.errors import UnknownJob
from deployments.jobs.results.fetched_result import fetched_result
from deployments.values.jobs import PartialPage
from tests.deployments.gated_work import GatedWork, Uploading, ended, held, run, upload
from tests.deployments.ingress.handles import Handle


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


def test_a_large_result_does_not_hold_up_the_events_of_others(database: str) -> None:
    """Guards against event streams and polls that wait while 2,000 pages are read from the database."""

    async def scenario(runner: Uploading) -> None:
        job = await ended(runner, upload())
        reading, leave = held(runner._store.records, "page_texts")
        texts = asyncio.ensure_future(runner.watch.page_texts(job.id, (1,)))
        await reading.wait()
        try:
            async with asyncio.timeout(10):
                assert (await runner.watch.events(job.id, 0, 0))[1]
                assert (await runner.watch.job(job.id)).done
                assert not texts.done()
        finally:
            leave.set()
        assert len(await texts) == 1

    run(database, GatedWork(1), scenario)


def test_a_result_is_fetched_a_few_pages_at_a_time(database: str) -> None:
    """Guards against all pages of a long document in one message and in the memory of Jobs."""

    async def scenario(runner: Uploading) -> None:
        job = await ended(runner, upload())
        jobs = Handle(runner.watch)
        num_texts = []
        page_texts = runner.watch.page_texts

        async def noted(job_id: str, numbers: Sequence[int]) -> list[str]:
            num_texts.append(len(numbers))
            return await page_texts(job_id, numbers)

        runner.watch.page_texts = noted
        plan, opened, pages = await fetched_result(cast("Any", jobs), job.id)
        assert (plan.job_id, opened.num_pages) == (job.id, 40)
        assert [page.number for page in pages] == list(range(1, 41))
        assert num_texts == [16, 16, 8]
        with pytest.raises(UnknownJob):
            await page_texts(job.id, (40, 41))

    run(database, GatedWork(40), scenario)
