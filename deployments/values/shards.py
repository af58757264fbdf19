"""Which shard a document and a job belong to: shards are owners of jobs, each with rows, uploads and an index table."""

from __future__ import annotations

import hashlib
import re
import uuid
from dataclasses import dataclass

from deployments.values.attachment_ids import root_of

MAX_SHARDS = 100
JOB_ID = r"job_(?:[1-9][0-9]{0,2}-)?[0-9a-f]{32}"
SHARD_PREFIX = re.compile(r"[a-z]+_([1-9][0-9]{0,2})-")


@dataclass(frozen=True, slots=True)
class Shard:
    """A shard among all that there are."""

    number: int = 0
    count: int = 1

    @property
    def others(self) -> tuple[int, ...]:
        return tuple(number for number in range(self.count) if number != self.number)


SINGLE_SHARD = Shard()  # where there are no others


def folder_of(shard: int) -> str:
    """The folder of its uploads, below that of shard 0."""
    return f"shard_{shard}"


def deployment_of(shard: int) -> str:
    """The deployment that owns its jobs."""
    return f"Jobs{shard or ''}"


def new_id(kind: str, shard: int) -> str:
    """An id that names its shard; those of shard 0 are as before there were shards."""
    return f"{kind}_{f'{shard}-' if shard else ''}{uuid.uuid4().hex}"


def shard_of(id_: str) -> int:
    """The shard of a job or an extraction."""
    match = SHARD_PREFIX.match(id_)
    return int(match[1]) if match else 0


def possible_shards(namespace: str, document_id: str, num_shards: int) -> tuple[int, ...]:
    """The shards that may hold a document, first that in which it begins; the others had it if it came earlier.

    Of `num_shards` about ln(num_shards) + 0.6. What is attached to a document is where that is.
    """
    digest = hashlib.sha256(f"{namespace}\x1f{root_of(document_id)}".encode()).digest()
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
