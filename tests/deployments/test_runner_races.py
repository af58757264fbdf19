"""`deployments.jobs.runner`: callers that leave, uploads that meet, servers that start again."""

import asyncio
import io
import logging
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import update
from sqlalchemy.exc import OperationalError

from deployments.errors import DatabaseAway, IdempotencyConflict, QueueFull
from deployments.jobs.ingestion import IngestionLimits
from deployments.jobs.store.database_schema import connect, jobs
from deployments.jobs.store.store import JobStore
from deployments.storage.folder_blobs import FolderBlobs
from deployments.values.jobs import Job
from documents.errors import PageFailed
from tests.deployments.gated_work import GatedExtract, GatedWork, Uploading, blobs_of, ended, held, run, upload

LIMITS = IngestionLimits(max_pages_in_flight=2, page_attempts=2)


def test_a_client_that_drops_in_submit_leaves_a_job_that_runs_or_none(database: str) -> None:
    """Guards against a row that no life of this server takes up, and that answers for its bytes for ever."""
    work = GatedWork()

    async def scenario(runner: Uploading) -> Job:
        staged = await asyncio.to_thread(runner._blobs.stage, io.BytesIO(b"a"))
        committing, leave = held(runner._store, "submit")
        submission = asyncio.create_task(runner.submit(upload(), staged))
        await committing.wait()
        submission.cancel()
        leave.set()
        await asyncio.gather(submission, return_exceptions=True)
        return await ended(runner, upload())

    assert run(database, work, scenario).status == "succeeded"


def test_a_cancel_whose_caller_leaves_is_done_all_the_same(database: str) -> None:
    """Guards against a job that is cancelled in the database and runs on in memory."""
    work = GatedWork()

    async def scenario(runner: Uploading) -> int:
        work.gate = asyncio.Event()
        committing, leave = held(runner._store, "finish")
        job = await runner.take(upload())
        await work.entered.wait()
        cancellation = asyncio.create_task(runner.cancel(job.id))
        await committing.wait()
        cancellation.cancel()
        leave.set()
        await runner.watch.wait(job.id, 20)
        assert (await runner.watch.job(job.id)).status == "cancelled"
        return runner.num_unfinished

    assert run(database, work, scenario) == 0
    assert work.cancelled == [1]
    assert work.indexed == []


def test_an_older_revision_does_not_overwrite_the_newer_in_the_index(database: str) -> None:
    """Guards against a slow first upload that ends after the second and takes its place."""
    work = GatedWork()

    async def scenario(runner: Uploading) -> list[str]:
        work.gate = asyncio.Event()
        first = await runner.take(upload("a", document_id="d"))
        await work.entered.wait()
        second = await runner.take(upload("b", document_id="d"))
        work.gate.set()
        jobs = [await runner.watch.wait(job.id, 20) for job in (second, first)]
        return [warning.code for warning in jobs[1].warnings]

    assert run(database, work, scenario, max_pages_in_flight=1) == ["superseded"]
    assert work.indexed == [2]


def test_equal_uploads_at_once_are_one_job_that_is_done_once(database: str) -> None:
    """Guards against pages that are read thrice, and a job that ends while one of them is still being read."""
    work = GatedWork(2)

    async def scenario(runner: Uploading) -> Job:
        jobs = await asyncio.gather(*(runner.take(upload()) for _ in range(3)))
        assert len({job.id for job in jobs}) == 1
        return await runner.watch.wait(jobs[0].id, 20)

    assert run(database, work, scenario, max_pages_in_flight=8).status == "succeeded"
    assert sorted(number for _, number in work.calls) == [1, 2]


def test_a_page_that_the_server_never_survives_is_given_up(database: str) -> None:
    """Guards against a page that takes the whole machine down, again and again."""

    async def first_life(runner: Uploading) -> None:
        await runner.take(upload())
        await lives[0].entered.wait()

    async def at_last(runner: Uploading) -> Job:
        (job,) = await runner.watch.jobs("default", 10, None)
        return await runner.watch.wait(job.id, 20)

    lives = [GatedWork() for _ in range(4)]  # twice the page's attempts
    for work in lives:
        work.gate = asyncio.Event()
    run(database, lives[0], first_life)
    for work in lives[1:]:
        run(database, work, lambda _, entered=work.entered: entered.wait())
    last = GatedWork()
    job = run(database, last, at_last)
    assert [page.error.code for page in job.pages if page.error] == ["replica_lost"]
    assert last.calls == []


def test_a_refused_upload_leaves_no_blob(database: str) -> None:
    """Guards against a disk that fills with what was refused."""
    work = GatedWork()

    async def scenario(runner: Uploading) -> None:
        work.gate = asyncio.Event()
        await runner.take(upload("a", key="k"))
        with pytest.raises(IdempotencyConflict):
            await runner.take(upload("b", key="k"))
        with pytest.raises(QueueFull):
            await runner.take(upload("c"))

    run(database, work, scenario, max_queued_jobs=1)
    assert blobs_of(database) == ["a"]


