"""`deployments.jobs.runner`: what becomes of jobs, page by page."""

import asyncio
import time

import pytest

from deployments.errors import Busy, QueueFull, QuotaExceeded, ReplicaDied
from deployments.jobs.results.result_formats import document_of
from deployments.jobs.results.stored_pages import StoredPages
from deployments.values.jobs import Job, Plan
from documents.errors import (
    EncryptedDocument,
    IngestError,
    PageFailed,
    PageTimeout,
    PageTooCostly,
    RendererUnavailable,
)
from documents.invoice_values import Invoice, InvoiceField
from documents.values import Opened, Page
from tests.deployments.gated_work import GatedWork, Uploading, ended, run, statuses, upload


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
    assert job.warnings == ()


def test_a_page_that_is_asked_for_and_is_not_there_is_told(database: str) -> None:
    """Guards against a wish that vanishes without a word."""
    job = run(database, GatedWork(5), lambda runner: ended(runner, upload(pages="2,7, 8-")))
    assert job.status == "succeeded"
    warnings = [(warning.code, warning.message.split()[0]) for warning in job.warnings]
    assert warnings == [("no_such_page", "7"), ("no_such_page", "8-")]


def test_what_the_data_of_an_invoice_deny_is_a_warning_of_the_job(database: str) -> None:
    """Guards against a contradiction that only the result tells, which nobody may look at."""
    work = GatedWork()
    work.text = "Gesamtbetrag: 529,87"
    total = InvoiceField(name="total", value="529.97")

    async def opened(_: Plan) -> Opened:
        return Opened(num_pages=1, invoice=Invoice(file="factur-x.xml", syntax="cii", fields=(total,)))

    work.open = opened
    job = run(database, work, lambda runner: ended(runner, upload()))
    assert job.status == "succeeded"
    assert [(warning.code, warning.page) for warning in job.warnings] == [("invoice_contradiction", 1)]


