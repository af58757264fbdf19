"""`deployments.jobs.runner` over a real SQLite store, with a pipeline whose pages are let through one by one."""

import asyncio
import hashlib
import io
import threading
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from deployments.blobs import BlobStore
from deployments.errors import Busy, ReplicaDied
from deployments.jobs.runner import JobRunner
from deployments.jobs.store import IdempotencyConflict, JobStore, QueueFull
from deployments.jobs.values import Job, Options, Plan, Submission
from documents.errors import EncryptedDocument, PageFailed
from documents.values import Opened, Page


class GatedWork:
    """Does pages of no content; counts them, and holds those that are gated."""

    def __init__(self, num_pages: int = 1) -> None:
        self.num_pages = num_pages
        self.calls: list[tuple[str, int]] = []
        self.cancelled: list[int] = []
        self.indexed: list[int] = []
        self.gate: asyncio.Event | None = None
        self.entered = asyncio.Event()
        self.left = asyncio.Event()
        self.troubles: dict[int, list[Exception]] = {}  # by page; 0 is opening, -1 finishing

    async def open(self, plan: Plan) -> Opened:
        self._trouble(0)
        return Opened(num_pages=self.num_pages)

    async def page(self, plan: Plan, number: int) -> tuple[Page, dict[str, float]]:
        self.calls.append((plan.job_id, number))
        self.entered.set()
        self._trouble(number)
        if self.gate is not None:
            try:
                await self.gate.wait()
            except asyncio.CancelledError:
                self.cancelled.append(number)
                self.left.set()
                raise
        return Page(number=number, size=(10, 10)), {"layout_s": 0.1}

    async def finish(self, plan: Plan, opened: Opened, pages: list[Page]) -> None:
        self._trouble(-1)
        self.indexed.append(plan.revision)

    def _trouble(self, number: int) -> None:
        if self.troubles.get(number):
            raise self.troubles[number].pop(0)


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'jobs.sqlite'}"


def run(database: str, work: GatedWork, scenario: Callable[[Any], Coroutine[Any, Any, Any]], **limits) -> Any:
    chosen = {"max_queued_jobs": 10, "max_pages_in_flight": 2, "page_attempts": 2} | limits
    store = JobStore(database, max_unfinished=chosen["max_queued_jobs"])
    blobs = BlobStore(Path(database.removeprefix("sqlite:///")).parent / "blobs")

    async def whole() -> Any:
        runner = Uploading(store, blobs, work, **chosen)
        await runner.start()
        try:
            return await asyncio.wait_for(scenario(runner), 30)
        finally:
            await runner.close()

    return asyncio.run(whole())


class Uploading(JobRunner):
    """A runner whose uploads are the bytes of their file's name."""

    async def take(self, submission: Submission) -> Job:
        content = io.BytesIO(submission.file_name.encode())
        return await self.submit(submission, await asyncio.to_thread(self._blobs.put_aside, content))


def upload(name: str = "a", key: str | None = None, **options) -> Submission:
    return Submission(
        sha256=hashlib.sha256(name.encode()).hexdigest(),
        size=len(name),
        media_type="application/pdf",
        file_name=name,
        options=Options.model_validate(options),
        idempotency_key=key,
    )


def held(store: JobStore, name: str) -> tuple[asyncio.Event, threading.Event]:
    """Hold a call of the store in its thread: an event that it has begun, and one that lets it go on."""
    loop, call = asyncio.get_running_loop(), getattr(store, name)
    begun, leave = asyncio.Event(), threading.Event()

    def slow(*args: Any, **told: Any) -> Any:
        loop.call_soon_threadsafe(begun.set)
        leave.wait(10)
        return call(*args, **told)

    setattr(store, name, slow)
    return begun, leave


def blobs_of(database: str) -> list[str]:
    folder = Path(database.removeprefix("sqlite:///")).parent / "blobs"
    return [path.read_text() for path in folder.rglob("*") if path.is_file()]


