"""Shards of the job database: schemas of one real PostgreSQL."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import create_engine, select, text, update

from deployments.errors import DatabaseAway, IdempotencyConflict, InOtherShard, QuotaExceeded, ShardsMissing
from deployments.ingress.facades.docling.callbacks import FORM, CallbackMessages
from deployments.jobs.extractions.extraction_rows import add
from deployments.jobs.store.database_schema import lease, table_of
from deployments.jobs.store.lease import LeaseLost
from deployments.jobs.store.store import JobStore
from deployments.values.attachment_ids import prefixes_of
from deployments.values.jobs import Ending, ExtractionSubmission, Options, Submission
from deployments.values.shards import Shard, possible_shards, shard_of
from deployments.values.webhooks import Subscription, SubscriptionGroup, Webhook

pytestmark = pytest.mark.slow
Open = Callable[[int], list[JobStore]]


@pytest.fixture
def opened(shards: str) -> Iterator[Open]:
    """Opens so many shards of an empty database; those that were open before are closed."""
    stores: list[JobStore] = []

    def close() -> None:
        while stores:
            stores.pop().close()

    def opened(count: int) -> list[JobStore]:
        close()
        writers = {FORM: CallbackMessages()}
        parts = [Shard(number, count) for number in range(count)]
        stores.extend(JobStore(shards, max_unfinished=100, writers=writers, shard=part) for part in parts)
        for store in stores:
            assert store.acquire(10) == 0.0
        return list(stores)

    yield opened
    close()


def upload(document: str, *, key: str | None = None, quota: int | None = None, content: str = "a") -> Submission:
    return Submission(
        sha256=content * 64,
        size=1,
        media_type="application/pdf",
        file_name="a.pdf",
        options=Options.model_validate({"document_id": document}),
        idempotency_key=key,
        max_unfinished=quota,
    )


def of(store: JobStore, name: str) -> str:
    """The id of a document that begins in the store's shard."""
    shard = store.records.shard
    ids = (f"{name} {number}" for number in range(1000))
    return next(one for one in ids if possible_shards("default", one, shard.count)[0] == shard.number)


def test_each_shard_owns_its_rows_alone(opened: Open) -> None:
    """Guards against owners that disturb one another: a lease, jobs and a queue are of one shard."""
    stores = opened(3)
    job_ids = [store.submit(upload(of(store, "document")))[0] for store in stores]
    assert [shard_of(job_id) for job_id in job_ids] == [0, 1, 2]
    for store, job_id in zip(stores, job_ids, strict=True):
        assert [job.id for job in store.records.jobs("default")] == [job_id]
        assert [plan.job_id for plan in store.resume()[0]] == [job_id]


def test_the_rows_of_before_there_were_shards_are_those_of_the_first(opened: Open) -> None:
    """Guards against documents that are gone after a shard was added."""
    (only,) = opened(1)
    job_id, _ = only.submit(upload("rules"))
    assert only.finish(only.records.plan(job_id), Ending("succeeded"))
    stores = opened(4)
    assert stores[0].records.job(job_id).status == "succeeded"
    assert stores[0].records.job_of_document("rules", "default") == job_id
    for store in stores[1:]:
        assert store.records.jobs("default") == []


def test_every_shard_knows_whose_a_document_is(opened: Open) -> None:
    """Guards against a document of which two shards have revisions, because it was there before the newer shard."""
    (only,) = opened(1)
    names = [f"document {n}" for n in range(40)]
    for name in names:
        only.submit(upload(name))
    stores = opened(3)
    assert {possible_shards("default", name, 3)[0] for name in names} == {0, 1, 2}
    for name in names:
        for store in stores:
            assert store.records.shard_of_document("default", name) == 0
            assert store.records.shard_of_document("another", name) == possible_shards("another", name, 3)[0]
        for store in stores[1:]:
            with pytest.raises(InOtherShard):
                store.submit(upload(name))
        stores[0].submit(upload(name, content="b"))


def test_an_attachment_is_where_its_mail_is_though_it_comes_before(opened: Open) -> None:
    """Guards against a caller's document under the id of an attachment, which the mail's shard would make again."""
    (only,) = opened(1)
    name = next(name for name in map(str, range(99)) if possible_shards("default", name, 2)[0] == 1)
    only.submit(upload(name))
    for store in opened(2):
        assert store.records.shard_of_document("default", f"{prefixes_of(name)[0]}1") == 0


