"""`extraction`: callers that leave, documents that go, and servers that stop and start again."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import event

from deployments.errors import UnknownDocument, UnknownJob
from deployments.jobs.extractions.extraction import MAX_STARTS
from deployments.jobs.store.lease import LeaseLost
from deployments.values.jobs import ExtractionSubmission, Job
from tests.deployments.gated_work import GatedExtract, GatedWork, Uploading, ended, held, run, upload


def submission_of(job: Job) -> ExtractionSubmission:
    return ExtractionSubmission(document_id=job.document_id, job_id=job.id, revision=1, schema_={})


def test_a_client_that_drops_in_submit_leaves_an_extraction_that_runs_or_none(database: str) -> None:
    """Guards against a row that no life of this server takes up, and whose followers never wait."""
    extract = GatedExtract()

    async def scenario(runner: Uploading) -> str:
        job = await ended(runner, upload())
        committing, leave = held(runner._store, "change")
        submitting = asyncio.create_task(runner.extract(submission_of(job)))
        await committing.wait()
        submitting.cancel()
        await asyncio.gather(submitting, return_exceptions=True)
        leave.set()
        await asyncio.wait_for(extract.entered.wait(), 5)
        (extraction_id,) = runner._extraction.lane.running
        extract.gate.set()
        return (await runner.watch.extraction(extraction_id, wait_s=5)).status

    assert run(database, GatedWork(), scenario, extract) == "succeeded"


def test_a_cancel_whose_client_leaves_ends_the_work_of_the_model(database: str) -> None:
    """Guards against a row that says `cancelled` while the model works on, its place taken and its waiters asleep."""
    extract = GatedExtract()

    async def scenario(runner: Uploading) -> tuple[str, int]:
        job = await ended(runner, upload())
        extraction = await runner.extract(submission_of(job))
        await extract.entered.wait()
        waiting = asyncio.create_task(runner.watch.extraction(extraction.id, wait_s=3600))
        committing, leave = held(runner._store, "change")
        cancelling = asyncio.create_task(runner.cancel_extraction(extraction.id))
        await committing.wait()
        cancelling.cancel()
        await asyncio.gather(cancelling, return_exceptions=True)
        leave.set()
        await asyncio.wait_for(extract.cancelled.wait(), 5)
        status = (await asyncio.wait_for(waiting, 5)).status
        return status, len(runner._extraction.lane.running)

    assert run(database, GatedWork(), scenario, extract) == ("cancelled", 0)


def test_reading_an_extraction_changes_nothing_and_needs_no_lease(database: str) -> None:
    """Guards against a poll that is a synced commit of the lease's owner, and fails on a full disk or after it."""
    extract = GatedExtract()

    async def scenario(runner: Uploading) -> list[str]:
        job = await ended(runner, upload())
        extraction = await runner.extract(submission_of(job))
        await extract.entered.wait()
        statements: list[str] = []
        event.listen(runner._store._engine, "before_cursor_execute", lambda *arguments: statements.append(arguments[2]))
        runner._store._lease._owner = "another"
        with pytest.raises(LeaseLost):
            await runner._stored(runner._store.renew)
        statements.clear()
        assert (await runner.watch.extraction(extraction.id)).status == "running"
        assert (await runner.watch.extraction_events(extraction.id, 0, 0))[0][-1].kind == "running"
        assert await runner.watch.extraction_result(extraction.id) is None
        return list(statements)

    statements = run(database, GatedWork(), scenario, extract)
    assert {statement.split()[0] for statement in statements} <= {"SELECT", "PRAGMA"}
    assert len(statements) >= 3


def test_events_tell_the_whole_extraction_and_none_is_of_its_job(database: str) -> None:
    """Guards against a stream of a job that goes on with its extractions, and against one that loses a step."""
    extract = GatedExtract()
    extract.gate.set()

    async def scenario(runner: Uploading) -> None:
        job = await ended(runner, upload())
        before, _ = await runner.watch.events(job.id, 0, 0)
        extraction = await runner.extract(submission_of(job))
        await runner.watch.extraction(extraction.id, wait_s=5)
        stored_events, over = await runner.watch.extraction_events(extraction.id, 0, 0)
        assert over
        assert [one.kind for one in stored_events] == ["queued", "running", "running", "succeeded"]
        assert [one.body["calls_done"] for one in stored_events] == [0, 0, 1, 1]
        assert {one.body["id"] for one in stored_events} == {extraction.id}
        assert await runner.watch.extraction_events(extraction.id, stored_events[1].id, 0) == (stored_events[2:], True)
        assert await runner.watch.events(job.id, 0, 0) == (before, True)

    run(database, GatedWork(), scenario, extract)


def test_a_document_that_was_forgotten_meanwhile_is_unknown(database: str) -> None:
    """Guards against an internal error for a document that another call removes, and a model that works on for it."""
    extract = GatedExtract()

    async def scenario(runner: Uploading) -> None:
        job = await ended(runner, upload())
        await runner.extract(submission_of(job))
        await extract.entered.wait()
        await runner.forget("default", job.document_id)
        assert extract.cancelled.is_set()
        with pytest.raises(UnknownJob):
            await runner.extract(submission_of(job))
        with pytest.raises(UnknownDocument):
            await runner.forget("default", job.document_id)

    run(database, GatedWork(), scenario, extract)


def test_who_follows_one_that_nobody_runs_waits(database: str) -> None:
    """Guards against a stream of events that asks the database without a pause."""
    extract = GatedExtract()

    async def scenario(runner: Uploading) -> None:
        job = await ended(runner, upload())
        extraction = await runner.extract(submission_of(job))
        await extract.entered.wait()
        stored_events, _ = await runner.watch.extraction_events(extraction.id, 0, 0)
        running = runner._extraction.lane.running.pop(extraction.id)  # as if it ran elsewhere
        following = asyncio.create_task(runner.watch.extraction_events(extraction.id, stored_events[-1].id, 3600))
        finished, _ = await asyncio.wait({following}, timeout=0.5)
        assert not finished
        following.cancel()
        runner._extraction.lane.running[extraction.id] = running

    run(database, GatedWork(), scenario, extract)


def test_an_extraction_over_which_the_server_went_down_often_is_given_up(database: str) -> None:
    """Guards against an extraction that ends every life of the server."""

    async def submitted(runner: Uploading) -> str:
        extraction = await runner.extract(submission_of(await ended(runner, upload())))
        await extract.entered.wait()
        return extraction.id

    async def taken_up(runner: Uploading) -> str:
        await extract.entered.wait()
        return (await runner.watch.extraction(extraction_id)).status

    async def given_up(runner: Uploading) -> str | None:
        lost = (await runner.watch.extraction(extraction_id, wait_s=5)).error
        return lost and lost.code

    extract = GatedExtract()
    extraction_id = run(database, GatedWork(), submitted, extract)
    for _ in range(MAX_STARTS - 1):
        extract = GatedExtract()
        assert run(database, GatedWork(), taken_up, extract) == "running"
    extract = GatedExtract()
    assert run(database, GatedWork(), given_up, extract) == "replica_lost"
    assert extract.num_calls == 0
