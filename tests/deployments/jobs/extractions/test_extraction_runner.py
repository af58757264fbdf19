"""`extraction_runner`: callers that leave, documents that go, and servers that stop and start again."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from deployments.errors import UnknownJob
from deployments.jobs.extractions.extraction_runner import MAX_ATTEMPTS, ExtractionRunner, Progress
from deployments.values.jobs import ExtractionPlan, ExtractionSubmission, Job
from tests.deployments.gated_work import GatedWork, Uploading, ended, held, run, upload


class GatedExtract:
    """Extracts nothing, when it is let."""

    def __init__(self) -> None:
        self.attempts: list[int] = []
        self.entered, self.gate = asyncio.Event(), asyncio.Event()

    async def __call__(self, plan: ExtractionPlan, progress: Progress) -> dict[str, Any]:
        self.attempts.append(plan.attempt)
        self.entered.set()
        await self.gate.wait()
        return {}


def extraction_runner(runner: Uploading, extract: GatedExtract) -> ExtractionRunner:
    return ExtractionRunner(runner._store, runner.stored, extract, max_running=1, max_unfinished=10)


def submission_of(job: Job) -> ExtractionSubmission:
    return ExtractionSubmission(document_id=job.document_id, job_id=job.id, revision=1, schema_={})


def test_a_client_that_drops_in_submit_leaves_an_extraction_that_runs_or_none(database: str) -> None:
    """Guards against a row that no life of this server takes up, and whose followers never wait."""

    async def scenario(runner: Uploading) -> str:
        job, extract = await ended(runner, upload()), GatedExtract()
        extractions = extraction_runner(runner, extract)
        committing, leave = held(runner._store, "change")
        submitting = asyncio.create_task(extractions.submit(submission_of(job)))
        await committing.wait()
        submitting.cancel()
        await asyncio.gather(submitting, return_exceptions=True)
        leave.set()
        await asyncio.wait_for(extract.entered.wait(), 5)
        extract.gate.set()
        (extraction_id,) = extractions._running
        return (await extractions.wait(extraction_id, 5)).status

    assert run(database, GatedWork(), scenario) == "succeeded"


def test_a_document_that_was_forgotten_meanwhile_is_unknown(database: str) -> None:
    """Guards against an internal error for a document that another call removes."""

    async def scenario(runner: Uploading) -> None:
        job = await ended(runner, upload())
        await runner.forget("default", job.document_id)
        with pytest.raises(UnknownJob):
            await extraction_runner(runner, GatedExtract()).submit(submission_of(job))

    run(database, GatedWork(), scenario)


def test_who_follows_one_that_nobody_runs_waits(database: str) -> None:
    """Guards against a stream of events that asks the database without a pause."""

    async def scenario(runner: Uploading) -> None:
        job, extract = await ended(runner, upload()), GatedExtract()
        extractions = extraction_runner(runner, extract)
        extraction = await extractions.submit(submission_of(job))
        await extract.entered.wait()
        elsewhere = extraction_runner(runner, extract)
        following = asyncio.create_task(elsewhere.follow(extraction.id, ("running", 0), 3600))
        finished, _ = await asyncio.wait({following}, timeout=0.5)
        assert not finished
        following.cancel()
        assert (await elsewhere.follow(extraction.id, ("running", 0), 0.01)).status == "running"
        await extractions.close()

    run(database, GatedWork(), scenario)


def test_a_clean_stop_is_no_attempt_and_a_crash_is_one(database: str) -> None:
    """Guards against an extraction that is lost because the server was updated three times."""

    async def scenario(runner: Uploading) -> None:
        job, extract = await ended(runner, upload()), GatedExtract()
        extractions = extraction_runner(runner, extract)
        extraction = await extractions.submit(submission_of(job))
        for _ in range(MAX_ATTEMPTS + 2):
            await asyncio.wait_for(extract.entered.wait(), 5)
            await extractions.close()
            assert (await extractions.extraction(extraction.id)).status == "queued"
            extract.entered.clear()
            extractions = extraction_runner(runner, extract)
            await extractions.start()
        await asyncio.wait_for(extract.entered.wait(), 5)
        assert set(extract.attempts) == {1}
        crashed = [extractions]  # nobody closes them: their lives end in the middle
        for _ in range(MAX_ATTEMPTS):
            extract.entered.clear()
            crashed.append(extraction_runner(runner, extract))
            await crashed[-1].start()
            if len(crashed) <= MAX_ATTEMPTS:
                await asyncio.wait_for(extract.entered.wait(), 5)
        lost = await crashed[-1].wait(extraction.id, 5)
        assert lost.error is not None
        assert lost.error.code == "replica_lost"
        assert extract.attempts[-MAX_ATTEMPTS:] == list(range(1, MAX_ATTEMPTS + 1))
        for one in crashed:
            await one.close()

    run(database, GatedWork(), scenario)
