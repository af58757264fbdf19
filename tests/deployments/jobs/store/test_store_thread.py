"""`deployments.jobs.store.store_thread`: a database that is away for a moment costs time, and no page and no job."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from deployments.errors import Busy, DatabaseAway, DatabaseDamaged, DiskFull
from deployments.jobs.store.store import JobStore
from deployments.jobs.store.store_thread import StoreThread
from deployments.jobs.task_watch import TaskWatch
from deployments.values.jobs import Job
from tests.deployments.gated_work import GatedWork, Uploading, ended, run, upload

CHANGES = ("note", "begin", "finish_page", "finish")


def away() -> OperationalError:
    return OperationalError("UPDATE jobs", {}, Exception("server closed the connection"))


def test_calls_are_made_in_one_thread_that_is_not_the_loop_s() -> None:
    """Guards against two writers of one connection, and a loop that stands still."""

    async def scenario() -> set[int]:
        stored = StoreThread()
        try:
            return {await stored(threading.get_ident) for _ in range(3)}
        finally:
            stored.close()

    (thread,) = asyncio.run(scenario())
    assert thread != threading.get_ident()


def test_a_database_that_is_away_is_named_to_who_asks() -> None:
    """Guards against an internal error for what passes by itself."""

    def fail() -> None:
        raise away()

    async def scenario() -> None:
        stored = StoreThread()
        with pytest.raises(DatabaseAway):
            await stored(fail)
        stored.close()

    asyncio.run(scenario())


def failing(store: JobStore, *, after: bool) -> dict[str, int]:
    """Each change of the store fails once: before it is made, or after, when only its answer is lost."""
    failed: dict[str, int] = {}

    def once(name: str, call: Any) -> Any:
        def change(*args: Any, **options: Any) -> Any:
            if name in failed:
                return call(*args, **options)
            failed[name] = 1
            if after:
                call(*args, **options)
            raise away()

        return change

    for name in CHANGES:
        setattr(store, name, once(name, getattr(store, name)))
    return failed


@pytest.mark.parametrize("after", [False, True])
def test_a_commit_that_fails_for_a_moment_loses_no_page(database: str, after: bool) -> None:
    """Guards against a page that is never counted, so that its job runs for ever, or a job that fails for it."""
    work = GatedWork(2)

    async def scenario(runner: Uploading) -> tuple[Job, dict[str, int], int]:
        failed = failing(runner._store, after=after)
        job = await ended(runner, upload())
        events, _ = await runner.watch.events(job.id, 0, 0)
        return job, failed, sum(event.kind == "page" for event in events)

    job, failed, kinds = run(database, work, scenario)
    assert set(failed) == set(CHANGES)
    assert (job.status, [page.status for page in job.pages], kinds) == ("succeeded", ["succeeded"] * 2, 2)


def test_an_upload_whose_commit_was_not_told_is_worked_on_when_it_comes_again(database: str) -> None:
    """Guards against a row that no life of this server takes up, and that answers for its bytes for ever."""
    work = GatedWork()

    async def scenario(runner: Uploading) -> Job:
        store, submit = runner._store, runner._store.submit

        def cut_off(*args: Any) -> Any:
            setattr(store, "submit", submit)  # noqa: B010  a method, for its type
            submit(*args)
            raise away()

        setattr(store, "submit", cut_off)  # noqa: B010
        with pytest.raises(DatabaseAway):
            await runner.take(upload())
        return await ended(runner, upload())

    assert run(database, work, scenario).status == "succeeded"


def test_a_job_that_cannot_be_ended_makes_its_owner_unhealthy(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against a job that stays in memory, running and without work, until somebody restarts the server."""
    monkeypatch.setattr("deployments.calls.call_retries.MAX_BUSY_S", 0.0)
    work = GatedWork()

    async def scenario(runner: Uploading) -> bool:
        def fail(*_: Any, **__: Any) -> None:
            raise away()

        def lose() -> None:
            original()
            lost.set()

        original, lost = runner._tasks.lose, asyncio.Event()
        monkeypatch.setattr(runner._store, "finish", fail)
        monkeypatch.setattr(runner._store, "finish_page", fail)
        monkeypatch.setattr(runner._tasks, "lose", lose)
        await runner.take(upload())
        await asyncio.wait_for(lost.wait(), 60)
        return runner.healthy

    assert not run(database, work, scenario)


def test_a_database_without_tables_is_away_until_someone_takes_the_lease(database: str) -> None:
    """Guards against an internal error for who lists the jobs of a new server: the lease's owner makes the tables."""
    store = JobStore(database, max_unfinished=100)
    watch = TaskWatch(store.records, {}, {}, StoreThread())

    async def scenario() -> list[Job]:
        with pytest.raises(DatabaseAway):
            await watch.jobs("default", 10, None)
        await asyncio.to_thread(store.acquire, 60)
        return await watch.jobs("default", 10, None)

    assert asyncio.run(scenario()) == []
    watch.close()


def test_a_damaged_database_is_told_as_damaged_and_a_full_disk_as_full(database: str) -> None:
    """Guards against both told as "the server is full", on which nobody looks at the disk."""
    store = JobStore(database, max_unfinished=100)
    assert store.acquire(60) == 0
    for number in range(50):
        store.submit(upload(str(number), metadata={"long": "x" * 2000}))
    store._engine.dispose()
    file = Path(database.removeprefix("sqlite:///"))
    for wal in file.parent.glob(f"{file.name}-*"):
        wal.unlink()
    content = bytearray(file.read_bytes())
    for page in range(1, len(content) // 4096, 3):
        content[page * 4096 : page * 4096 + 64] = bytes(range(64))
    file.write_bytes(content)

    async def scenario() -> None:
        read = StoreThread()
        with pytest.raises(DatabaseDamaged):
            await read(lambda: store.records.jobs("default", limit=100))
        store._engine.dispose()
        read.close()

    asyncio.run(scenario())


def test_a_database_without_room_is_a_full_disk(database: str) -> None:
    """Guards against a job that fails for want of room; it waits, as for a database that is away."""
    store = JobStore(database, max_unfinished=10)
    assert store.acquire(60) == 0

    def submit() -> None:
        with store._engine.begin() as db:
            db.exec_driver_sql("PRAGMA max_page_count = 1")
            db.exec_driver_sql("CREATE TABLE more AS SELECT randomblob(100000)")

    async def scenario() -> None:
        stored = StoreThread()
        with pytest.raises(DiskFull) as raised:
            await stored(submit)
        assert isinstance(raised.value, Busy)
        stored.close()

    asyncio.run(scenario())
    store._engine.dispose()
