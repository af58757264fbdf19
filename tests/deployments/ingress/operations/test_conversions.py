"""`deployments.ingress.operations.conversions`: jobs that are waited for, while Jobs is replaced, too."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path

import pytest

from deployments.calls import call_retries
from deployments.errors import ReplicaDied
from deployments.ingress.operations.callers import ANONYMOUS_CALLER
from deployments.ingress.operations.conversions import Conversions, ended
from deployments.ingress.operations.submission import Upload
from deployments.values.jobs import Job, Options
from tests.deployments.ingress.facades.taken_jobs import TakenJobs, services_of

NAMESPACE = ANONYMOUS_CALLER.namespace


async def submitted(conversions: Conversions) -> list[Job]:
    def options_of(document_id: str) -> Options:
        return Options.model_validate({"document_id": document_id, "cancel_on_disconnect": True})

    upload = Upload("a.pdf", "application/pdf", io.BytesIO(b"%PDF-1.4"))
    return await conversions.submitted([upload], options_of, ANONYMOUS_CALLER)


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_retries, "REPLACEMENT_PAUSE_S", 0)


def test_jobs_are_waited_for_until_all_have_ended(tmp_path: Path):
    """Guards against an end that comes with the first heartbeat, and against a call that a replacement fails."""

    async def scenario() -> tuple[list[Job], list[float]]:
        jobs = TakenJobs(num_deaths=1)
        services = await asyncio.to_thread(services_of, jobs, tmp_path, heartbeat_s=3)
        waiting = asyncio.ensure_future(ended(services, await submitted(Conversions(services)), NAMESPACE))
        await jobs.until_waits(2)
        jobs.let.set()
        return await waiting, jobs.waits

    jobs, waits = asyncio.run(scenario())
    assert [job.done for job in jobs] == [True]
    assert waits == [3, 3]


def test_a_wait_for_some_seconds_outlives_a_replacement_within_them(tmp_path: Path):
    """Guards against a call that fails, and whose work is deleted, since Jobs was replaced once."""

    async def scenario() -> list[Job]:
        jobs = TakenJobs(num_deaths=2)
        services = await asyncio.to_thread(services_of, jobs, tmp_path)
        conversions = Conversions(services)
        job_ids = [job.id for job in await submitted(conversions)]
        jobs.let.set()
        return await conversions.jobs(job_ids, NAMESPACE, 60)

    assert [job.done for job in asyncio.run(scenario())] == [True]


def test_a_look_without_a_wait_says_that_jobs_is_replaced(tmp_path: Path):
    """Guards against a poll that waits where its client asked for no wait."""

    async def scenario() -> list[Job]:
        jobs = TakenJobs(num_deaths=1)
        services = await asyncio.to_thread(services_of, jobs, tmp_path)
        conversions = Conversions(services)
        job_ids = [job.id for job in await submitted(conversions)]
        return await conversions.jobs(job_ids, NAMESPACE, 0)

    with pytest.raises(ReplicaDied):
        asyncio.run(scenario())