async def ended(runner: Uploading, submission: Submission) -> Job:
    return await runner.wait((await runner.take(submission)).id, 20)


def statuses(job: Job) -> list[str]:
    return [page.status for page in job.pages]


def test_a_job_goes_through_all_its_pages(database: str) -> None:
    """Guards against a job that ends before its pages do."""
    job = run(database, GatedWork(5), lambda runner: ended(runner, upload()))
    assert job.status == "succeeded"
    assert statuses(job) == ["succeeded"] * 5


def test_only_chosen_pages_are_done(database: str) -> None:
    """Guards against the option `pages` being read and not obeyed."""
    work = GatedWork(5)
    job = run(database, work, lambda runner: ended(runner, upload(pages="2,4-9")))
    assert sorted(number for _, number in work.calls) == [2, 4, 5]
    assert job.num_pages == 5


def test_a_page_that_fails_leaves_the_others(database: str) -> None:
    """Guards against one bad page that takes the document with it, or vanishes without a word."""
    work = GatedWork(3)
    work.troubles = {2: [PageFailed("cannot be drawn")]}
    job = run(database, work, lambda runner: ended(runner, upload()))
    assert job.status == "partial"
    assert statuses(job) == ["succeeded", "failed", "succeeded"]
    assert job.pages[1].error is not None
    assert job.pages[1].error.code == "page_failed"
    assert [(warning.code, warning.page) for warning in job.warnings] == [("page_failed", 2)]


def test_a_document_without_any_good_page_has_failed(database: str) -> None:
    """Guards against success with nothing in it."""
    work = GatedWork(1)
    work.troubles = {1: [PageFailed("cannot be drawn")]}
    job = run(database, work, lambda runner: ended(runner, upload()))
    assert job.status == "failed"
    assert job.error is not None
    assert job.error.status == 422


def test_a_document_that_cannot_be_opened_says_why(database: str) -> None:
    """Guards against a failed job without a reason."""
    work = GatedWork()
    work.troubles = {0: [EncryptedDocument("needs a password")]}
    job = run(database, work, lambda runner: ended(runner, upload()))
    assert job.error is not None
    assert (job.status, job.error.code, job.error.status) == ("failed", "encrypted_document", 422)


def test_a_dead_replica_or_a_full_one_is_tried_again(database: str) -> None:
    """Guards against a page that is lost with the process that held it."""
    work = GatedWork()
    work.troubles = {1: [ReplicaDied("gone"), Busy("full")]}
    job = run(database, work, lambda runner: ended(runner, upload()))
    assert job.status == "succeeded"
    assert len(work.calls) == 3


def test_a_page_that_kills_every_replica_fails_alone(database: str) -> None:
    """Guards against a poison page that is tried for ever."""
    work = GatedWork(2)
    work.troubles = {1: [ReplicaDied("gone")] * 9}
    job = run(database, work, lambda runner: ended(runner, upload()))
    assert statuses(job) == ["failed", "succeeded"]
    assert len([number for _, number in work.calls if number == 1]) == 2


def test_cancel_reaches_the_pages_in_the_pipeline(database: str) -> None:
    """Guards against work that runs on for nobody."""
    work = GatedWork(5)

    async def scenario(runner: Uploading) -> Job:
        work.gate = asyncio.Event()
        job = await runner.take(upload())
        await work.entered.wait()
        job = await runner.cancel(job.id)
        await asyncio.wait_for(work.left.wait(), 10)
        return job

    job = run(database, work, scenario)
    assert job.status == "cancelled"
    assert len(work.calls) <= 2, "no page begins after the cancel"


def test_a_deadline_ends_the_job(database: str) -> None:
    """Guards against a deadline that is taken and not kept."""
    work = GatedWork()

    async def scenario(runner: Uploading) -> Job:
        work.gate = asyncio.Event()
        return await ended(runner, upload(deadline_s=0.05))

    job = run(database, work, scenario)
    assert job.error is not None
    assert (job.status, job.error.status) == ("failed", 504)


