"""`deployments.jobs.attached_documents`: attachments of a mail become jobs that are linked to it, and are bounded."""

from __future__ import annotations

import asyncio
import hashlib
import threading

import pytest

from deployments.errors import Busy, UnknownDocument, UnknownJob
from deployments.jobs.attached_documents import MAX_DEPTH, STEP
from deployments.storage.folder_blobs import FolderBlobs
from deployments.values.jobs import Job, Plan
from deployments.values.staged_blob import StagedBlob
from documents.errors import PageFailed
from documents.values import Attachment, Opened
from tests.deployments.gated_work import GatedWork, Uploading, blobs_of, ended, held, run, upload

FILES = {"notes.txt": b"some words", "more.csv": b"a,b\n1,2\n", "b.bin": b"\x00\x01\x02"}


async def attachments_of(runner: Uploading, job: Job) -> tuple[Plan, tuple[Attachment, ...]]:
    plan, opened, _ = await runner.watch.facts(job.id)
    return plan, opened.attachments


def test_attachments_become_jobs_only_where_the_caller_wants_it(database: str) -> None:
    """Guards against mail whose attachments are indexed twice."""
    work = GatedWork()
    work.attachments = FILES

    async def scenario(runner: Uploading) -> list[Job]:
        await ended(runner, upload("mail"))
        return await runner.watch.jobs("default", 10, None)

    assert [job.file_name for job in run(database, work, scenario)] == ["mail"]


def test_each_attachment_that_is_read_is_a_linked_document(database: str) -> None:
    """Guards against attachments that nobody can find from their mail, or whose mail nobody can find from them."""
    work = GatedWork()
    work.attachments = FILES

    async def scenario(runner: Uploading) -> None:
        work_open = work.open

        async def opened(plan: Plan) -> Opened:  # the attachments have none of their own
            return await work_open(plan) if STEP not in plan.document_id else Opened(num_pages=1)

        work.open = opened
        job = await ended(runner, upload("mail", attachments="documents", document_id="m", metadata={"box": "in"}))
        plan, attachments = await attachments_of(runner, job)
        assert [(one.name, one.document_id) for one in attachments] == [
            ("notes.txt", f"m{STEP}1"),
            ("more.csv", f"m{STEP}2"),
            ("b.bin", None),
        ]
        for one in attachments[:2]:
            assert one.job_id is not None
            child = await runner.watch.wait(one.job_id, 100)
            assert (child.status, child.document_id, child.file_name) == ("succeeded", one.document_id, one.name)
            child_plan = await runner.watch.plan(child.id)
            assert child_plan.options.metadata == {"box": "in", "attached_to": "m", "attachment": one.name}
        assert plan.options.metadata == {"box": "in"}
        again = await ended(runner, upload("mail", attachments="documents", document_id="m", metadata={"box": "in"}))
        assert again.id == job.id
        assert len(await runner.watch.jobs("default", 10, None)) == 3

    run(database, work, scenario)


def test_mails_within_mails_are_documents_so_deep_and_no_deeper(database: str) -> None:
    """Guards against a mail that holds itself."""
    work = GatedWork()
    work.attachments = {"inner.txt": b"words"}  # of each document that is opened, for ever
    opened = work.open

    async def by_options(plan: Plan) -> Opened:
        return await opened(plan) if plan.options.attachments == "documents" else Opened(num_pages=1)

    work.open = by_options

    async def scenario(runner: Uploading) -> int:
        job = await ended(runner, upload("mail", attachments="documents"))
        for _ in range(MAX_DEPTH):
            _, attachments = await attachments_of(runner, job)
            assert attachments[0].job_id is not None
            job = await runner.watch.wait(attachments[0].job_id, 100)
        return len(await runner.watch.jobs("default", 100, None))

    assert run(database, work, scenario) == 1 + MAX_DEPTH


@pytest.mark.parametrize("trouble", ["room", "bytes"])
def test_an_attachment_that_becomes_no_job_is_reported(database: str, trouble: str) -> None:
    """Guards against a mail that fails for its attachment, and against one that is lost without a word."""
    work = GatedWork()
    work.attachments = {"notes.txt": b"some words"}
    work.troubles = {-3: [PageFailed("damaged")]} if trouble == "bytes" else {}
    limits = {"max_queued_jobs": 1} if trouble == "room" else {}

    async def scenario(runner: Uploading) -> Job:
        job = await ended(runner, upload("mail", attachments="documents"))
        _, (attachment,) = await attachments_of(runner, job)
        assert (attachment.name, attachment.job_id) == ("notes.txt", None)
        return job

    assert run(database, work, scenario, **limits).status == "partial"


def test_attachments_count_as_jobs_of_their_key_also_after_a_restart(database: str) -> None:
    """Guards against a mail of a thousand attachments past the quota of its key."""
    work = GatedWork()
    work.attachments = {"1.txt": b"one", "2.txt": b"two"}

    async def first(runner: Uploading) -> None:
        work.troubles = {0: [Busy("x")] * 100}
        mail = upload("mail", attachments="documents").model_copy(update={"max_unfinished": 2})
        await runner.take(mail)

    async def second(runner: Uploading) -> tuple[int, list[str]]:
        work.troubles = {}
        work.gate = asyncio.Event()
        (job,) = await runner.watch.jobs("default", 10, None)
        await work.entered.wait()
        num_jobs = len(await runner.watch.jobs("default", 10, None))
        work.gate.set()
        await runner.watch.wait(job.id, 100)
        _, opened, _ = await runner.watch.facts(job.id)
        return num_jobs, [warning.code for warning in opened.warnings]

    run(database, work, first)
    assert run(database, work, second) == (2, ["attachment_unread"])


