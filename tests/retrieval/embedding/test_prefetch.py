"""The loader, by what it has begun when."""

import asyncio

import pytest

from retrieval.embedding.prefetch import prefetched


@pytest.mark.parametrize("ahead", [0, 1, 2])
def test_no_more_is_loaded_than_was_asked_for_and_all_comes_in_order(ahead):
    """Unbounded read-ahead of a bulk ingestion is a full memory."""

    async def run():
        begun, most = [], []

        async def load(item):
            begun.append(item)
            await asyncio.sleep(0)
            return item * 10

        values = []
        async for loaded in prefetched(range(6), load, ahead):
            await asyncio.sleep(0)
            most.append(len(begun) - len(values))
            values.append(loaded)
        assert values == [0, 10, 20, 30, 40, 50]
        return max(most)

    assert asyncio.run(run()) == ahead + 1


def test_an_error_comes_in_its_place_and_leaving_gives_up_the_rest():
    """Guards against tasks that run on behind a loop that has ended."""

    async def run():
        async def load(item):
            if item == 1:
                raise ValueError("broken")
            if item > 1:
                await asyncio.Event().wait()
            return item

        values = []

        async def drain():
            async for value in prefetched(range(9), load, 2):
                values.append(value)
                await asyncio.sleep(0)

        with pytest.raises(ValueError, match="broken"):
            await drain()
        assert values == [0]
        return len(asyncio.all_tasks())

    assert asyncio.run(run()) == 1
