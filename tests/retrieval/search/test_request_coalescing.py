"""Work that several wait for, with gates in the place of time."""

import asyncio

import pytest

from retrieval.search.request_coalescing import SharedWork


def test_equal_questions_at_the_same_time_are_one_piece_of_work():
    """Ten readers of the same page would else search ten times."""

    async def run():
        shared, gate, begun = SharedWork(), asyncio.Event(), []

        async def work():
            begun.append(1)
            await gate.wait()
            return "answer"

        waiting = [asyncio.create_task(shared.join("key", work)) for _ in range(5)]
        await asyncio.sleep(0)
        waiting[0].cancel()  # the first caller leaves: the others must not be touched
        gate.set()
        answers = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(answer) for answer in answers[:1]] == [asyncio.CancelledError]
        assert answers[1:] == ["answer"] * 4
        assert await shared.join("key", work) == "answer"
        return len(begun)

    assert asyncio.run(run()) == 2


def test_work_that_nobody_waits_for_is_given_up():
    """A client that leaves must not keep the index busy."""

    async def run():
        shared, ended = SharedWork(), asyncio.Event()

        async def work():
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()

        waiting = [asyncio.create_task(shared.join("key", work)) for _ in range(2)]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        for task in waiting:
            task.cancel()
        await asyncio.wait_for(ended.wait(), 60)

    asyncio.run(run())


def test_an_error_goes_to_all_and_is_not_kept():
    """A search that failed once must be tried again."""

    async def run():
        shared = SharedWork()

        async def fail():
            raise ValueError("no")

        for answer in await asyncio.gather(*(shared.join("k", fail) for _ in range(3)), return_exceptions=True):
            assert isinstance(answer, ValueError)
        with pytest.raises(ValueError, match="no"):
            await shared.join("k", fail)

    asyncio.run(run())
