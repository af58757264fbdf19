"""`deployments.jobs.deployment`: a start that fails half way is repeated from there."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from configs import Settings
from deployments.errors import DatabaseAway
from deployments.jobs import deployment
from tests.deployments.gated_work import GatedWork
from tests.deployments.test_full_disk import NoMeters


def test_a_start_that_fails_after_the_runner_does_not_start_the_runner_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards against twice as many workers, and against jobs whose attempt is no longer the latest."""
    monkeypatch.setattr(deployment, "GraphWork", lambda *_: GatedWork())
    monkeypatch.setattr(deployment, "JobMetrics", NoMeters)
    monkeypatch.setattr(deployment.Jobs, "_tell_where", lambda _: None)
    close = deployment.Jobs.__del__
    monkeypatch.setattr(deployment.Jobs, "__del__", lambda _: None)  # Python, too, calls it, and does not await it
    starts: list[str] = []
    runner_start = deployment.JobRunner.start
    extractions_start = deployment.ExtractionRunner.start

    async def counted(self: deployment.JobRunner) -> None:
        starts.append("runner")
        await runner_start(self)

    async def away_once(self: deployment.ExtractionRunner) -> None:
        starts.append("extractions")
        if starts.count("extractions") == 1:
            raise DatabaseAway("the job database does not answer")
        await extractions_start(self)

    monkeypatch.setattr(deployment.JobRunner, "start", counted)
    monkeypatch.setattr(deployment.ExtractionRunner, "start", away_once)

    async def main() -> None:
        jobs = await asyncio.to_thread(deployment.Jobs, Settings(data_dir=tmp_path), None)  # type: ignore[arg-type]
        with pytest.raises(DatabaseAway):
            await jobs.start()
        await jobs.start()
        await jobs.start()
        await close(jobs)

    asyncio.run(main())
    assert starts == ["runner", "extractions", "extractions"]
