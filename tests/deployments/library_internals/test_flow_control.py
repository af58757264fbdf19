"""`deployments.library_internals.flow_control`: nothing is read from the client before the application wants it."""

from __future__ import annotations

import asyncio
import inspect
import pickle
from types import SimpleNamespace
from typing import Any

from ray.serve._private import proxy, replica
from ray.serve._private.http_util import ASGIReceiveProxy, MessageQueue

from deployments.library_internals.flow_control import (
    MAX_QUEUED_MESSAGES,
    WINDOW_BYTES,
    BoundedMessageQueue,
    BoundedReceiveProxy,
)

PIECE = {"type": "http.request", "body": bytes(1 << 18), "more_body": True}
END = {"type": "http.disconnect"}


async def turns() -> None:
    for _ in range(5 * MAX_QUEUED_MESSAGES):
        await asyncio.sleep(0)


def test_the_two_queues_of_serve_are_where_they_are_replaced() -> None:
    """Guards against a version of Ray in which the replacement changes nothing."""
    assert proxy.MessageQueue is MessageQueue
    assert "receive_queue = MessageQueue()" in inspect.getsource(proxy.HTTPProxy)
    assert replica.ASGIReceiveProxy is ASGIReceiveProxy
    assert "ASGIReceiveProxy(" in inspect.getsource(replica)


def test_an_application_that_does_not_read_stops_the_client_and_goes_on_where_it_was() -> None:
    """Guards against 600 MB in the proxy and 600 MB in Ingress for a call that never looks at its body."""

    async def scenario() -> None:
        queue, num_sent = BoundedMessageQueue(), 0

        async def client() -> None:
            nonlocal num_sent
            for _ in range(100):
                await queue(PIECE)
                num_sent += 1
            await queue(END)

        async def fetch(_: Any) -> bytes:
            await queue.wait_for_message()
            return pickle.dumps(queue.get_messages_nowait())

        metadata: Any = SimpleNamespace()
        receive = BoundedReceiveProxy({"type": "http"}, metadata, fetch)
        sending = asyncio.create_task(client())
        fetching = asyncio.create_task(receive.fetch_until_disconnect())
        await turns()
        num_kept = num_sent * len(PIECE["body"])
        assert num_kept <= 2 * (MAX_QUEUED_MESSAGES + 2) * len(PIECE["body"])
        assert num_kept < 10 * WINDOW_BYTES
        messages = [await receive() for _ in range(101)]
        assert messages == [PIECE] * 100 + [END]
        await asyncio.gather(sending, fetching)

    asyncio.run(scenario())


def test_a_call_that_is_ended_frees_the_client_that_waits() -> None:
    """Guards against a task that waits for room for ever after the application has answered."""

    async def scenario() -> None:
        queue = BoundedMessageQueue()
        sending = asyncio.create_task(queue({**PIECE, "body": bytes(WINDOW_BYTES + 1)}))
        await turns()
        assert not sending.done()
        sending.cancel()  # as Serve does at the end of a call
        await turns()
        assert sending.cancelled()

    asyncio.run(scenario())