def test_a_restart_goes_on_with_the_next_page(database: str) -> None:
    """Guards against jobs that are forgotten when the server stops."""
    work = GatedWork(3)

    async def first_life(runner: Uploading) -> str:
        job = await runner.take(upload())
        await work.entered.wait()  # page 1 has begun; what is finished by the stop is finished for good
        return job.id

    async def second_life(runner: Uploading) -> Job:
        return await runner.wait(job_id, 20)

    work.gate = asyncio.Event()
    job_id = run(database, work, first_life)
    work.gate = None
    job = run(database, work, second_life)
    assert job.status == "succeeded"
    assert statuses(job) == ["succeeded"] * 3


def test_a_job_outlives_the_request_that_asked_for_it(database: str) -> None:
    """Guards against work that carries the context of a client who leaves."""
    work = GatedWork()

    async def scenario(runner: Uploading) -> Job:
        work.gate = asyncio.Event()
        asked = asyncio.create_task(ended(runner, upload()))
        await work.entered.wait()
        asked.cancel()
        work.gate.set()
        job_id = work.calls[0][0]
        return await runner.wait(job_id, 20)

    assert run(database, work, scenario).status == "succeeded"


def test_more_jobs_than_allowed_are_refused(database: str) -> None:
    """Guards against a queue that grows until memory ends."""
    work = GatedWork()

    async def scenario(runner: Uploading) -> None:
        work.gate = asyncio.Event()
        await runner.take(upload("a"))
        with pytest.raises(QueueFull):
            runner.check_room()
        with pytest.raises(QueueFull):
            await runner.take(upload("b"))

    run(database, work, scenario, max_queued_jobs=1)


def test_an_index_that_fails_makes_the_job_partial(database: str) -> None:
    """Guards against a document that is said to be found by search and is not."""
    work = GatedWork()
    work.troubles = {-1: [RuntimeError("disk full")]}
    job = run(database, work, lambda runner: ended(runner, upload()))
    assert job.status == "partial"
    assert [warning.code for warning in job.warnings] == ["not_indexed"]


def test_a_client_that_drops_in_submit_leaves_a_job_that_runs_or_none(database: str) -> None:
    """Guards against a row that no life of this server takes up, and that answers for its bytes for ever."""
    work = GatedWork()

    async def scenario(runner: Uploading) -> Job:
        aside = await asyncio.to_thread(runner._blobs.put_aside, io.BytesIO(b"a"))
        committing, leave = held(runner._store, "submit")
        asked = asyncio.create_task(runner.submit(upload(), aside))
        await committing.wait()
        asked.cancel()
        leave.set()
        await asyncio.gather(asked, return_exceptions=True)
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
        asked = asyncio.create_task(runner.cancel(job.id))
        await committing.wait()
        asked.cancel()
        leave.set()
        await runner.wait(job.id, 20)
        assert (await runner.job(job.id)).status == "cancelled"
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
        jobs = [await runner.wait(job.id, 20) for job in (second, first)]
        return [warning.code for warning in jobs[1].warnings]

    assert run(database, work, scenario, max_pages_in_flight=1) == ["superseded"]
    assert work.indexed == [2]


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
    """Guards against a deadline that starts anew with every life of the server."""
    work = GatedWork()

    async def first_life(runner: Uploading) -> str:
        work.gate = asyncio.Event()
        job = await runner.take(upload(deadline_s=0.3))
        await work.entered.wait()
        return job.id

    async def second_life(runner: Uploading) -> Job:
        return await runner.wait(job_id, 20)

    job_id = run(database, work, first_life)
    time.sleep(0.4)  # the deadline passes while no server runs
    work.gate, work.entered = asyncio.Event(), asyncio.Event()
    job = run(database, work, second_life)
    assert job.error is not None
    assert job.error.code == "deadline_exceeded"
