"""Calls the database off the event loop: all writes in one thread, one after the other, reads in threads of theirs."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from sqlalchemy.exc import DatabaseError, InterfaceError, OperationalError

from deployments.calls.call_retries import wait_while_busy
from deployments.errors import DatabaseAway, DatabaseDamaged, DiskFull

T = TypeVar("T")
POSTGRES_DISK_FULL = "53100"
POSTGRES_NO_TABLE = "42P01"


class StoreThread:
    """Await it with what is to be called there."""

    def __init__(self, name: str = "job-store", num_threads: int = 1) -> None:
        self._thread = ThreadPoolExecutor(num_threads, thread_name_prefix=name)

    async def __call__(self, change: Callable[[], T]) -> T:
        """What `change` gives. Raises DatabaseAway, DiskFull, DatabaseDamaged, or what it raises."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, change)
        except DatabaseError as error:
            if (named := _named(error)) is None:
                raise
            raise named from error

    async def retry_until_done(self, change: Callable[[], T]) -> T:
        """The result of `change`, which may run twice, once the database answers. Raises Busy."""
        return await wait_while_busy(lambda: self(change))

    def close(self) -> None:
        """Let go of the thread, which must be idle."""
        self._thread.shutdown(wait=False)


def _named(error: DatabaseError) -> Exception | None:
    """What a database's error means to callers; None: a bug of ours. By the codes of SQLite and PostgreSQL."""
    code = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF  # the rest says more than is needed here
    sqlstate = getattr(error.orig, "sqlstate", None)
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return DatabaseDamaged("the job database is damaged: restore it from a backup")
    if code == sqlite3.SQLITE_FULL or sqlstate == POSTGRES_DISK_FULL:
        return DiskFull("the disk of the job database is full")
    if sqlstate == POSTGRES_NO_TABLE:  # who takes the lease creates them
        return DatabaseAway("the job database has no tables yet")
    if isinstance(error, OperationalError | InterfaceError):
        return DatabaseAway("the job database does not answer")
    return None