def test_owners_that_know_of_fewer_shards_end_first(opened: Open, shards: str) -> None:
    """Guards against two owners of which each takes what the other one looks for elsewhere, while shards are added."""
    (only,) = opened(1)
    added = JobStore(shards, max_unfinished=1, shard=Shard(1, 2))
    assert 0 < added.acquire(10) <= 10
    only.close()
    assert added.acquire(10) == 0.0
    earlier = JobStore(shards, max_unfinished=1, shard=Shard(0, 1))
    with pytest.raises(LeaseLost):
        only.submit(upload("late"))
    first = JobStore(shards, max_unfinished=1, shard=Shard(0, 2))
    assert first.acquire(10) == 0.0
    with pytest.raises(DatabaseAway):
        earlier.acquire(10)
    for store in (added, first, earlier, only):
        store.close()


def test_a_quota_counts_the_jobs_of_all_shards(opened: Open) -> None:
    """Guards against a key that has its quota once in every shard."""
    first, second = opened(2)
    for store in (first, second):
        store.submit(upload(of(store, "a"), quota=2))
    for store in (first, second):
        with pytest.raises(QuotaExceeded):
            store.submit(upload(of(store, "c"), quota=2))
    first.finish(first.records.plan(first.records.jobs("default")[0].id), Ending("succeeded"))
    second.submit(upload(of(second, "c"), quota=2))


def test_a_quota_of_extractions_counts_those_of_all_shards(opened: Open) -> None:
    """Guards against the same of extractions, whose ids lead to the shard of their job."""
    first, second = opened(2)
    for store in (first, second):
        name = of(store, "a")
        job_id, _ = store.submit(upload(name))
        submission = ExtractionSubmission(document_id=name, job_id=job_id, revision=1, schema_={}, max_unfinished=1)
        if store is first:
            assert shard_of(store.change(lambda db, s=submission: add(db, s, 10, [1])).id) == 0
        else:
            with pytest.raises(QuotaExceeded):
                store.change(lambda db, s=submission: add(db, s, 10, [0]))
            assert shard_of(store.change(lambda db, s=submission: add(db, s, 10)).id) == 1


def test_a_key_that_came_with_another_file_is_refused_by_every_shard(opened: Open) -> None:
    """Guards against an Idempotency-Key that counts in one shard only."""
    first, second = opened(2)
    first.submit(upload(of(first, "a"), key="mine"))
    there = of(second, "b")
    for _ in range(2):  # also of an upload that is known
        with pytest.raises(IdempotencyConflict):
            second.submit(upload(there, key="mine", content="b"))
        second.submit(upload(there, key="yours", content="b"))


def test_a_document_that_is_deleted_while_its_next_revision_is_stored_begins_anew_in_its_shard(opened: Open) -> None:
    """Guards against a document of two tables of the index: its owner looked where it is before the bytes were kept."""
    (only,) = opened(1)
    name = next(name for name in map(str, range(99)) if possible_shards("default", name, 2)[0] == 1)
    job_id, _ = only.submit(upload(name))
    assert only.finish(only.records.plan(job_id), Ending("succeeded"))
    first, second = opened(2)
    assert first.records.shard_of_document("default", name) == 0
    first.forget("default", name)
    with pytest.raises(InOtherShard):
        first.submit(upload(name, content="b"))
    assert shard_of(second.submit(upload(name, content="b"))[0]) == 1


def test_fewer_shards_than_have_jobs_are_refused(opened: Open, shards: str) -> None:
    """Guards against documents that nobody finds, because a shard was taken away."""
    stores = opened(3)
    for store in stores[1:]:
        store.submit(upload(of(store, "document")))
    for count in (1, 2):
        store = JobStore(shards, max_unfinished=1, shard=Shard(0, count))
        with pytest.raises(ShardsMissing, match=f"more than {count} shards"):
            store.acquire(10)
        store.close()


def test_an_empty_shard_does_not_hide_the_jobs_of_a_later_one(opened: Open, shards: str) -> None:
    """Guards against documents of a shard that nobody looks at, because one before it is empty."""
    last = opened(4)[3]
    last.submit(upload(of(last, "a")))
    store = JobStore(shards, max_unfinished=1, shard=Shard(0, 2))
    with pytest.raises(ShardsMissing):
        store.acquire(10)
    store.close()


def test_a_shard_that_was_never_used_may_go_with_its_owner(opened: Open, shards: str) -> None:
    """Guards against a deployment that cannot be taken back, and an owner that takes a job after it was."""
    stores = opened(3)
    for store in stores[:2]:
        store.close()
    fewer = JobStore(shards, max_unfinished=1, shard=Shard(0, 2))
    with pytest.raises(DatabaseAway):
        fewer.acquire(10)
    stores[2].close()
    assert fewer.acquire(10) == 0.0
    fewer.close()


