"""`deployments.jobs.revisions`: a new revision of a document reads what changed, and takes the rest over."""

import asyncio
import hashlib
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from deployments.jobs.store.database_schema import jobs
from deployments.values.jobs import Job, Plan
from documents.errors import PageFailed
from documents.values import Page, PageWarning
from tests.deployments.gated_work import GatedWork, Uploading, blobs_of, ended, run, upload


def sha256(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def compared(**contents: str) -> GatedWork:
    """Files whose pages say a letter each."""
    work = GatedWork(max(map(len, contents.values())))
    work.contents = {sha256(name): dict(enumerate(letters, 1)) for name, letters in contents.items()}
    return work


def sources(job: Job) -> list[int | None]:
    return [page.reused_from for page in job.pages]


async def revisions(runner: Uploading, *names: str, **options) -> list[Job]:
    return [await ended(runner, upload(name, document_id="d", **options)) for name in names]


async def page_numbers(runner: Uploading, job: Job) -> list[int]:
    texts = await runner.watch.page_texts(job.id, [page.number for page in job.pages])
    return [Page.model_validate_json(text).number for text in texts]


def test_only_pages_that_changed_are_read(database: str) -> None:
    """One page changed, one inserted, one removed: two are read, the others come under their new numbers."""
    work = compared(one="abcdef", two="aXbceF")

    async def scenario(runner: Uploading) -> tuple[list[Job], list[int]]:
        jobs = await revisions(runner, "one", "two")
        return jobs, await page_numbers(runner, jobs[1])

    (first, second), numbers = run(database, work, scenario)
    assert sources(first) == [None] * 6
    assert sources(second) == [1, None, 1, 1, 1, None]
    assert [number for job_id, number in work.calls if job_id == second.id] == [2, 6]
    assert numbers == [1, 2, 3, 4, 5, 6]
    assert work.num_reused == 4
    assert second.status == "succeeded"


def test_fingerprints_are_made_once(database: str) -> None:
    """The first revision costs nothing; what the second was compared with need not be compared again for the third."""
    work = compared(one="ab", two="aX", three="aY")
    first, second, third = run(database, work, lambda runner: revisions(runner, "one", "two", "three"))
    of = {job.id: [number for job_id, number in work.compared if job_id == job.id] for job in (first, second, third)}
    assert sorted(of[first.id]) == [1, 2]  # once, when the second came
    assert sorted(of[second.id]) == [1, 2]
    assert sorted(of[third.id]) == [1, 2]
    assert sources(third) == [2, None]


@pytest.mark.parametrize("change", ["readers", "options", "reuse_pages", "document", "namespace"])
def test_pages_that_would_be_read_otherwise_are_read(database: str, change: str) -> None:
    """Guards against a page by yesterday's model, by other options, or of somebody else's document."""
    work = compared(one="ab", two="ab")
    options = {"options": {"text_source": "ocr"}, "reuse_pages": {"reuse_pages": False}}.get(change, {})
    second = upload("two", document_id="e" if change == "document" else "d", **options)
    if change == "namespace":
        second = second.model_copy(update={"namespace": "theirs"})
    run(database, work, lambda runner: revisions(runner, "one"))
    readers = "another" if change == "readers" else ""
    job = run(database, work, lambda runner: ended(runner, second), readers=readers)
    assert set(sources(job)) == {None}
    assert job.status == "succeeded"


def test_a_job_that_two_models_read_is_not_taken_over(database: str) -> None:
    """A restart with another model in the middle of a job leaves pages of both."""
    work = compared(one="ab", two="ab")

    async def broken_off(runner: Uploading) -> str:
        work.gate, work.entered = asyncio.Event(), asyncio.Event()
        job = await runner.take(upload("one", document_id="d"))
        await work.entered.wait()
        return job.id

    job_id = run(database, work, broken_off)
    work.gate = None

    async def resumed(runner: Uploading) -> Job:
        await runner.watch.wait(job_id, 100)
        return (await revisions(runner, "two"))[0]

    assert sources(run(database, work, resumed, readers="another")) == [None, None]


def test_an_encrypted_revision_is_opened_by_the_new_password_alone(database: str) -> None:
    """The password of the earlier one was forgotten when its job ended."""
    work = compared(one="ab", two="aX")
    passwords: list[tuple[str, str | None]] = []
    own = work.fingerprint

    async def fingerprint(plan: Plan, number: int) -> str | None:
        passwords.append((plan.file_name, plan.options.password))
        return await own(plan, number)

    work.fingerprint = fingerprint

    async def scenario(runner: Uploading) -> Job:
        await revisions(runner, "one", password="old")
        return (await revisions(runner, "two", password="new"))[0]

    assert sources(run(database, work, scenario)) == [1, None]
    assert set(passwords) == {("one", "new"), ("two", "new")}


@pytest.mark.parametrize("code", ["region_failed", "rule_failed"])
def test_a_page_that_lost_a_part_or_failed_is_read_again(database: str, code: str) -> None:
    """Guards against a loss that every later revision inherits."""
    work = compared(one="abc", two="abc")
    work.troubles = {2: [PageFailed("damaged")]}
    read = work.page

    async def page(plan, number, until):
        outcome, timings = await read(plan, number, until)
        lost = PageWarning(code=code, message="unread", page=number)
        return outcome.model_copy(update={"warnings": (lost,) if plan.revision == 1 and number == 3 else ()}), timings

    work.page = page
    first, second = run(database, work, lambda runner: revisions(runner, "one", "two"))
    assert first.status == "partial"
    assert sources(second) == [1, None, None]
    assert second.status == "succeeded"


def test_warnings_of_a_page_go_with_it(database: str) -> None:
    """A warning that names the page's old number would point at another page."""
    work = compared(one="ab", two="Xab")
    read = work.page

    async def page(plan, number, until):
        outcome, timings = await read(plan, number, until)
        doubt = PageWarning(code="low_confidence", message="doubtful", page=number)
        return outcome.model_copy(update={"warnings": (doubt,)}), timings

    work.page = page
    _, second = run(database, work, lambda runner: revisions(runner, "one", "two"))
    assert [[warning.page for warning in page.warnings] for page in second.pages] == [[1], [2], [3]]


def test_a_file_that_cannot_be_compared_is_read(database: str) -> None:
    """Guards against an earlier file that is gone keeping the new one from being read."""
    work = compared(one="ab", two="ab")

    async def fails(plan, number):
        raise PageFailed("the file is gone")

    work.fingerprint = fails
    _, second = run(database, work, lambda runner: revisions(runner, "one", "two"))
    assert (second.status, sources(second)) == ("succeeded", [None, None])


def test_a_server_that_ends_in_the_middle_of_a_revision_loses_nothing(database: str) -> None:
    """After a restart the pages that were taken over stay, and the others are compared and read as before."""
    work = compared(one="abcd", two="abXd")

    async def broken_off(runner: Uploading) -> str:
        await revisions(runner, "one")
        work.gate, work.entered = asyncio.Event(), asyncio.Event()
        job = await runner.take(upload("two", document_id="d"))
        await work.entered.wait()
        return job.id

    job_id = run(database, work, broken_off, max_pages_in_flight=1)
    work.gate = None

    async def resumed(runner: Uploading) -> tuple[Job, list[int]]:
        job = await runner.watch.wait(job_id, 100)
        return job, await page_numbers(runner, job)

    job, numbers = run(database, work, resumed)
    assert (job.status, sources(job), numbers) == ("succeeded", [1, 1, None, 1], [1, 2, 3, 4])


async def aged(runner: Uploading, *names: str) -> None:
    """These jobs ended ten days ago."""
    long_ago = datetime.now(UTC) - timedelta(days=10)
    statement = update(jobs).where(jobs.c.file_name.in_(names)).values(finished_at=long_ago)
    await runner._stored(lambda: runner._store.change(lambda db: db.execute(statement)))


async def retired(runner: Uploading) -> list[str]:
    """What is left when all that is older than a day has gone."""
    await runner._removal.retire(86_400)
    return sorted(job.file_name for job in await runner.watch.jobs("default"))


def test_earlier_revisions_are_removed_when_they_are_old_enough(database: str) -> None:
    """A document that comes again each day would otherwise keep every version of itself for ever."""
    work = compared(one="ab", two="aX", three="aY", other="c")

    async def scenario(runner: Uploading) -> list[str]:
        await revisions(runner, "one", "two", "three")
        await ended(runner, upload("other", document_id="other"))
        await aged(runner, "one", "two")
        return await retired(runner)

    assert run(database, work, scenario) == ["other", "three", "two"], "the second was replaced a moment ago"
    assert sorted(blobs_of(database)) == ["other", "three", "two"]
    assert work.forgotten == []


def test_a_revision_that_the_index_has_stays(database: str) -> None:
    """A later revision that is not indexed does not take its place: its hits must open."""
    work = compared(one="ab", two="aX")

    async def scenario(runner: Uploading) -> list[str]:
        await revisions(runner, "one")
        await revisions(runner, "two", index=False)
        await aged(runner, "one")
        return await retired(runner)

    assert run(database, work, scenario) == ["one", "two"]


def test_a_revision_that_is_not_indexed_keeps_no_earlier_one_out_of_the_index(database: str) -> None:
    """The same file by two doors, one of which does not index, was found by neither."""
    work = compared(one="a", two="b")

    async def scenario(runner: Uploading) -> list[Job]:
        work.gate, work.entered = asyncio.Event(), asyncio.Event()
        first = await runner.take(upload("one", document_id="d"))
        await work.entered.wait()
        second = await runner.take(upload("two", document_id="d", index=False))
        work.gate.set()
        return [await runner.watch.wait(job.id, 100) for job in (first, second)]

    assert [job.warnings for job in run(database, work, scenario)] == [(), ()]
    assert work.indexed == [1]


def test_one_document_that_cannot_be_removed_keeps_no_other(database: str) -> None:
    """Guards against a file that stays, and with it everything that is older."""
    work = compared(one="ab", two="aX", three="cd", four="cY")

    async def scenario(runner: Uploading) -> list[str]:
        await revisions(runner, "one", "two")
        for name in ("three", "four"):
            await ended(runner, upload(name, document_id="e"))
        await aged(runner, "one", "two", "three", "four")
        drop = runner._blobs.drop

        def fails(digest: str) -> None:
            if digest == sha256("one"):
                raise PermissionError("the disk is away")
            drop(digest)

        runner._blobs.drop = fails
        return await retired(runner)

    assert run(database, work, scenario) == ["four", "two"]
    assert sorted(blobs_of(database)) == ["four", "one", "two"]