@pytest.mark.parametrize("metadata", [{f"n{n}": "x" for n in range(50)}, {"long": "x" * 8100}])
def test_a_mail_whose_metadata_has_no_room_for_the_link_keeps_its_attachment_out(
    database: str, metadata: dict[str, str]
) -> None:
    """Guards against a row of options that nobody can read again: the server never started after it."""
    work = GatedWork()
    work.attachments = {"notes.txt": b"some words"}

    async def scenario(runner: Uploading) -> tuple[str, list[str]]:
        job = await ended(runner, upload("mail", attachments="documents", metadata=metadata))
        _, opened, _ = await runner.watch.facts(job.id)
        assert len(await runner.watch.jobs("default", 10, None)) == 1
        return job.status, [warning.code for warning in opened.warnings]

    assert run(database, work, scenario) == ("partial", ["attachment_unread"])


def test_a_mail_that_is_cancelled_in_submit_leaves_an_attachment_that_runs_or_none(database: str) -> None:
    """Guards against a row that no life of this server takes up."""
    work = GatedWork()
    work.attachments = {"notes.txt": b"some words"}

    async def scenario(runner: Uploading) -> list[str]:
        job = await runner.take(upload("mail", attachments="documents", document_id="m"))
        committing, leave = held(runner._store, "submit")
        await committing.wait()
        cancelling = asyncio.create_task(runner.cancel(job.id))
        for _ in range(20):  # until the step has been cancelled, as far as it can be
            await asyncio.sleep(0)
        steps = list(runner._ingestion.lane.running[job.id].calls)
        for step in steps:
            step.cancel()
        await asyncio.gather(*steps, return_exceptions=True)
        leave.set()
        await cancelling
        attached: list[Job] = []
        async with asyncio.timeout(20):
            while not attached or not all(one.done for one in attached):
                attached = [one for one in await runner.watch.jobs("default", 10, None) if one.id != job.id]
                await asyncio.sleep(0.01)
        return [one.status for one in attached]  # the attachment has its own, too

    assert set(run(database, work, scenario)) == {"succeeded"}


def test_a_mail_that_is_forgotten_takes_its_attachments_along(database: str) -> None:
    """Guards against letters that stay in the index when the mail that brought them was deleted."""
    work = GatedWork()
    work.attachments = FILES

    async def scenario(runner: Uploading) -> list[Job]:
        job = await ended(runner, upload("mail", attachments="documents", document_id="m"))
        _, attachments = await attachments_of(runner, job)  # with them the queue may be full
        await asyncio.gather(*(runner.watch.wait(one.job_id, 100) for one in attachments if one.job_id))
        await ended(runner, upload("other", document_id=f"m{STEP.rstrip('s/')}"))
        await ended(runner, upload("named so", document_id=f"m{STEP}notes"))
        await runner.forget("default", "m")
        with pytest.raises(UnknownDocument):
            await runner.forget("default", f"m{STEP}1")
        return await runner.watch.jobs("default", 100, None)

    left = run(database, work, scenario)
    assert [job.document_id for job in left] == [f"m{STEP}notes", f"m{STEP.rstrip('s/')}"]


def test_attachments_of_a_mail_with_a_long_id_go_along_too(database: str) -> None:
    """Guards against attachments that stay because their ids had no room for that of their mail."""
    work = GatedWork()
    work.attachments = {"notes.txt": b"some words"}

    async def scenario(runner: Uploading) -> list[Job]:
        job = await ended(runner, upload("mail", attachments="documents", document_id="m" * 200))
        _, (attachment,) = await attachments_of(runner, job)
        assert attachment.job_id is not None
        await runner.watch.wait(attachment.job_id, 100)
        await runner.forget("default", "m" * 200)
        return await runner.watch.jobs("default", 100, None)

    assert run(database, work, scenario) == []


def test_what_a_mail_submits_while_it_is_forgotten_goes_along(database: str) -> None:
    """Guards against an attachment that is submitted after the look at what is attached."""
    work = GatedWork()
    work.attachments = {"notes.txt": b"some words"}

    async def scenario(runner: Uploading) -> list[Job]:
        await runner.take(upload("mail", attachments="documents", document_id="m"))
        committing, leave = held(runner._store, "submit")
        await committing.wait()
        forgetting = asyncio.create_task(runner.forget("default", "m"))
        await asyncio.sleep(0)
        leave.set()
        await forgetting
        return await runner.watch.jobs("default", 100, None)

    assert run(database, work, scenario) == []


def test_an_attachment_that_is_stored_while_its_mail_is_forgotten_becomes_no_job(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards against a letter in the index whose mail was deleted: its row came after the look at what is attached."""
    work = GatedWork()
    work.attachments = {"notes.txt": b"some words"}
    keeping, leave, keep = threading.Event(), threading.Event(), FolderBlobs.keep

    def slow(blobs: FolderBlobs, staged: StagedBlob) -> None:
        keep(blobs, staged)
        if staged.sha256 == hashlib.sha256(b"some words").hexdigest():
            keeping.set()
            assert leave.wait(60)

    async def scenario(runner: Uploading) -> list[Job]:
        await runner.take(upload("mail", attachments="documents", document_id="m"))
        assert await asyncio.to_thread(keeping.wait, 60)
        tasks = {task for task in asyncio.all_tasks() if "_submitted" in repr(task)}
        assert len(tasks) == 1
        await runner.forget("default", "m")
        leave.set()
        (outcome,) = await asyncio.gather(*tasks, return_exceptions=True)
        assert isinstance(outcome, UnknownJob)
        return await runner.watch.jobs("default", 100, None)

    monkeypatch.setattr(FolderBlobs, "keep", slow)
    assert run(database, work, scenario) == []
    assert blobs_of(database) == []
