"""Opens the folder or bucket of the index, with a bound on the memory that all of its tables share."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

import lancedb
from lancedb.db import AsyncConnection

CACHE_MB = 256
NUM_CACHE_PARTS = 4  # one part is for descriptions of files, the others are for indices


async def connected(
    uri: str,
    storage_options: Mapping[str, str] | None = None,
    consistency_s: float | None = 0,
    cache_mb: int = CACHE_MB,
) -> tuple[AsyncConnection, lancedb.Session]:
    """The connection to `uri`, a folder or `s3://`, `gs://`, `az://`, and what of it is in memory.

    `consistency_s`: how old what a reader sees may be; 0 looks at every query whether something was written.
    `cache_mb`: what of the index is kept in memory at most.
    """
    # each commit makes caches of its own, and LanceDB's bounds, 7 GB, let those of all versions pile up
    index_bytes = cache_mb * 1_000_000
    session = lancedb.Session(index_bytes * (NUM_CACHE_PARTS - 1) // NUM_CACHE_PARTS, index_bytes // NUM_CACHE_PARTS)
    connection = await lancedb.connect_async(
        uri,
        read_consistency_interval=None if consistency_s is None else timedelta(seconds=consistency_s),
        storage_options=dict(storage_options or {}) or None,
        session=session,
    )
    return connection, session
