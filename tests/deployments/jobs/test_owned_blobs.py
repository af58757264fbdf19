"""`deployments.jobs.owned_blobs`: no job is without its bytes, and no bytes stay that no job wants."""

from __future__ import annotations

import asyncio
import io
import threading
from pathlib import Path

import pytest
from sqlalchemy import update

from deployments.errors import BlobStoreAway, QueueFull
from deployments.jobs.store.database_schema import connect, lease
from deployments.jobs.store.lease import Lease, LeaseLost
from deployments.storage.blobs import MAX_STAGED_AGE_S
from deployments.storage.folder_blobs import FolderBlobs
from tests.deployments.gated_work import GatedWork, Uploading, blobs_of, ended, held, run, upload


def test_bytes_that_come_again_while_they_are_dropped_stay(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against a job that was accepted, and whose bytes the deletion of another document took along."""
    dropping, leave, drop = threading.Event(), threading.Event(), FolderBlobs.drop

    def slow(blobs: FolderBlobs, sha256: str) -> None:
        dropping.set()
        assert leave.wait(60)
        drop(blobs, sha256)

    async def scenario(runner: Uploading) -> str:
        await ended(runner, upload("a", document_id="old"))
        forgetting = asyncio.create_task(runner.forget("default", "old"))
        assert await asyncio.to_thread(dropping.wait, 60)
        taking = asyncio.create_task(ended(runner, upload("a", document_id="new")))
        for _ in range(100):  # time for a job that does not wait for its turn
            await asyncio.to_thread(int)
        leave.set()
        await forgetting
        return (await taking).status

    monkeypatch.setattr(FolderBlobs, "drop", slow)
    assert run(database, GatedWork(), scenario) == "succeeded"
    assert blobs_of(database) == ["a"]


def test_a_deletion_waits_for_a_storage_that_is_away(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against bytes of a deleted document that stay since the bucket did not answer for a moment."""
    drop, num_calls = FolderBlobs.drop, 0

    def away_twice(blobs: FolderBlobs, sha256: str) -> None:
        nonlocal num_calls
        num_calls += 1
        if num_calls <= 2:
            raise BlobStoreAway("away")
        drop(blobs, sha256)

    async def scenario(runner: Uploading) -> None:
        await ended(runner, upload("a", document_id="d"))
        await runner.forget("default", "d")

    monkeypatch.setattr(FolderBlobs, "drop", away_twice)
    run(database, GatedWork(), scenario)
    assert blobs_of(database) == []


def test_files_without_a_row_are_dropped_where_jobs_are_known(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against bytes that a crash left before their row, and against those of a job that is known."""
    monkeypatch.setattr("deployments.storage.blobs.MAX_STAGED_AGE_S", -MAX_STAGED_AGE_S)
    store = FolderBlobs(Path(database.removeprefix("sqlite:///")).parent / "blobs")
    store.keep(store.stage(io.BytesIO(b"orphan")))

    async def scenario(runner: Uploading) -> list[list[str]]:
        before = await asyncio.to_thread(blobs_of, database)
        await ended(runner, upload("a"))
        await runner._owned_blobs.drop_unwanted()
        return [before, await asyncio.to_thread(blobs_of, database)]

    assert run(database, GatedWork(), scenario) == [["orphan"], ["a"]]


def test_an_owner_whose_lease_was_taken_drops_nothing(database: str) -> None:
    """Guards against a job of the new owner without its file: the earlier one had kept the same bytes, then no row."""

    def take_over() -> None:
        engine = connect(database)
        with engine.begin() as db:
            db.execute(update(lease).values(owner="successor"))
        engine.dispose()

    async def scenario(runner: Uploading) -> None:
        committing, leave = held(runner._store, "submit")
        taking = asyncio.create_task(runner.take(upload("a")))
        await committing.wait()
        await asyncio.to_thread(take_over)
        leave.set()
        with pytest.raises(LeaseLost):
            await taking
        assert await asyncio.to_thread(blobs_of, database) == ["a"]

    run(database, GatedWork(), scenario)


def test_a_refusal_stays_what_it_is_where_the_lease_may_run_out(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against an error of ours in the place of 507: a full disk keeps the lease from being renewed, too."""

    def may_run_out(*_: object) -> None:
        raise LeaseLost("about to")

    async def scenario(runner: Uploading) -> None:
        monkeypatch.setattr(Lease, "check", may_run_out)
        with pytest.raises(QueueFull):
            await runner.take(upload("a"))

    run(database, GatedWork(), scenario, max_queued_jobs=0)
