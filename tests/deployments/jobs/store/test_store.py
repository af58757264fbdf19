"""`deployments.jobs.store.store`, on a real SQLite database."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import insert, select, update

from deployments.errors import IdempotencyConflict, QueueFull, UnknownJob
from deployments.jobs.store.database_schema import jobs
from deployments.jobs.store.idempotency import request_key
from deployments.jobs.store.store import JobStore
from deployments.values.jobs import Ending, JobError, Options, Submission
from documents.values import Opened, Page, PageWarning

PAGE = Page(number=1, size=(10, 10), warnings=(PageWarning(code="low_confidence", message="hard to read", page=1),))


@pytest.fixture
def store(url: str):
    store = JobStore(url, max_unfinished=10)
    store.acquire(10)
    yield store
    store.close()


def upload(sha256: str = "a" * 64, key: str | None = None, **options) -> Submission:
    return Submission(
        sha256=sha256,
        size=1,
        media_type="application/pdf",
        file_name="a.pdf",
        options=Options.model_validate(options),
        idempotency_key=key,
    )


def test_the_same_bytes_and_options_are_the_same_job(store: JobStore) -> None:
    """Guards against work that is done twice when a client tries again."""
    first, new = store.submit(upload())
    assert new
    assert store.submit(upload()) == (first, False)
    assert store.submit(upload(pages="1"))[0] != first


def test_the_key_of_an_upload_is_that_of_earlier_releases() -> None:
    """Guards against an upgrade after which the same upload is a conflict or a new revision."""
    assert request_key(upload()) == "469cc68a880570804cea6efe8225c798312603faec26ece104a4cf77beecfa6e"
    assert request_key(upload(attachments="documents")) != request_key(upload())


def test_a_failed_job_is_tried_anew(store: JobStore) -> None:
    """Guards against a failure that sticks to the bytes for ever."""
    first, _ = store.submit(upload())
    store.finish(store.records.plan(first), Ending("failed", JobError(code="x", status=422, message="x")))
    second, new = store.submit(upload())
    assert new
    assert store.records.job(second).revision == 2


def test_an_idempotency_key_goes_with_one_upload(store: JobStore) -> None:
    """Guards against a key that answers with another document's job."""
    first, _ = store.submit(upload(key="k"))
    assert store.submit(upload(key="k")) == (first, False)
    with pytest.raises(IdempotencyConflict):
        store.submit(upload("b" * 64, key="k"))


def test_an_idempotency_key_is_kept_with_a_job_that_was_known(store: JobStore) -> None:
    """Guards against a key that means another document the second time, or another job."""
    first, _ = store.submit(upload())
    assert store.submit(upload(key="k")) == (first, False)
    with pytest.raises(IdempotencyConflict):
        store.submit(upload("b" * 64, key="k"))
    store.finish(store.records.plan(first), Ending("failed", JobError(code="x", status=422, message="x")))
    assert store.submit(upload(key="k")) == (first, False)


@pytest.mark.parametrize("retryable", [True, False])
def test_a_key_starts_a_new_job_where_the_first_failed_for_the_moment(store: JobStore, retryable: bool) -> None:
    """Guards against a key that says `try again` and then answers with the same failure for ever."""
    first, _ = store.submit(upload(key="k"))
    error = JobError(code="renderer_unavailable", status=503, message="x", retryable=retryable)
    store.finish(store.records.plan(first), Ending("failed", error))
    second, new = store.submit(upload(key="k"))
    assert (second != first, new) == (retryable, retryable)
    assert store.submit(upload(key="k")) == (second, False), "the key goes with the newest"
    with pytest.raises(IdempotencyConflict):
        store.submit(upload("b" * 64, key="k"))


def test_earlier_bytes_of_a_document_can_come_back(store: JobStore) -> None:
    """Guards against an index that keeps what came between."""
    first, _ = store.submit(upload(document_id="d"))
    store.finish(store.records.plan(first), Ending("succeeded"))
    store.submit(upload("b" * 64, document_id="d"))
    again, new = store.submit(upload(document_id="d"))
    assert new
    assert store.records.job(again).revision == 3


def test_a_job_that_ends_with_its_client_is_that_clients_alone(store: JobStore) -> None:
    """Guards against one client that cancels what another one waits for."""
    first, _ = store.submit(upload(cancel_on_disconnect=True))
    assert store.submit(upload(cancel_on_disconnect=True))[0] != first


def test_what_is_asked_for_again_is_not_old(store: JobStore) -> None:
    """Guards against a document that is removed just after it was uploaded again."""
    store.finish(store.records.plan(store.submit(upload())[0]), Ending("succeeded"))
    before = datetime.now(UTC)
    assert store.records.older_than(before) == [("default", "a" * 64)]
    store.submit(upload())
    assert store.records.older_than(before) == []


