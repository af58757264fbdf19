"""Serve's own loop that forms batches, without a cluster: what ends it, and who notices."""

import asyncio

import pytest
from ray import serve

from deployments.replicas.batch_loop import check_batch_loop, safe_batch_size


def length(items):
    return sum(len(item) for item in items)


@pytest.fixture
def in_replica(monkeypatch):
    context = type("Context", (), {"_deployment_config": type("Config", (), {"max_ongoing_requests": 10_000})})
    monkeypatch.setattr(serve, "get_replica_context", lambda: context)


@serve.batch(max_batch_size=8, batch_wait_timeout_s=0, batch_size_fn=safe_batch_size(length))
async def joined(items):
    return ["".join(item) for item in items]


@serve.batch(max_batch_size=8, batch_wait_timeout_s=0, batch_size_fn=length)
async def unguarded(items):
    return ["".join(item) for item in items]


def test_an_item_without_a_size_fails_alone_and_later_calls_are_answered(in_replica):
    """An exception of the size function ended the loop (ray 66140): every later call waited for ever."""

    async def calls():
        with pytest.raises(TypeError):
            await asyncio.wait_for(joined(3), 5)
        assert await asyncio.wait_for(joined("abc"), 5) == "abc"
        await check_batch_loop(joined)

    asyncio.run(calls())


def test_a_loop_that_has_ended_fails_the_health_check(in_replica):
    """An item that is too large ends the loop if its caller has left: Serve reported the application as running."""

    async def calls():
        gone = asyncio.ensure_future(unguarded("too large for a batch"))
        await asyncio.sleep(0)
        gone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gone
        lost = asyncio.ensure_future(unguarded("abc"))
        await asyncio.wait({lost}, timeout=0.2)
        assert not lost.done()  # as users met it
        with pytest.raises(RuntimeError, match="unguarded has ended"):
            await check_batch_loop(unguarded)
        lost.cancel()

    asyncio.run(calls())
