"""`deployments.jobs.runner`: what is asked to be forgotten is gone, and what happened is told in order."""

from __future__ import annotations

import asyncio
import threading
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, select, update

from deployments.errors import ReplicaDied, UnknownDocument, UnknownJob
from deployments.jobs.store.database_schema import blobs, connect, events, jobs, pages, submissions
from deployments.storage.folder_blobs import FolderBlobs
from tests.deployments.gated_work import GatedWork, Uploading, blobs_of, ended, run, upload


def rows(database: str) -> list[int]:
    engine = connect(database)
    with engine.connect() as db:
        counts = [
            db.execute(select(func.count()).select_from(table)).scalar_one() for table in (jobs, pages, events, blobs)
        ]
    engine.dispose()
    return counts


def test_a_deleted_document_leaves_nothing(database: str) -> None:
    """Guards against a deletion that hides a document and keeps its bytes, its text or its index entries."""
    work = GatedWork(2)

    async def scenario(runner: Uploading) -> None:
        job = await ended(runner, upload("a", document_id="d"))
        await ended(runner, upload("b"))
        await runner.forget("default", "d")
        with pytest.raises(UnknownJob):
            await runner.watch.job(job.id)
        with pytest.raises(UnknownDocument):
            await runner.forget("default", "d")

    run(database, work, scenario)
    assert work.forgotten == [("default", "d")]
    assert blobs_of(database) == ["b"]
    assert rows(database)[::3] == [1, 1]


def test_bytes_that_another_document_shares_stay(database: str) -> None:
    """Guards against a deletion that takes the bytes of another tenant's document."""
    work = GatedWork()

    async def scenario(runner: Uploading) -> None:
        await ended(runner, upload("a", document_id="d"))
        await ended(runner, upload("a", document_id="e"))
        await runner.forget("default", "d")

    run(database, work, scenario)
    assert blobs_of(database) == ["a"]


def test_a_document_that_is_being_read_is_cancelled_first(database: str) -> None:
    """Guards against a page that comes in after its document was deleted, and puts it back."""
    work = GatedWork()

    async def scenario(runner: Uploading) -> None:
        work.gate = asyncio.Event()
        job = await runner.take(upload("a"))
        await work.entered.wait()
        await runner.forget("default", job.document_id)
        await work.left.wait()

    run(database, work, scenario)
    assert rows(database) == [0, 0, 0, 0]
    assert blobs_of(database) == []


def test_a_deletion_survives_the_death_of_the_index(database: str) -> None:
    """Guards against rows that are gone while the index still finds the document."""
    work = GatedWork()
    work.troubles = {-2: [ReplicaDied("gone")]}

    async def scenario(runner: Uploading) -> None:
        await ended(runner, upload("a", document_id="d"))
        await runner.forget("default", "d")

    run(database, work, scenario)
    assert work.forgotten == [("default", "d")]


@pytest.fixture
def dropped(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Set when a blob has been dropped."""
    event, drop = threading.Event(), FolderBlobs.drop

    def dropped(blobs: FolderBlobs, sha256: str) -> None:
        drop(blobs, sha256)
        event.set()

    monkeypatch.setattr(FolderBlobs, "drop", dropped)
    return event


def test_old_documents_are_removed_and_new_ones_kept(database: str, dropped: threading.Event) -> None:
    """Guards against a retention that is set and not kept, or that takes what is still wanted."""

    async def first_life(runner: Uploading) -> None:
        await ended(runner, upload("old", document_id="old"))
        await ended(runner, upload("new", document_id="new"))

    async def second_life(runner: Uploading) -> list[str]:
        assert await asyncio.to_thread(dropped.wait, 60)
        return [job.document_id for job in await runner.watch.jobs("default", 10, None)]

    run(database, GatedWork(), first_life)
    engine = connect(database)
    with engine.begin() as db:
        old = update(jobs).where(jobs.c.document_id == "old")
        db.execute(old.values(finished_at=datetime.now(UTC) - timedelta(days=3)))
        db.execute(update(submissions).values(at=datetime.now(UTC) - timedelta(days=3)))
    engine.dispose()
    assert run(database, GatedWork(), second_life, retention_s=86_400.0) == ["new"]
    assert blobs_of(database) == ["new"]


def test_a_blob_that_a_crash_left_without_a_row_is_dropped_at_the_next_start(
    database: str, dropped: threading.Event
) -> None:
    """Guards against deleted bytes that stay on the disk because the server died in the middle."""

    async def crashed(runner: Uploading) -> None:
        await ended(runner, upload("a", document_id="d"))
        await runner._stored(lambda: runner._store.forget("default", "d"))  # and no further

    async def idle(runner: Uploading) -> None:
        assert await asyncio.to_thread(dropped.wait, 60)

    run(database, GatedWork(), crashed)
    assert blobs_of(database) == ["a"]
    run(database, GatedWork(), idle)
    assert blobs_of(database) == []


def test_events_are_told_once_in_order_and_end_with_the_job(database: str) -> None:
    """Guards against progress that repeats, skips or never ends."""
    work = GatedWork(2)

    async def scenario(runner: Uploading) -> list[tuple[int, str]]:
        job = await runner.take(upload())
        pairs, over = [], False
        while not over:
            new_events, over = await runner.watch.events(job.id, pairs[-1][0] if pairs else 0, 10)
            pairs += [(event.id, event.kind) for event in new_events]
        again, over = await runner.watch.events(job.id, pairs[2][0], 10)
        assert over
        assert [event.id for event in again] == [number for number, _ in pairs[3:]]
        return pairs

    events = run(database, work, scenario, max_pages_in_flight=1)
    kinds = ["queued", "running", "page_started", "page", "page_started", "page", "indexing", "succeeded"]
    assert [kind for _, kind in events] == kinds
    assert [number for number, _ in events] == sorted({number for number, _ in events})


def test_who_waits_for_an_event_is_told_when_nothing_happens(database: str) -> None:
    """Guards against a stream without keep-alive events."""
    work = GatedWork()

    async def scenario(runner: Uploading) -> tuple[list, bool]:
        work.gate = asyncio.Event()
        job = await runner.take(upload())
        await work.entered.wait()
        events, _ = await runner.watch.events(job.id, 0, 10)
        return await runner.watch.events(job.id, events[-1].id, 0.05)

    assert run(database, work, scenario) == ([], False)


@pytest.mark.parametrize(("own", "server"), [(0.05, 600), (None, 0.05), (600, 0.05)])
def test_a_page_that_outlives_its_deadline_fails_alone(database: str, own: float | None, server: float) -> None:
    """Guards against one page that holds its document for ever; the server's limit holds whatever is asked for."""
    work = GatedWork(1)

    async def scenario(runner: Uploading):
        work.gate = asyncio.Event()
        return await ended(runner, upload(page_deadline_s=own))

    job = run(database, work, scenario, page_deadline_s=server)
    assert job.pages[0].error.code == "page_timeout"
    assert work.cancelled == [1]