def test_what_is_old_in_a_namespace_is_of_exactly_this_name(store: JobStore) -> None:
    for namespace in ("a_b", "axb", "A_B", "a_b2", "a%"):
        submission = upload(document_id=f"of {namespace}").model_copy(update={"namespace": namespace})
        store.finish(store.records.plan(store.submit(submission)[0]), Ending("succeeded"))
    before = datetime.now(UTC)
    assert store.records.older_than(before, "a_b") == [("a_b", "of a_b")]
    assert store.records.older_than(before, "a%") == [("a%", "of a%")]
    assert store.records.older_than(before, "a") == []
    assert len(store.records.older_than(before)) == 5


def test_attachments_of_a_mail_are_those_whose_ids_begin_exactly_so(store: JobStore) -> None:
    """Guards against `_`, `%` or another case that a pattern of the database takes for the same name."""
    metadata = {"attached_to": "a_b%"}  # what any caller may write into any document
    ids = ("a_b%/attachments/1", "A_B%/attachments/2", "axb%/attachments/3", "a_bc/attachments/4", "a_b%/attachments")
    for document_id in ids:
        store.submit(upload(document_id=document_id, metadata=metadata))
    store.submit(upload(document_id="a_b%/attachments/1/attachments/5", metadata={"attached_to": ids[0]}))
    assert store.records.attached_to("default", "a_b%", "a_b%/attachments/") == ["a_b%/attachments/1"]
    assert store.records.attached_to("default2", "a_b%", "a_b%/attachments/") == []


def test_a_job_that_comes_while_its_document_is_removed_stays(store: JobStore) -> None:
    """Guards against an accepted upload that nobody knows any more."""
    first, _ = store.submit(upload(document_id="d"))
    store.finish(store.records.plan(first), Ending("succeeded"))
    later, _ = store.submit(upload("b" * 64, document_id="d"))
    assert store.forget("default", "d") == ["a" * 64]
    assert store.records.job(later).status == "queued"
    with pytest.raises(UnknownJob):
        store.records.job(first)


def test_a_job_that_was_removed_is_not_repeated(store: JobStore) -> None:
    """Guards against a document that a retry brings back, whose file it had copied before the document was deleted."""
    first, _ = store.submit(upload())
    store.finish(store.records.plan(first), Ending("failed"))
    repeated = upload().model_copy(update={"repeats": first})
    again, is_new = store.submit(repeated)
    assert is_new
    store.finish(store.records.plan(again), Ending("failed"))
    store.forget("default", "a" * 64)
    with pytest.raises(UnknownJob):
        store.submit(repeated)
    assert store.records.jobs("default") == []


def test_a_forgotten_password_is_not_on_the_disk(database: str) -> None:
    """Guards against secrets and deleted pages that SQLite's log still holds."""
    store = JobStore(database, max_unfinished=10)
    store.acquire(10)
    job_id, _ = store.submit(upload(password="open sesame", document_id="d"))
    store.begin(store.records.plan(job_id), Opened(num_pages=1), [1])
    page = Page(number=1, size=(10, 10), warnings=(PageWarning(code="low_confidence", message="a deep secret"),))
    store.finish_page(store.records.plan(job_id), 1, page, {})
    assert _on_disk(database, b"open sesame")
    store.finish(store.records.plan(job_id), Ending("succeeded"))
    assert not _on_disk(database, b"open sesame")
    assert _on_disk(database, b"a deep secret")
    store.forget("default", "d")
    assert not _on_disk(database, b"a deep secret")
    store.close()


def _on_disk(database: str, secret: bytes) -> bool:
    file = Path(database.removeprefix("sqlite:///"))
    return any(secret in path.read_bytes() for path in file.parent.glob(f"{file.name}*"))


def test_a_full_queue_refuses_new_jobs_but_knows_the_old(url: str) -> None:
    """Guards against a retry of an accepted upload that is told the server is full."""
    store = JobStore(url, max_unfinished=1)
    store.acquire(10)
    first, _ = store.submit(upload())
    with pytest.raises(QueueFull):
        store.submit(upload("b" * 64))
    assert store.submit(upload()) == (first, False)
    store.close()


