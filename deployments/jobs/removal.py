"""Deletes a document: cancels its jobs, then removes index entries, database rows and the stored file, in this
order.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta

from deployments.calls.call_retries import with_retries
from deployments.errors import UnknownDocument
from deployments.jobs.owned_blobs import OwnedBlobs
from deployments.jobs.pipeline_work import Work
from deployments.jobs.store.store import JobStore
from deployments.jobs.store.store_thread import StoreThread
from deployments.values.attachment_ids import prefixes_of

logger = logging.getLogger("ray.serve")
MAX_FORGET_ATTEMPTS = 3


class Removal:
    """Removes documents that a caller wants gone, or that are too old."""

    def __init__(
        self,
        store: JobStore,
        stored: StoreThread,
        owned_blobs: OwnedBlobs,
        work: Work,
        *,
        turn: Callable[[str, str], asyncio.Lock],
        cancel_all: Callable[[str, str], Awaitable[int]],
    ) -> None:
        """`turn` is held by who changes the index entries of a document; `cancel_all` ends what works on one.

        It gives the number of the document's jobs.
        """
        self._store = store
        self._stored = stored
        self._owned_blobs = owned_blobs
        self._work = work
        self._turn = turn
        self._cancel_all = cancel_all

    async def forget(self, namespace: str, document_id: str) -> None:
        """Remove a document for good: its tasks are cancelled, then index entries, rows and blob go, in this order.

        A job of it that comes meanwhile is done and found: its entries come after the others have gone. Documents that
        were its attachments go along.

        Raises:
            UnknownDocument: there is none of this id in the namespace.
        """
        if not await self._cancel_all(namespace, document_id):  # first, for a job that is opened submits attachments
            raise UnknownDocument(document_id)
        for prefix in prefixes_of(document_id):
            attached_to = functools.partial(self._store.records.attached_to, namespace, document_id, prefix)
            for attached in await self._stored(attached_to):
                with contextlib.suppress(UnknownDocument):  # another call removes it, too
                    await self.forget(namespace, attached)
        async with self._turn(namespace, document_id):
            await self._removed(namespace, document_id)

    async def retire(self, retention_s: float) -> None:
        """Remove the documents all of whose jobs ended more than so many seconds ago, and of the others the revisions
        whose place another one took as long ago: the index has none of these.
        """
        moment = datetime.now(UTC) - timedelta(seconds=retention_s)
        for namespace, document_id in await self._stored(lambda: self._store.records.superseded(moment)):
            with _logged(namespace, document_id):
                await self._owned_blobs.forget(namespace, document_id, moment)
        for namespace, document_id in await self._older_than(moment):
            with _logged(namespace, document_id):
                async with self._turn(namespace, document_id):
                    if (namespace, document_id) in await self._older_than(moment):  # it may have come again meanwhile
                        await self._removed(namespace, document_id)

    async def _older_than(self, moment: datetime) -> list[tuple[str, str]]:
        return await self._stored(lambda: self._store.records.older_than(moment))

    async def _removed(self, namespace: str, document_id: str) -> None:
        await with_retries(lambda: self._work.forget(namespace, document_id), attempts=MAX_FORGET_ATTEMPTS)
        await self._owned_blobs.forget(namespace, document_id)


@contextlib.contextmanager
def _logged(namespace: str, document_id: str) -> Iterator[None]:
    """What fails for one document is tried again in the next round, and keeps no other from being removed."""
    try:
        yield
    except Exception:
        logger.exception("document %s of %s could not be removed", document_id, namespace)
