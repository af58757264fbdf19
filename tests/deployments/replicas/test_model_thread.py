"""`deployments.replicas.model_thread`: a thread that is stuck is found, one that works or rests is not."""

import asyncio
import threading

import pytest

from deployments.replicas.model_thread import ModelThread


@pytest.mark.parametrize(("stuck_s", "healthy"), [(0.0, False), (1000.0, True)])
def test_a_thread_that_does_not_come_back_is_found(stuck_s: float, healthy: bool) -> None:
    """Guards against a replica that answers that it is well while its model hangs."""
    begun, leave = threading.Event(), threading.Event()

    def work(argument: str) -> str:
        begun.set()
        leave.wait(60)
        return argument

    async def scenario() -> bool:
        thread = ModelThread("model", stuck_s=stuck_s)
        thread.check()  # at rest
        working = asyncio.create_task(thread.run(work, "done"))
        await asyncio.to_thread(begun.wait, 10)
        try:
            thread.check()
            stuck = True
        except RuntimeError:
            stuck = False
        leave.set()
        assert await working == "done"
        thread.check()  # at rest again
        return stuck

    assert asyncio.run(scenario()) == healthy


def test_work_that_fails_leaves_the_thread_at_rest() -> None:
    """Guards against one bad batch after which the replica is taken for stuck."""

    async def scenario() -> None:
        thread = ModelThread("model", stuck_s=0)
        with pytest.raises(ZeroDivisionError):
            await thread.run(lambda: 1 / 0)
        thread.check()

    asyncio.run(scenario())
