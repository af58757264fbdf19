"""`deployments.ingress.operations.document_threads`: whole documents, few at once, beside the small work of others."""

from __future__ import annotations

import asyncio
import threading

import pytest

from deployments.errors import Busy
from deployments.ingress.operations.document_threads import MAX_DOCUMENTS, DocumentThreads


def test_a_caller_that_leaves_keeps_its_slot_until_its_thread_is_done() -> None:
    """A thread cannot be ended: clients that ask for a huge result and leave would fill all of them."""

    async def run() -> None:
        documents, begun, go_on = DocumentThreads(wait_s=0.01), threading.Event(), threading.Event()

        def work() -> None:
            begun.set()
            go_on.wait(20)

        async def written() -> None:
            async with documents.slot("alice"):
                await documents.run(work)

        calls = [asyncio.create_task(written()) for _ in range(MAX_DOCUMENTS)]
        await asyncio.to_thread(begun.wait, 20)
        for call in calls:
            call.cancel()
        with pytest.raises(Busy):
            await written()
        async with documents.slot("bob"):  # one of another namespace does not wait
            assert await documents.run(lambda: 4) == 4
        go_on.set()
        await asyncio.gather(*calls, return_exceptions=True)
        async with documents.slot("alice"):
            assert await documents.run(lambda: 5) == 5

    asyncio.run(asyncio.wait_for(run(), 30))


def test_small_work_does_not_wait_behind_documents() -> None:
    """Results of large documents took the threads that read keys, forms and the state of Serve."""

    async def run() -> None:
        loop, go_on = asyncio.get_running_loop(), threading.Event()
        documents = DocumentThreads()
        loop.set_default_executor(_pool())
        works = [asyncio.create_task(documents.run(go_on.wait, 20)) for _ in range(4)]
        assert await asyncio.to_thread(lambda: 1) == 1
        go_on.set()
        assert await asyncio.gather(*works) == [True] * 4

    asyncio.run(asyncio.wait_for(run(), 30))


def _pool():
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(1)