def test_a_partial_job_is_tried_anew(database: str) -> None:
    """Guards against a passing fault that sticks to the bytes for ever."""
    work = GatedWork(2)
    work.troubles = {2: [PageFailed("cannot be drawn")]}

    async def scenario(runner: Uploading) -> list[str]:
        return [(await ended(runner, upload())).status for _ in range(2)]

    assert run(database, work, scenario) == ["partial", "succeeded"]


def test_a_deadline_counts_from_the_upload_also_after_a_restart(database: str) -> None:
    """Guards against a deadline that starts again with every life of the server."""
    work = GatedWork()

    async def first_life(runner: Uploading) -> str:
        work.gate = asyncio.Event()
        job = await runner.take(upload(deadline_s=60))
        await work.entered.wait()
        return job.id

    async def second_life(runner: Uploading) -> Job:
        return await runner.watch.wait(job_id, 20)

    job_id = run(database, work, first_life)
    engine = connect(database)
    with engine.begin() as rows:  # a minute passes while no server runs
        rows.execute(update(jobs).values(created_at=datetime.now(UTC) - timedelta(minutes=1)))
    engine.dispose()
    work.gate = asyncio.Event()
    job = run(database, work, second_life)
    assert job.error is not None
    assert job.error.code == "deadline_exceeded"


def test_a_start_that_fails_once_may_be_repeated_and_leaves_nothing_twice(database: str) -> None:
    """Guards against two tasks that keep the lease after a database that was away for a moment."""

    store = JobStore(database, max_unfinished=10)
    blobs = FolderBlobs(Path(database.removeprefix("sqlite:///")).parent / "blobs")

    async def scenario() -> tuple[int, str]:
        runner = Uploading(store, blobs, GatedWork(1), GatedExtract(), LIMITS, max_queued_jobs=10)
        resume = store.resume
        store.resume = failing
        with pytest.raises(DatabaseAway):
            await runner.start()
        store.resume = resume
        await runner.start()
        try:
            return len(runner._tasks._detached), (await ended(runner, upload())).status
        finally:
            await runner.close()

    def failing() -> None:
        raise OperationalError("select", {}, sqlite3.OperationalError("away"))

    num_tasks, status = asyncio.run(scenario())
    assert (num_tasks, status) == (
        3 + LIMITS.max_pages_in_flight + 1,
        "succeeded",
    )  # beside those that keep the lease, sweep, drop blobs and extract


def test_who_waits_for_a_job_is_woken_when_another_server_takes_it(database: str) -> None:
    """Guards against clients that sleep until their timeout after the jobs have gone to another owner."""

    async def scenario(runner: Uploading) -> str:
        runner._ingestion._work.gate = asyncio.Event()
        job = await runner.take(upload(deadline_s=3600))
        await runner._ingestion._work.entered.wait()
        running = runner._ingestion.lane.running[job.id]
        waiting = asyncio.create_task(runner.watch.wait(job.id, 3600))
        await asyncio.sleep(0)
        runner._tasks.lose()
        status = (await waiting).status
        assert running.timer is not None
        assert running.timer.cancelled()
        return status

    assert run(database, GatedWork(1), scenario) == "running"


def test_a_job_that_has_ended_is_logged_once(database: str, caplog: pytest.LogCaptureFixture) -> None:
    """Guards against a log that says `cancelled` of a job that succeeded."""
    caplog.set_level(logging.INFO, "ray.serve")

    async def scenario(runner: Uploading) -> str:
        job = await ended(runner, upload())
        return (await runner.cancel(job.id)).status

    assert run(database, GatedWork(1), scenario) == "succeeded"
    lines = [record.message for record in caplog.records if record.message.startswith("job ")]
    assert [line.split(": ")[1].split()[0] for line in lines] == ["succeeded"]


def test_a_clock_that_was_set_back_does_not_lengthen_a_deadline(database: str) -> None:
    """Guards against a job that fails an hour late since the clock was set back by one."""

    async def scenario(runner: Uploading) -> float:
        runner._ingestion._work.gate = asyncio.Event()
        job = await runner.take(upload(deadline_s=100))
        plan = runner._ingestion.lane.running[job.id].plan
        ahead = plan.model_copy(update={"job_id": "later", "created_at": plan.created_at + timedelta(hours=1)})
        runner._ingestion.add(ahead)
        timer = runner._ingestion.lane.running.pop("later").timer
        assert timer is not None
        timer.cancel()
        runner._ingestion.lane.queue.drop("later")
        return timer.when() - asyncio.get_running_loop().time()

    assert run(database, GatedWork(1), scenario) <= 100
