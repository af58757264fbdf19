"""`deployments.jobs.deployment`: a start that fails half way is repeated from there."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from configs import Settings
from deployments.errors import DatabaseAway, DatabaseDamaged, UnknownJob
from deployments.jobs import deployment
from deployments.jobs.store.store import JobStore
from tests.deployments.gated_work import GatedWork
from tests.deployments.test_full_disk import NoMeters


@pytest.fixture
def close(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[deployment.Jobs], Awaitable[None]]]:
    """Jobs are as without a cluster, and end by this call: Python, too, calls `__del__`, and does not await it."""
    close = deployment.Jobs.__del__
    monkeypatch.setattr(deployment.Jobs, "__del__", lambda _: None)
    monkeypatch.setattr(deployment, "GraphWork", lambda *_, **__: GatedWork())
    monkeypatch.setattr(deployment, "JobMetrics", NoMeters)
    monkeypatch.setattr(deployment.Jobs, "_write_server_file", lambda _: None)
    yield close
    gc.collect()


@pytest.mark.parametrize("damage", ["header", "schema", "all"])
def test_a_damaged_database_is_named_by_every_call(
    tmp_path: Path, damage: str, close: Callable[[deployment.Jobs], Awaitable[None]]
) -> None:
    """The constructor failed for ever: `/readyz` said that the jobs were starting, and a job got no answer at all."""
    settings = Settings(data_dir=tmp_path)
    store = JobStore(settings.jobs_url, max_unfinished=9)
    store.acquire(10)
    store.close()
    file = tmp_path / "jobs.sqlite"
    content = bytearray(file.read_bytes())
    first, last = {"header": (0, 64), "schema": (100, 4096), "all": (0, len(content))}[damage]
    content[first:last] = bytes(7) * (last - first)
    file.write_bytes(content)

    async def main() -> None:
        jobs = await asyncio.to_thread(deployment.Jobs, settings, None)  # type: ignore[arg-type]
        await jobs.check_health()  # a replica that is replaced for ever can name nothing
        for call in (jobs.about, lambda: jobs.job("job_1"), jobs.check_room):
            with pytest.raises(DatabaseDamaged):
                await call()
        await close(jobs)

    asyncio.run(main())


def test_a_start_that_fails_after_the_runner_does_not_start_the_runner_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, close: Callable[[deployment.Jobs], Awaitable[None]]
) -> None:
    """Guards against twice as many workers, and against jobs whose attempt is no longer the latest."""
    starts: list[str] = []
    runner_start, folder_take = deployment.JobRunner.start, deployment.GraphLock.take

    async def counted(self: deployment.JobRunner) -> None:
        starts.append("runner")
        await runner_start(self)

    def away_once(self: deployment.GraphLock) -> None:
        starts.append("folder")
        if starts.count("folder") == 2:  # the first is of the constructor
            raise DatabaseAway("the folder does not answer")
        folder_take(self)

    monkeypatch.setattr(deployment.JobRunner, "start", counted)
    monkeypatch.setattr(deployment.GraphLock, "take", away_once)

    async def main() -> None:
        jobs = await asyncio.to_thread(deployment.Jobs, Settings(data_dir=tmp_path), None)  # type: ignore[arg-type]
        await jobs.check_health()
        with pytest.raises(DatabaseAway, match="does not answer"):
            await jobs.check_room()
        await jobs.check_health()
        await jobs.check_room()
        await jobs.check_health()
        await close(jobs)

    asyncio.run(main())
    assert starts == ["folder", "runner", "folder", "folder"]


def test_while_another_server_owns_the_jobs_checks_end_and_only_reads_are_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, close: Callable[[deployment.Jobs], Awaitable[None]]
) -> None:
    """A check that waited for the lease held up reads, and the end of the old server that another cluster waits for."""
    monkeypatch.setattr(deployment, "MAX_START_WAIT_S", 0.01)
    settings = Settings(data_dir=tmp_path)
    other = JobStore(settings.jobs_url, max_unfinished=9)

    async def main() -> None:
        jobs = await asyncio.to_thread(deployment.Jobs, settings, None)  # type: ignore[arg-type]
        await asyncio.to_thread(other.acquire, 0.5)
        await jobs.check_health()
        for call in (jobs.check_room, lambda: jobs.wait("job_1")):
            with pytest.raises(DatabaseAway):
                await call()
        with pytest.raises(UnknownJob):
            await jobs.job("job_1")
        monkeypatch.setattr(deployment, "MAX_START_WAIT_S", 60)
        await jobs.check_health()
        await jobs.check_room()
        await close(jobs)

    asyncio.run(main())
    other.close()
