"""Deletes what is too old (`limits.retention_days`): documents, leftover uploads, dead letters of webhooks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

from deployments.jobs.store.store import JobStore
from deployments.storage.blobs import BlobStore

logger = logging.getLogger("ray.serve")
SWEEP_PERIOD_S = 3600.0  # between two searches for what is too old


async def repeat(upkeep: Callable[[], Awaitable[object]], what: str, period_s: float | None = None) -> None:
    """Do it now and from time to time; one that fails is done again at its next time."""
    while True:
        try:
            await upkeep()
        except Exception:  # the database or the disk may be away for a moment
            logger.exception("%s could not be removed", what)
        await asyncio.sleep(SWEEP_PERIOD_S if period_s is None else min(SWEEP_PERIOD_S, period_s))


def forget(
    store: JobStore, blobs: BlobStore, namespace: str, document_id: str, only_superseded: datetime | None = None
) -> None:
    """As `JobStore.forget`, with the bytes; jobs first, for one without its blob would be a lie."""
    _let_go(store, blobs, store.forget(namespace, document_id, only_superseded))


def drop_unwanted(store: JobStore, blobs: BlobStore) -> None:
    """Drop what a crash left: blobs whose jobs are gone, and files that came to no row.

    Files without a row stay where no job is known at all: that may be another database beside the same folder.
    """
    _let_go(store, blobs, store.records.unwanted())
    for sha256 in blobs.kept() if store.records.num_jobs() else ():
        if not store.records.wants(sha256):
            blobs.drop(sha256)


def _let_go(store: JobStore, blobs: BlobStore, hashes: Sequence[str]) -> None:
    """Bytes, then the rows that say they are there."""
    for sha256 in hashes:
        blobs.drop(sha256)
    store.let_go(hashes)
