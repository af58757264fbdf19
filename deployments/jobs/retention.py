"""Deletes what is too old (`limits.retention_days`): documents, leftover uploads, dead letters of webhooks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta

from deployments.jobs.store.store import JobStore
from deployments.storage.blobs import BlobStore

logger = logging.getLogger("ray.serve")
SWEEP_PERIOD_S = 3600.0  # between two sweeps for what is too old


async def retain(
    older_than: Callable[[datetime], Awaitable[list[tuple[str, str]]]],
    forget: Callable[[str, str, datetime], Awaitable[None]],
    *,
    retention_s: float,
) -> None:
    """Forget every document that ended more than `retention_s` seconds ago, now and from time to time.

    `forget` gets the time of the list, for a document may have been uploaded again since.
    """
    while True:
        moment = datetime.now(UTC) - timedelta(seconds=retention_s)
        try:
            for namespace, document_id in await older_than(moment):
                await _removed_or_logged(namespace, document_id, forget(namespace, document_id, moment))
        except Exception:  # the database may be away for a moment
            logger.exception("expired documents could not be listed")
        await asyncio.sleep(min(SWEEP_PERIOD_S, retention_s))


async def sweep(blobs: BlobStore) -> None:
    """Remove the staged files of broken uploads, now and from time to time."""
    while True:
        try:
            await asyncio.to_thread(blobs.sweep)
        except OSError:  # the disk may be away for a moment
            logger.exception("leftover uploads could not be removed")
        await asyncio.sleep(SWEEP_PERIOD_S)


async def purge_dead_letters(purge: Callable[[], Awaitable[None]]) -> None:
    """Remove the dead letters of webhooks that are too old, now and from time to time."""
    while True:
        try:
            await purge()
        except Exception:  # the database may be away for a moment
            logger.exception("old dead letters could not be removed")
        await asyncio.sleep(SWEEP_PERIOD_S)


async def _removed_or_logged(namespace: str, document_id: str, removal: Awaitable[None]) -> None:
    try:
        await removal
    except Exception:  # the next round tries again
        logger.exception("document %s of %s could not be removed", document_id, namespace)


def forget(store: JobStore, blobs: BlobStore, namespace: str, document_id: str) -> None:
    """Remove a document's jobs and bytes; jobs first, for one without its blob would be a lie."""
    _let_go(store, blobs, store.forget(namespace, document_id))


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
