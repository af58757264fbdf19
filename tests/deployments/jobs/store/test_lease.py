"""`deployments.jobs.store.lease`: two servers on one database, of which one works."""

from __future__ import annotations

import asyncio

import pytest

from deployments.jobs.store import lease
from deployments.jobs.store.lease import LeaseLost
from deployments.jobs.store.store import JobStore
from tests.deployments.gated_work import GatedWork, Uploading, ended, run, upload


@pytest.fixture
def two(database: str):
    stores = [JobStore(database, max_unfinished=10) for _ in range(2)]
    yield stores
    for store in stores:
        store.close()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """What leases take for the time, in seconds: `wall` may be set, `monotonic` only grows."""
    clock = {"wall": 10_000.0, "monotonic": 50.0}
    for name, read in (("wall", "time"), ("monotonic", "monotonic")):
        monkeypatch.setattr(lease.time, read, lambda name=name: clock[name])
    return clock


def test_only_the_owner_changes_jobs(two: list[JobStore]) -> None:
    """Guards against an old and a new server that both work on the same jobs."""
    first, second = two
    assert first.acquire(60) == 0
    assert 0 < second.acquire(60) <= 60
    with pytest.raises(LeaseLost):
        second.submit(upload())
    assert first.submit(upload())[1]
    assert second.records.jobs("default"), "anyone may look"


def test_a_lease_that_has_run_out_is_taken_and_its_old_owner_shut_out(two: list[JobStore]) -> None:
    """Guards against a server that was stopped for a while, comes back, and overwrites what the next one did."""
    first, second = two
    assert first.acquire(-1) == 0
    assert second.acquire(60) == 0
    with pytest.raises(LeaseLost):
        first.submit(upload())
    with pytest.raises(LeaseLost):
        first.renew()
    assert first.records.jobs("default") == []


def test_an_owner_whose_lease_may_run_out_at_once_does_not_say_which_bytes_nobody_wants(
    two: list[JobStore], clock: dict[str, float]
) -> None:
    """Guards against bytes that it drops when another owner has a job for them."""
    first, _ = two
    assert first.acquire(60) == 0
    clock["wall"] += 39
    assert first.is_unwanted("a" * 64)
    clock["wall"] += 2
    with pytest.raises(LeaseLost):
        first.is_unwanted("a" * 64)
    first.renew()
    assert first.is_unwanted("a" * 64)


def test_a_lease_that_is_given_back_is_free_at_once(two: list[JobStore]) -> None:
    """Guards against a restart that waits for its own predecessor, which is gone."""
    first, second = two
    first.acquire(60)
    first.close()
    assert second.acquire(60) == 0


def test_a_runner_waits_for_the_lease_and_then_works(database: str) -> None:
    """Guards against a new server that gives up, or works beside the old one."""
    old = JobStore(database, max_unfinished=10)
    old.acquire(0.3)
    job = run(database, GatedWork(), lambda runner: ended(runner, upload()), lease_s=5)
    assert job.status == "succeeded"
    with pytest.raises(LeaseLost):
        old.renew()
    old.close()


def test_a_runner_that_lost_the_lease_stops_and_says_so(database: str) -> None:
    """Guards against two servers that do the same pages, and against one that looks healthy and does nothing."""
    work = GatedWork()

    async def scenario(runner: Uploading) -> bool:
        work.gate = asyncio.Event()
        await runner.take(upload())
        await work.entered.wait()
        other = await asyncio.to_thread(JobStore, database, max_unfinished=10)
        runner._store._lease._lease_s = -1  # as if this process had stood still
        await runner._stored(runner._store.renew)
        assert await asyncio.to_thread(other.acquire, 60) == 0
        await work.left.wait()
        await asyncio.to_thread(other.close)
        return runner.healthy

    assert run(database, work, scenario, lease_s=0.3) is False
    assert work.cancelled == [1]


def test_a_lease_from_before_the_clock_was_set_back_runs_out_by_the_monotonic_clock(
    two: list[JobStore], clock: dict[str, float], caplog: pytest.LogCaptureFixture
) -> None:
    """Guards against a server that after a crash stands still for an hour, without a word, since its clock was set."""
    first, second = two
    assert first.acquire(10) == 0
    clock["wall"] -= 3600  # and the first is gone
    assert second.acquire(10) == 10
    assert "the clock was set back" in caplog.text
    clock["monotonic"] += 6
    assert second.acquire(10) == 4
    clock["monotonic"] += 4
    assert second.acquire(10) == 0


def test_an_owner_that_lives_keeps_its_lease_whatever_the_clock_says(
    two: list[JobStore], clock: dict[str, float]
) -> None:
    """Guards against two owners since one of them was taken for gone."""
    first, second = two
    assert first.acquire(10) == 0
    clock["wall"] -= 3600
    for _ in range(20):
        clock["wall"] += 3
        clock["monotonic"] += 3
        first.renew()
        assert second.acquire(10) > 0
