"""`deployments.ingress.api.job_events`: the stream as it goes over the wire."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from deployments.calls import call_retries
from deployments.errors import ReplicaDied, UnknownJob
from deployments.ingress.api.job_events import follower_of, partial_regions
from deployments.values.jobs import Event, PartialPage, PartialRegion
from documents.boxes import BoundingBox

BEGUN = datetime(2026, 1, 1, tzinfo=UTC)


class Jobs:
    """Answers in turn what was put down, and notes what it was asked."""

    def __init__(self, *answers: Any) -> None:
        self._answers, self.asked = list(answers), []
        self.events = self

    async def remote(self, job_id: str, after: int, wait_s: float, namespace: str) -> Any:
        self.asked.append((after, namespace))
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


class Watched(Jobs):
    """The same, asked for partial_results."""

    def __init__(self, *answers: Any) -> None:
        super().__init__(*answers)
        self.partial_results = self

    async def remote(self, job_id: str, last_count: int, wait_s: float) -> Any:
        return await super().remote(job_id, last_count, 0, wait_s)


def event(number: int, kind: str = "page") -> Event:
    return Event(id=number, kind=kind, body={"number": number, "text": "a\nb"}, created_at=BEGUN)


def streamed(jobs: Jobs, after: int = 0) -> list[str]:
    limits = SimpleNamespace(heartbeat_s=0.01)
    services: Any = SimpleNamespace(jobs=jobs, settings=SimpleNamespace(limits=limits))

    async def scenario() -> list[str]:
        follow = follower_of(services, "job_1", "a", after)
        return [part.decode() async for part in follow.text(*await follow.more(0))]

    return asyncio.run(scenario())


def test_each_event_has_its_id_and_one_line_of_data() -> None:
    """Guards against a client that cannot come back, and against a line break that ends an event too early."""
    jobs = Jobs(([event(3), event(5, "succeeded")], True))
    _, first, last = streamed(jobs)
    assert {"id: 3", "event: page"} < set(first.splitlines())
    assert {"id: 5", "event: succeeded"} < set(last.splitlines())
    assert all(part.count("\n") == 4 and part.endswith("\n\n") for part in (first, last))


def test_a_client_that_comes_back_goes_on_after_its_last_event() -> None:
    """Guards against events that are told twice, or skipped."""
    jobs = Jobs(([event(8)], False), ([], False), ([event(9, "succeeded")], True))
    parts = streamed(jobs, after=7)
    assert jobs.asked == [(7, "a"), (8, "a"), (8, "a")]
    assert [part for part in parts if part.startswith(":")] == [": alive\n\n"]


def test_a_stream_outlives_the_death_of_jobs(monkeypatch: Any) -> None:
    """Guards against a progress bar that stops because a process was replaced."""
    monkeypatch.setattr(call_retries, "REPLACEMENT_PAUSE_S", 0)
    jobs = Jobs(([event(1)], False), ReplicaDied("gone"), ([event(2, "succeeded")], True))
    assert [part.splitlines()[-2] for part in streamed(jobs)][1:] == ["id: 1", ": alive", "id: 2"]


def test_a_stream_ends_when_its_job_is_deleted() -> None:
    """Guards against a stream that is open for ever."""
    assert len(streamed(Jobs(([event(1)], False), UnknownJob("job_1")))) == 2


def test_what_is_read_just_now_is_told_until_the_job_has_ended(monkeypatch: Any) -> None:
    """Guards against a stream of partial_results that stops with a replica, or does not stop with the job."""
    monkeypatch.setattr(call_retries, "REPLACEMENT_PAUSE_S", 0)
    region = PartialRegion(kind="title", box=BoundingBox(x0=1, y0=2, x1=3, y1=4), text="Tides")
    one = PartialPage(number=2, size=(10, 20), regions=(region,))
    jobs = Watched(([one], 1, False), ReplicaDied("gone"), ([], 1, True))
    services: Any = SimpleNamespace(jobs=jobs, settings=SimpleNamespace(limits=SimpleNamespace(heartbeat_s=0.01)))

    async def scenario() -> list[str]:
        return [part.decode() async for part in partial_regions(services, "job_1")]

    first, *others = asyncio.run(scenario())
    name, data = first.strip().split("\n")
    assert name == "event: regions"
    assert PartialPage.model_validate_json(data.removeprefix("data: ")) == one
    assert others == [": alive\n\n"] * 2
    assert jobs.asked == [(0, 0.01), (1, 0.01), (1, 0.01)]