def test_a_page_is_finished_once(store: JobStore) -> None:
    """Guards against a page that a late second try overwrites."""
    job_id, _ = store.submit(upload())
    plan = store.records.plan(job_id)
    assert store.begin(plan, Opened(num_pages=2), [1, 2]) == {1: 0, 2: 0}
    assert store.finish_page(plan, 1, PAGE, {})
    assert not store.finish_page(plan, 1, JobError(code="late", status=500, message=""), {})
    assert [page.status for page in store.records.job(job_id).pages] == ["succeeded", "queued"]
    assert store.records.job(job_id).warnings == PAGE.warnings


def test_after_a_restart_only_missing_pages_are_left(url: str) -> None:
    """Guards against tasks that are lost, or done twice, when the server is started again."""
    store = JobStore(url, max_unfinished=10)
    store.acquire(10)
    job_id, _ = store.submit(upload())
    before = store.records.plan(job_id)
    store.begin(before, Opened(num_pages=2), [1, 2])
    store.finish_page(before, 1, PAGE, {})
    store.close()
    store = JobStore(url, max_unfinished=10)
    store.acquire(10)
    ((plan,), _) = store.resume()
    assert store.begin(plan, Opened(num_pages=2), [1, 2]) == {2: 0}
    assert not store.finish_page(before, 2, PAGE, {}), "a result of the earlier life is refused"
    assert store.finish_page(plan, 2, PAGE.model_copy(update={"number": 2}), {})
    assert store.finish(plan, Ending("succeeded"))
    assert store.resume() == ([], [])
    opened, pages, failed = store.records.facts(job_id)
    assert (opened.num_pages, [page.number for page in pages], failed) == (2, [1, 2], [])
    store.close()


def test_a_row_that_cannot_be_read_fails_alone(url: str) -> None:
    """Guards against a server that never starts again because of one job."""
    store = JobStore(url, max_unfinished=10)
    store.acquire(3600)
    unreadable, _ = store.submit(upload())
    good, _ = store.submit(upload("b" * 64))
    options = {"metadata": {f"n{number}": "x" for number in range(99)}, "password": "p"}
    store.change(lambda db: db.execute(update(jobs).where(jobs.c.id == unreadable).values(options=options)))
    assert [plan.job_id for plan in store.resume()[0]] == [good]
    job = store.records.job(unreadable)
    assert (job.status, job.error and job.error.code) == ("failed", "internal")
    assert store.records.plan(unreadable).options == Options.model_validate({})
    events, ended = store.records.events(unreadable, 0, None)
    assert (events[-1].kind, ended) == ("failed", True)
    store.close()


def test_an_ended_job_stays_as_it_is(store: JobStore) -> None:
    """Guards against a cancelled job that a late page brings back to life."""
    job_id, _ = store.submit(upload())
    plan = store.records.plan(job_id)
    store.begin(plan, Opened(num_pages=1), [1])
    assert store.finish(plan, Ending("cancelled"))
    assert not store.finish(plan, Ending("succeeded"))
    assert not store.finish_page(plan, 1, PAGE, {})
    assert store.records.job(job_id).status == "cancelled"


def test_a_password_is_forgotten_when_the_job_ends(store: JobStore) -> None:
    """Guards against secrets that outlive their use."""
    job_id, _ = store.submit(upload(password="secret"))
    assert store.records.plan(job_id).options.password == "secret"
    store.finish(store.records.plan(job_id), Ending("succeeded"))
    assert store.records.plan(job_id).options.password is None


def test_namespaces_do_not_see_each_other(store: JobStore) -> None:
    """Guards against a job id that opens another tenant's document."""
    job_id, _ = store.submit(upload())
    with pytest.raises(UnknownJob):
        store.records.job(job_id, "another")
    assert store.records.jobs("another") == []
    assert [job.id for job in store.records.jobs("default")] == [job_id]


def test_the_position_of_a_waiting_job_is_counted_among_all_that_are_older(store: JobStore) -> None:
    """Guards against a position that is too small where more than a thousand jobs wait, or counts what others sent."""
    first, _ = store.submit(upload())
    with store.records.engine.begin() as db:
        row = dict(db.execute(select(jobs)).mappings().one())
        others = [
            {"id": f"job_{n}", "created_at": row["created_at"] + timedelta(seconds=n), "namespace": "default"}
            for n in range(1, 1201)
        ]
        db.execute(insert(jobs), [row | other for other in others])
        for n, change in ((2, {"namespace": "theirs"}), (3, {"status": "running"}), (4, {"status": "failed"})):
            db.execute(update(jobs).where(jobs.c.id == f"job_{n}").values(**change))
    records = store.records
    assert records.position(first, "default") == 1
    assert records.position("job_1", "default") == 2
    assert records.position("job_5", "default") == 3
    assert records.position("job_1200", "default") == 1198
    assert records.position("job_2", "theirs") == 1
