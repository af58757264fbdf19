"""`deployments.ingress.operations.readiness`: one look for all, and never behind the work of a part."""

from __future__ import annotations

import asyncio
from typing import Any

from deployments.ingress.operations import readiness
from deployments.ingress.operations.readiness import Readiness, Snapshot
from tests.deployments.ingress.handles import Handle


class Part:
    """A part whose answer about itself comes when the gate opens."""

    def __init__(self) -> None:
        self.gate, self.num_calls = asyncio.Event(), 0

    async def about(self) -> dict[str, Any]:
        self.num_calls += 1
        await self.gate.wait()
        return {"model": f"model {self.num_calls}"}


def ready(*names: str) -> Any:
    async def running() -> dict[str, dict[str, Any]]:
        return {name: {"status": "ready"} for name in names}

    return running


def test_a_thousand_who_ask_are_one_look(monkeypatch) -> None:
    """Guards against an open call that each time makes seven more, into queues without a bound."""
    monkeypatch.setattr(readiness, "SNAPSHOT_S", 3600.0)

    async def scenario() -> int:
        part = Part()
        part.gate.set()
        ocr = Readiness({"ocr": Handle(part)}, ready("ocr"))
        answers = await asyncio.gather(*(ocr.statuses() for _ in range(1000)))
        assert {answer["ocr"]["model"] for _, answer in answers} == {"model 1"}
        return part.num_calls

    assert asyncio.run(scenario()) == 1


def test_a_part_that_is_busy_stays_ready(monkeypatch) -> None:
    """Guards against a server that calls itself not ready whenever a batch of scans is read."""
    monkeypatch.setattr(readiness, "SNAPSHOT_S", 0.0)
    monkeypatch.setattr(readiness, "PART_TIMEOUT_S", 0.0)

    async def scenario() -> None:
        part = Part()
        part.gate.set()
        ocr = Readiness({"ocr": Handle(part)}, ready("ocr"))
        before = (await ocr.statuses())[1]["ocr"]
        assert before["status"] == "ready"
        part.gate.clear()
        for _ in range(3):
            now = (await ocr.statuses())[1]["ocr"]
            assert now == before, "what it said last, and when"
        assert part.num_calls == 2, "while it does not answer it is not asked again"
        part.gate.set()
        await ocr.statuses()
        await asyncio.sleep(0)
        after = (await ocr.statuses())[1]["ocr"]
        assert before["checked_at"] < after["checked_at"]

    asyncio.run(scenario())


def test_a_part_is_not_ready_before_it_runs_and_has_answered(monkeypatch) -> None:
    """Guards against a server that is ready before its models are."""
    monkeypatch.setattr(readiness, "SNAPSHOT_S", 0.0)
    monkeypatch.setattr(readiness, "REFRESH_TIMEOUT_S", 0.0)

    async def scenario() -> None:
        part = Part()
        parts = Readiness({"ocr": Handle(part), "layout": Handle(part)}, ready("ocr"))
        await parts.statuses()
        await asyncio.sleep(0)
        _, statuses = await parts.statuses()
        assert {name: status["status"] for name, status in statuses.items()} == {
            "ocr": "starting",
            "layout": "starting",
        }
        part.gate.set()
        for _ in range(5):
            await parts.statuses()
            await asyncio.sleep(0)
        _, statuses = await parts.statuses()
        assert [statuses[name]["status"] for name in ("ocr", "layout")] == ["ready", "starting"]

    asyncio.run(scenario())


def test_a_part_that_fails_says_why(monkeypatch) -> None:
    """Guards against a server that is ready while a part of it answers with errors."""

    class Broken:
        async def about(self) -> None:
            raise OSError("a path: /secret")

    async def scenario() -> dict[str, Any]:
        return (await Readiness({"jobs": Handle(Broken())}, ready("jobs")).statuses())[1]["jobs"]

    assert asyncio.run(scenario()) == {"status": "not ready", "reason": "OSError"}


def test_a_controller_that_does_not_answer_leaves_the_last_word(monkeypatch) -> None:
    """Guards against a server that works and calls itself broken since its controller restarts."""
    monkeypatch.setattr(readiness, "SNAPSHOT_S", 0.0)
    answers: list[Any] = [1, ConnectionError("gone"), 2]

    async def fetch() -> int:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def scenario() -> list[int]:
        snapshot = Snapshot(fetch, 0)
        return [await snapshot.value() for _ in range(3)]

    assert asyncio.run(scenario()) == [1, 1, 2]
