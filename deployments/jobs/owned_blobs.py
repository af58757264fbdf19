"""Keeps the bytes of a job with its row, and drops those that no job wants."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import weakref
from collections.abc import Callable, Coroutine, Iterable
from datetime import datetime
from typing import Any

from deployments.calls.call_retries import wait_while_busy
from deployments.errors import Busy
from deployments.jobs.store.job_queries import forget_blob
from deployments.jobs.store.lease import LeaseLost
from deployments.jobs.store.store import JobStore
from deployments.jobs.store.store_thread import StoreThread
from deployments.storage.blobs import BlobStore
from deployments.values.jobs import Plan, Submission
from deployments.values.staged_blob import StagedBlob

NUM_PER_QUERY = 10_000  # maximum blobs of one query


class OwnedBlobs:
    """One at a time keeps or drops the bytes of one SHA-256, so no job is without its bytes.

    The bytes come before the row, and go after it: what a crash leaves is bytes that no job wants.
    """

    def __init__(
        self,
        store: JobStore,
        stored: StoreThread,
        read: StoreThread,
        blobs: BlobStore,
        *,
        start: Callable[[Coroutine[Any, Any, None]], asyncio.Future[None]],
    ) -> None:
        """Searches that take long run in `read`; `start` begins a task that goes on when the caller goes away."""
        self._store = store
        self._stored = stored
        self._read = read
        self._blobs = blobs
        self._start = start
        self._turns: weakref.WeakValueDictionary[str, asyncio.Lock] = weakref.WeakValueDictionary()

    async def take(self, submission: Submission, staged: StagedBlob, mail: Plan | None = None) -> str:
        """The id of the job of an upload; see `JobStore.submit`. What no row wants is not kept.

        Raises Busy where the staged bytes are gone.
        """
        async with self._turn(submission.sha256):
            try:
                await asyncio.to_thread(self._blobs.keep, staged)
            except FileNotFoundError:  # an earlier owner refused the document, and dropped its bytes
                raise Busy("the upload is gone; send it again") from None
            try:
                job_id, _ = await self._stored(lambda: self._store.submit(submission, mail))
            except Exception:
                with contextlib.suppress(LeaseLost):  # `drop_unwanted` of the owner is left to drop them
                    await self._drop_if_unwanted(submission.sha256)
                raise
            return job_id

    async def forget(self, namespace: str, document_id: str, only_superseded: datetime | None = None) -> None:
        """As `JobStore.forget`, with the bytes; it waits while the storage is away."""
        hashes = await self._stored(lambda: self._store.forget(namespace, document_id, only_superseded))
        await asyncio.shield(self._start(self._drop(hashes)))

    async def drop_unwanted(self) -> None:
        """Drop what a crash left: blobs whose jobs are gone, and files that came to no row.

        Files without a row stay where no job is known at all: that may be another database beside the same folder.
        """
        records = self._store.records
        await self._drop(await self._read(records.unwanted))
        if not await self._read(records.num_jobs):
            return
        folders = self._blobs.kept()
        while (hashes := await asyncio.to_thread(next, folders, None)) is not None:
            for first in range(0, len(hashes), NUM_PER_QUERY):
                part = hashes[first : first + NUM_PER_QUERY]
                await self._drop(await self._read(functools.partial(records.unwanted_of, part)))

    async def _drop(self, hashes: Iterable[str]) -> None:
        for sha256 in hashes:
            async with self._turn(sha256):
                await wait_while_busy(functools.partial(self._drop_if_unwanted, sha256))

    async def _drop_if_unwanted(self, sha256: str) -> None:
        """Bytes, then the row that says they are there."""
        if await self._stored(lambda: self._store.is_unwanted(sha256)):  # it may have come again meanwhile
            await asyncio.to_thread(self._blobs.drop, sha256)
            await self._stored(lambda: self._store.change(lambda db: forget_blob(db, sha256)))

    def _turn(self, sha256: str) -> asyncio.Lock:
        return self._turns.setdefault(sha256, asyncio.Lock())
