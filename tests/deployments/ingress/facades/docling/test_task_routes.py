"""TaskFollower: what a client reads by its WebSocket while Jobs is replaced."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from deployments.calls import call_retries
from deployments.errors import Busy, ReplicaDied
from deployments.ingress.facades.docling.task import ResponseFormat, Task
from deployments.ingress.facades.docling.task_routes import BUSY_MESSAGE, TaskFollower
from deployments.ingress.facades.docling.task_status import TaskStatusResponse
from deployments.ingress.operations.callers import ANONYMOUS_CALLER

TASK = Task(job_ids=("job_" + "0" * 32,), form=ResponseFormat())


class Socket:
    """Keeps what is sent; its client says nothing and goes when the line is closed."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []

    async def send_json(self, message: dict[str, Any]) -> None:
        self.sent.append(message)

    async def receive_text(self) -> str:
        await asyncio.Event().wait()
        return ""

    async def close(self) -> None: ...


class Work:
    """Answers a poll with a status of the task, or an error."""

    def __init__(self, *answers: str | Exception) -> None:
        self._answers = list(answers)

    async def status(self, *_: object) -> TaskStatusResponse:
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        counts = ("num_docs", "num_processed", "num_succeeded", "num_partially_succeeded", "num_failed")
        facts = {"task_id": TASK.id, "task_type": "convert", "task_meta": dict.fromkeys(counts, 1)}
        return TaskStatusResponse.model_validate(facts | {"task_status": answer})


def messages_of(*answers: str | Exception) -> list[str]:
    async def follow() -> list[str]:
        socket: Any = Socket()
        work: Any = Work(*answers)
        await TaskFollower(work, socket, ANONYMOUS_CALLER, heartbeat_s=0).run(TASK.id)
        return [message["error"] or message["task"]["task_status"] for message in socket.sent]

    return asyncio.run(follow())


@pytest.mark.parametrize("error", [ReplicaDied("gone"), Busy("full")])
def test_a_follower_outlives_a_replica_of_jobs(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against a client that is told to try again while its task goes on."""
    monkeypatch.setattr(call_retries, "REPLACEMENT_PAUSE_S", 0)
    assert messages_of("started", error, error, "success") == ["started", "started", "started", "started", "success"]


def test_a_follower_that_comes_while_jobs_is_away_is_told_so() -> None:
    assert messages_of(ReplicaDied("gone")) == [BUSY_MESSAGE]
