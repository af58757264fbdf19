"""Detached tasks: what a client began goes on when the client has gone."""

from __future__ import annotations

import asyncio
import contextvars
import gc

from deployments.calls.background_tasks import DetachedTasks

request_id = contextvars.ContextVar("request_id", default="none")


def test_a_task_carries_nothing_of_the_request_that_began_it() -> None:
    """Guards against calls that Serve cancels with the request."""

    async def read() -> str:
        return request_id.get()

    async def scenario() -> str:
        request_id.set("r1")
        return await DetachedTasks().start(read())

    assert asyncio.run(scenario()) == "none"


def test_tasks_are_held_until_they_have_ended() -> None:
    """Guards against a task that is collected as garbage: the loop holds tasks only weakly."""

    async def scenario() -> tuple[int, int, list[str]]:
        tasks, gate, done = DetachedTasks(), asyncio.Event(), []

        async def work() -> None:
            await gate.wait()
            done.append("done")

        tasks.start(work())
        gc.collect()
        num_tasks = len(tasks)
        gate.set()
        await tasks.wait()
        await asyncio.sleep(0)
        return num_tasks, len(tasks), done

    assert asyncio.run(scenario()) == (1, 0, ["done"])
