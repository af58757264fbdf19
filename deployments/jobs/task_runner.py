"""Drives stored tasks of every kind to their ends: steps in turn, a bounded number at once; deadlines, cancellation.

A kind of task is a Lane. Only the event loop touches the state; how a task ended is committed in the store's thread.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from deployments.calls.background_tasks import DetachedTasks
from deployments.errors import DatabaseAway, DiskFull
from deployments.jobs.running_task import RunningTask
from deployments.jobs.step_queue import StepQueue
from deployments.jobs.store.lease import LeaseLost
from deployments.jobs.store.store_thread import StoreThread
from deployments.values.jobs import Ending, JobError

logger = logging.getLogger("ray.serve")
T = TypeVar("T", bound=RunningTask)
Step = Callable[[T], Coroutine[Any, Any, None]]


@dataclass(slots=True)
class Lane(Generic[T]):
    """A kind of task: what it is called, how many of its steps run at once, and how its end is committed."""

    name: str
    max_steps: int
    commit_end: Callable[[T, Ending, float], bool]  # with the seconds it took; False: it had ended before
    queue: StepQueue[Step[T]] = field(default_factory=StepQueue)
    running: dict[str, T] = field(default_factory=dict)


class TaskRunner:
    """Owns the tasks that have not ended, and what runs of them."""

    def __init__(self, stored: StoreThread) -> None:
        self._stored = stored
        self._lanes: list[Lane[Any]] = []
        self._detached = DetachedTasks()
        self.lost = False  # another owner has taken over, or must: nothing is worked on any more

    def serve(self, lane: Lane[T]) -> None:
        """Work on a lane from now on."""
        self._lanes.append(lane)
        for _ in range(lane.max_steps):
            self._detached.start(self._work(lane))

    def start(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Work that goes on until it ends or `close`, whoever is cancelled meanwhile."""
        return self._detached.start(work)

    def add(self, lane: Lane[T], task: T, first_step: Step[T], *, left_s: float | None = None) -> None:
        """Begin with a task, unless that has been done; in `left_s` seconds it has failed (None: there is no limit)."""
        if task.id in lane.running:
            return
        lane.running[task.id] = task
        if left_s is not None:
            late = JobError(
                code="deadline_exceeded", status=504, message="the job exceeded its deadline", retryable=True
            )
            task.timer = asyncio.get_running_loop().call_later(
                left_s, lambda: self._detached.start(self._ended(lane, task, Ending("failed", late)))
            )
        lane.queue.put(task.id, [first_step])

    async def end(self, lane: Lane[T], task: T, ending: Ending) -> None:
        """End a task, wholly also when the caller is cancelled meanwhile."""
        await asyncio.shield(self._detached.start(self._ended(lane, task, ending, asyncio.current_task())))

    def lose(self) -> None:
        """Another owner works on these tasks now, or must: stop, and say so to whoever asks for our health."""
        logger.error("the jobs are no longer ours")
        self.lost = True
        for lane in self._lanes:
            for task in lane.running.values():
                for call in task.calls:
                    call.cancel()
                task.stop()
            lane.running.clear()

    async def close(self) -> None:
        """Stop working; what has not ended stays as it is stored."""
        running = (task for lane in self._lanes for task in lane.running.values())
        tasks = [*self._detached, *(call for task in running for call in task.calls)]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _work(self, lane: Lane[T]) -> None:
        """One of the lane's workers: a step at a time, for ever."""
        while True:
            task_id, step = await lane.queue.take()
            if (task := lane.running.get(task_id)) is None:
                continue
            call = asyncio.create_task(step(task))
            task.calls.add(call)
            try:
                await asyncio.wait({call})
            finally:
                task.calls.discard(call)
                if not call.done():
                    call.cancel()
            if not call.cancelled() and (error := call.exception()) is not None:
                if isinstance(error, LeaseLost | DatabaseAway | DiskFull):  # the storage was away for too long
                    self.lose()  # no task is to blame
                    return
                problem = JobError.of(error)
                if problem.code == "internal":
                    logger.error("%s %s failed", lane.name, task_id, exc_info=error, extra={"job": task_id})
                try:
                    await self.end(lane, task, Ending("failed", problem))
                except Exception:  # nothing can be committed here: the next owner takes up what is unfinished
                    logger.exception("%s %s could not be ended", lane.name, task_id, extra={"job": task_id})
                    self.lose()
                    return

    async def _ended(self, lane: Lane[T], task: T, ending: Ending, asked_by: asyncio.Task[Any] | None = None) -> None:
        """Commit how the task ended, then stop what still runs of it and wake those who wait."""
        seconds = round(time.perf_counter() - task.begun, 4)
        if await self._stored.retry_until_done(lambda: lane.commit_end(task, ending, seconds)):
            facts = task.facts() | {"seconds": seconds, "warnings": len(ending.warnings)}
            facts |= {"error": ending.error and ending.error.message}
            extra = {"job": task.id, "timings": {"total_s": seconds}}
            logger.info("%s %s: %s %s", lane.name, task.id, ending.status, json.dumps(facts), extra=extra)
        lane.queue.drop(task.id)
        lane.running.pop(task.id, None)
        for call in task.calls - {asked_by}:
            call.cancel()
        task.stop()