def test_the_invoice_of_a_job_is_compared_once(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against each look at a result comparing all over again."""
    work = GatedWork()
    work.text = "Gesamtbetrag: 529,87"
    total = InvoiceField(name="total", value="529.97")

    async def opened(_: Plan) -> Opened:
        return Opened(num_pages=1, invoice=Invoice(file="factur-x.xml", syntax="cii", fields=(total,)))

    async def scenario(runner: Uploading) -> tuple[Plan, Opened, list[Page]]:
        job = await ended(runner, upload())
        plan = await asyncio.to_thread(runner._store.records.plan, job.id)
        job_opened, pages, _ = await asyncio.to_thread(runner._store.records.facts, job.id)
        return plan, job_opened, await asyncio.to_thread(list, pages)

    work.open = opened
    facts = run(database, work, scenario)
    monkeypatch.setattr("documents.matching.invoice_check.checked_invoice", None)
    document = document_of(*facts)
    assert document.invoice is not None
    assert [field.status for field in document.invoice.fields] == ["contradiction"]
    assert [warning.code for warning in document.warnings] == ["invoice_contradiction"]


def test_a_page_that_is_neither_done_nor_failed_is_told_as_lost(database: str) -> None:
    """Guards against a gap in the rows that passes for a whole document."""

    async def scenario(runner: Uploading) -> Job:
        records = runner._store.records
        facts = records.facts

        def without_the_last(job_id: str) -> tuple[Opened, StoredPages, list[int]]:
            opened, pages, failed = facts(job_id)
            return opened, StoredPages(pages._read, pages.numbers[:1]), failed

        records.facts = without_the_last
        return await ended(runner, upload())

    job = run(database, GatedWork(2), scenario)
    assert job.status == "partial"
    assert [(warning.code, warning.page) for warning in job.warnings] == [("page_failed", 2)]


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


@pytest.mark.parametrize(
    ("errors", "retryable"),
    [
        ([PageFailed("cannot be drawn"), PageTooCostly("20 s of CPU time")], False),
        ([PageTimeout("stopped after 60 s"), PageTimeout("stopped after 60 s")], True),
        ([PageFailed("cannot be drawn"), PageTimeout("stopped after 60 s")], True),
    ],
    ids=["for good", "all another time", "one another time"],
)
def test_a_job_without_a_page_may_be_tried_again_if_a_page_may(
    database: str, errors: list[IngestError], retryable: bool
) -> None:
    """Guards against a document given up for good (422) because the machine was slow for a while."""
    work = GatedWork(2)
    work.troubles = {number: [error] for number, error in enumerate(errors, 1)}
    job = run(database, work, lambda runner: ended(runner, upload()))
    assert [page.error and page.error.retryable for page in job.pages] == [error.retryable for error in errors]
    assert job.error is not None
    assert (job.error.code, job.error.retryable) == ("all_pages_failed", retryable)
    assert job.error.status == (503 if retryable else 422)


def test_pages_wait_for_the_machine_to_have_children_again(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against pages that are blamed for memory that the machine lacked."""
    monkeypatch.setattr("deployments.calls.call_retries.RENDERER_PAUSES_S", (0.0,) * 7)
    work = GatedWork(1)
    work.troubles = {0: [RendererUnavailable("none")] * 2, 1: [RendererUnavailable("2 renderers ended")] * 3}
    job = run(database, work, lambda runner: ended(runner, upload()))
    assert (job.status, len(work.calls)) == ("succeeded", 4)


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
        await asyncio.wait_for(work.left.wait(), 60)
        return job

    job = run(database, work, scenario)
    assert job.status == "cancelled"
    assert len(work.calls) <= 2, "no page begins after the cancel"


def test_a_deadline_ends_the_job(database: str) -> None:
    """Guards against a deadline that is taken and not kept."""
    work = GatedWork()

    async def scenario(runner: Uploading) -> Job:
        work.gate, loop = asyncio.Event(), asyncio.get_running_loop()
        job = await runner.take(upload(deadline_s=60))
        await work.entered.wait()
        time = loop.time
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(loop, "time", lambda: time() + 60)  # a minute later
            job = await runner.watch.wait(job.id, 100)
            await asyncio.wait_for(work.left.wait(), 60)
        return job

    job = run(database, work, scenario)
    assert job.error is not None
    assert (job.status, job.error.status) == ("failed", 504)
    assert work.cancelled == [1], "the pipeline does not work on for a job that is over"


def test_a_restart_goes_on_with_the_next_page(database: str) -> None:
    """Guards against jobs that are forgotten when the server stops."""
    work = GatedWork(3)

    async def first_life(runner: Uploading) -> str:
        job = await runner.take(upload())
        await work.entered.wait()  # page 1 has begun; what is finished by the stop is finished for good
        return job.id

    async def second_life(runner: Uploading) -> Job:
        return await runner.watch.wait(job_id, 100)

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
        submission = asyncio.create_task(ended(runner, upload()))
        await work.entered.wait()
        submission.cancel()
        work.gate.set()
        job_id = work.calls[0][0]
        return await runner.watch.wait(job_id, 100)

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


def test_a_full_quota_is_known_before_an_upload_is_read(database: str) -> None:
    """Guards against a body that is taken in, only to be refused; the quota of one key is not another's."""
    work = GatedWork()

    async def scenario(runner: Uploading) -> None:
        work.gate = asyncio.Event()
        await runner.take(upload("a"))
        with pytest.raises(QuotaExceeded):
            runner.check_room("default", 1)
        runner.check_room("default", 2)
        runner.check_room("another", 1)

    run(database, work, scenario)


def test_an_index_that_fails_makes_the_job_partial(database: str) -> None:
    """Guards against a document that is said to be found by search and is not."""
    work = GatedWork()
    work.troubles = {-1: [RuntimeError("disk full")]}
    job = run(database, work, lambda runner: ended(runner, upload()))
    assert job.status == "partial"
    assert [warning.code for warning in job.warnings] == ["not_indexed"]


def test_a_document_has_so_many_bytes_of_pages_and_the_further_ones_fail(database: str) -> None:
    """A workbook of 105 kB became 1.2 GB of rows, and each of its results filled Jobs, Ingress and the proxy (A3)."""
    work = GatedWork(4)
    work.text = "word " * 20_000
    job = run(database, work, lambda runner: ended(runner, upload()), max_result_bytes=250_000)
    assert job.status == "partial"
    assert sorted(statuses(job)) == ["failed", "failed", "succeeded", "succeeded"]
    assert {page.error.code for page in job.pages if page.error is not None} == {"unpacks_too_large"}


def test_pages_that_end_at_the_same_time_are_all_counted(database: str) -> None:
    """Guards against pages in flight that each add to the sum as it was before the others."""
    work = GatedWork(8)
    work.text = "word " * 20_000
    all_read = asyncio.Barrier(8)
    read = work.page

    async def page(plan: Plan, number: int, until: float) -> tuple[Page, dict[str, float]]:
        result = await read(plan, number, until)
        await all_read.wait()
        return result

    work.page = page
    limits = {"max_pages_in_flight": 8, "max_result_bytes": 250_000}
    job = run(database, work, lambda runner: ended(runner, upload()), **limits)
    assert statuses(job).count("succeeded") == 2


def test_a_document_over_which_two_replicas_ended_is_not_indexed_a_third_time(database: str) -> None:
    """A document whose chunking killed Pipeline was begun again, and each time took the pages of others along."""
    work = GatedWork(1)
    work.troubles[-1] = [ReplicaDied("gone"), ReplicaDied("gone"), ReplicaDied("gone")]
    job = run(database, work, lambda runner: ended(runner, upload()), page_attempts=5)
    assert len(work.troubles[-1]) == 1
    assert job.status == "partial"
    assert [(warning.code, warning.message) for warning in job.warnings] == [
        ("not_indexed", "the document could not be indexed: 2 processes ended over it")
    ]


def test_a_job_whose_document_has_no_text_says_so_and_succeeds(database: str) -> None:
    """Guards against an empty result that nothing tells from a read one; pictures alone are no failure."""
    work = GatedWork(num_pages=2)
    work.text = ""
    job = run(database, work, lambda runner: ended(runner, upload()))
    assert (job.status, [warning.code for warning in job.warnings]) == ("succeeded", ["no_text"])


@pytest.mark.parametrize(("own_s", "seconds"), [(None, 600), (50, 50), (5000, 600)])
def test_the_deadline_of_a_page_is_one_moment_for_all_its_attempts(
    database: str, own_s: float | None, seconds: float
) -> None:
    """Guards against a page that has its whole time again with each replica that dies over it."""
    work = GatedWork(1)
    work.troubles = {1: [ReplicaDied("gone")]}
    begun = time.time()
    run(database, work, lambda runner: ended(runner, upload(page_deadline_s=own_s)))
    first, second = work.deadlines
    assert first == second
    assert begun + seconds <= first <= time.time() + seconds
