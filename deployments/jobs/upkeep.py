"""What Jobs does as time goes by: it keeps its lease, and removes what is too old or unwanted."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from deployments.blobs import BlobStore
from deployments.jobs.lease import LeaseLost
from deployments.jobs.store import JobStore

logger = logging.getLogger("ray.serve")
RETAIN_S = 3600.0  # between two looks at what is too old


async def take_lease(acquire: Callable[[], Awaitable[float]]) -> None:
    """Wait until the lease is ours; `acquire` gives the seconds until another owner's may have run out."""
    while left_s := await acquire():  # noqa: ASYNC110  it is time itself that is waited for
        await asyncio.sleep(left_s)


async def keep_lease(renew: Callable[[], Awaitable[None]], lose: Callable[[], None], *, lease_s: float) -> None:
    """Renew the lease three times in its life, until another owner has taken it: then `lose` is called."""
    while True:
        await asyncio.sleep(lease_s / 3)
        try:
            await renew()
        except LeaseLost:
            lose()
            return
        except Exception:  # the database may be away for a moment; nobody can take the lease meanwhile either
            logger.exception("the lease of the jobs could not be renewed")


async def retain(
    older_than: Callable[[datetime], Awaitable[list[tuple[str, str]]]],
    forget: Callable[[str, str], Awaitable[None]],
    *,
    retention_s: float,
) -> None:
    """Forget every document that ended more than `retention_s` seconds ago, now and from time to time."""
    while True:
        for namespace, document_id in await older_than(datetime.now(UTC) - timedelta(seconds=retention_s)):
            try:
                await forget(namespace, document_id)
            except Exception:  # the next round tries again
                logger.exception("document %s could not be removed", document_id)
        await asyncio.sleep(min(RETAIN_S, retention_s))


def forget(store: JobStore, blobs: BlobStore, namespace: str, document_id: str) -> None:
    """Remove a document's rows and bytes; rows first, for a row without its blob would be a lie."""
    for sha256 in store.forget(namespace, document_id):
        blobs.drop(sha256)


def drop_unwanted(store: JobStore, blobs: BlobStore) -> None:
    """Drop the blobs that a crash left without a row."""
    for sha256 in blobs.kept():
        if not store.wants(sha256):
            blobs.drop(sha256)