def test_the_row_of_an_owner_whose_clock_was_ahead_runs_out(
    opened: Open, shards: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards against shards that cannot be added for an hour, because a machine's clock was set back."""
    (only,) = opened(1)
    now = time.monotonic()
    with only.records.engine.begin() as db:
        db.execute(update(lease).values(until=time.time() + 3600))
    added = JobStore(shards, max_unfinished=1, shard=Shard(1, 2))
    monkeypatch.setattr(time, "monotonic", lambda: now)
    assert added.acquire(10) == 10
    monkeypatch.setattr(time, "monotonic", lambda: now + 4)
    assert added.acquire(10) == 6
    monkeypatch.setattr(time, "monotonic", lambda: now + 10)
    assert added.acquire(10) == 0
    monkeypatch.undo()
    added.close()


def test_a_user_who_may_not_create_a_schema_is_told_the_statement(opened: Open, shards: str) -> None:
    """Guards against a server whose jobs do not start for an error of ours; an administrator may make the schema."""
    opened(1)
    engine = create_engine(shards)
    with engine.begin() as db:
        db.execute(text("DROP ROLE IF EXISTS clerk"))
        db.execute(text("CREATE ROLE clerk LOGIN"))
        db.execute(text("GRANT ALL ON SCHEMA public TO clerk"))
        db.execute(text("GRANT ALL ON ALL TABLES IN SCHEMA public TO clerk"))
    store = JobStore(shards.replace("jobs@", "clerk@"), max_unfinished=1, shard=Shard(1, 2))
    try:
        with pytest.raises(ShardsMissing, match="CREATE SCHEMA pagemill_1 AUTHORIZATION clerk"):
            store.acquire(10)
        with engine.begin() as db:
            db.execute(text("CREATE SCHEMA pagemill_1 AUTHORIZATION clerk"))
        opened_again = store.acquire(10)
        assert opened_again > 0  # the owner of one shard is there
    finally:
        store.records.engine.dispose()
        with engine.begin() as db:
            db.execute(text("DROP OWNED BY clerk"))
            db.execute(text("DROP ROLE clerk"))
        engine.dispose()


def test_a_document_goes_from_its_shard_alone(opened: Open) -> None:
    """Guards against removing in one shard what another one has under the same bytes."""
    first, second = opened(2)
    names = [of(store, "a") for store in (first, second)]
    for store, name in zip((first, second), names, strict=True):
        job_id, _ = store.submit(upload(name))
        store.finish(store.records.plan(job_id), Ending("succeeded"))
    assert first.forget("default", names[0]) == ["a" * 64]
    assert not second.is_unwanted("a" * 64)
    assert second.records.older_than(datetime.now(UTC) + timedelta(days=1)) == [("default", names[1])]


def test_the_end_of_a_group_of_jobs_in_several_shards_is_told_once(opened: Open) -> None:
    """Guards against a task that nobody ends, because two owners ended its last jobs at the same moment."""
    stores = opened(2)

    def end(store: JobStore, job_id: str) -> bool:
        return store.finish(store.records.plan(job_id), Ending("succeeded"))

    with ThreadPoolExecutor(2) as threads:
        for number in range(30):
            names = [of(store, f"{number} of") for store in stores]
            job_ids = [store.submit(upload(name))[0] for store, name in zip(stores, names, strict=True)]
            group = SubscriptionGroup(form=FORM, id=f"task {number}", job_ids=tuple(job_ids), order=f"order {number}")
            subscription = Subscription(webhook=Webhook(url="http://example.org"), group=group)
            if number % 3 == 0:  # both had ended
                assert list(threads.map(end, stores, job_ids)) == [True, True]
                list(threads.map(lambda store, one=subscription: store.subscribe(one), stores))
            elif number % 3 == 1:  # one ends between
                stores[0].subscribe(subscription)
                assert list(map(end, stores, job_ids)) == [True, True]
                stores[1].subscribe(subscription)
            else:
                list(threads.map(lambda store, one=subscription: store.subscribe(one), stores))
                assert list(threads.map(end, stores, job_ids)) == [True, True]
    with stores[0].records.engine.connect() as db:
        tables = [table_of(shard, "deliveries") for shard in range(2)]
        rows = [row for table in tables for row in db.execute(select(table.c.webhook_id, table.c.body))]
    for number in range(30):
        kinds = Counter(json.loads(row.body)["progress"]["kind"] for row in rows if row.webhook_id == f"order {number}")
        assert kinds == {"set_num_docs": 1, "document_completed": 2, "update_processed": 1}
