"""Which shard a document and a job belong to: shards are owners of jobs, each with rows, uploads and an index table."""

from __future__ import annotations

import hashlib
import re
import uuid

MAX_SHARDS = 999  # three digits of an id
ID = r"(?:[1-9][0-9]{0,2}-)?[0-9a-f]{32}"  # after the kind of what it names: `job_`
_SHARD = re.compile(r"[a-z]+_([1-9][0-9]{0,2})-")


def new_id(kind: str, shard: int) -> str:
    """An id that names its shard; those of shard 0 are as before there were shards."""
    return f"{kind}_{f'{shard}-' if shard else ''}{uuid.uuid4().hex}"


def shard_of(id_: str) -> int:
    """The shard of a job or an extraction."""
    match = _SHARD.match(id_)
    return int(match[1]) if match else 0


def homes(namespace: str, document_id: str, num_shards: int) -> tuple[int, ...]:
    """The shards that may hold a document, first that in which it begins; the others had it if it came earlier.

    Of `num_shards` about ln(num_shards) + 0.6.
    """
    digest = hashlib.sha256(f"{namespace}\x1f{document_id}".encode()).digest()
    return tuple(reversed(jumps(int.from_bytes(digest[:8]), num_shards)))


def jumps(key: int, num_buckets: int) -> list[int]:
    """The buckets to which 64 bits belong as the number of buckets grows, up to `num_buckets`; each once.

    Jump consistent hash: Lamping, Veach, 2014, arXiv 1406.2294.
    """
    buckets = [0]
    while True:
        key = (key * 2862933555777941757 + 1) % (1 << 64)
        following = int((buckets[-1] + 1) * (1 << 31) / ((key >> 33) + 1))
        if following >= num_buckets:
            return buckets
        buckets.append(following)
