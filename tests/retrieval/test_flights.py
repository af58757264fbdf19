"""Work that several wait for, with gates in the place of time."""

import asyncio

import pytest

from retrieval.flights import Flights


def test_equal_questions_at_the_same_time_are_one_piece_of_work():
    """Ten readers of the same page would else search ten times."""

    async def run():
        flights, gate, begun = Flights(), asyncio.Event(), []

        async def work():
            begun.append(1)
            await gate.wait()
            return "answer"

        waiting = [asyncio.create_task(flights.join("key", work)) for _ in range(5)]
        await asyncio.sleep(0)
        waiting[0].cancel()  # the first caller leaves: the others must not be touched
        gate.set()
        answers = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(each) for each in answers[:1]] == [asyncio.CancelledError]
        assert answers[1:] == ["answer"] * 4
        assert await flights.join("key", work) == "answer"
        return len(begun)

    assert asyncio.run(run()) == 2


def test_work_that_nobody_waits_for_is_given_up():
    """A client that leaves must not keep the index busy."""

    async def run():
        flights, ended = Flights(), asyncio.Event()

        async def work():
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()

        waiting = [asyncio.create_task(flights.join("key", work)) for _ in range(2)]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        for each in waiting:
            each.cancel()
        await asyncio.wait_for(ended.wait(), 60)

    asyncio.run(run())


def test_an_error_goes_to_all_and_is_not_kept():
    """A search that failed once must be tried again."""

    async def run():
        flights = Flights()

        async def fail():
            raise ValueError("no")

        for answer in await asyncio.gather(*(flights.join("k", fail) for _ in range(3)), return_exceptions=True):
            assert isinstance(answer, ValueError)
        with pytest.raises(ValueError, match="no"):
            await flights.join("k", fail)

    asyncio.run(run())
