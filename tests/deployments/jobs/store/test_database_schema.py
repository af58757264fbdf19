"""`database_schema`: an owner that has vanished in the middle of a change does not hold the jobs for ever."""

from __future__ import annotations

import contextlib

import pytest
from sqlalchemy import update
from sqlalchemy.exc import OperationalError

from deployments.jobs.store import database_schema
from deployments.jobs.store.store import JobStore


@pytest.mark.slow
def test_a_transaction_whose_owner_has_vanished_is_ended_by_postgresql(
    shards: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards against a server that waits for hours for a lock of one that is cut off from the database."""
    monkeypatch.setattr(database_schema, "LOCK_TIMEOUT_S", 1)
    first, second = (JobStore(shards, max_unfinished=1) for _ in range(2))
    assert first.acquire(-1) == 0  # run out at once
    silent = first._engine.connect()
    silent.execute(update(database_schema.lease).values(until=0))  # and never a word again
    with contextlib.suppress(OperationalError):  # the wait is given up, or the other one is ended
        second.acquire(10)
    assert second.acquire(10) == 0
    silent.invalidate()
    first._engine.dispose()
    second.close()


def test_a_commit_on_sqlite_is_on_the_disk(database: str) -> None:
    """Guards against a page that was told as finished and is gone after the power failed."""
    engine = database_schema.connect(database)
    with engine.connect() as db:
        pragmas = [db.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("journal_mode", "synchronous")]
    engine.dispose()
    assert pragmas == ["wal", 2]
