"""Files that become jobs though no byte of them arrives here: objects of buckets, and files that are stored."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from deployments.calls.cancellable_calls import call
from deployments.errors import UnknownJob
from deployments.ingress.operations.callers import Caller
from deployments.ingress.operations.services import Services
from deployments.ingress.operations.submission import shown_name
from deployments.storage.bucket_objects import check_object_address
from deployments.values.shards import shard_of
from deployments.values.staged_blob import StagedFile


@dataclass(frozen=True, slots=True)
class BucketObject:
    """An object of a bucket, which a renderer copies into the store."""

    name: str
    url: str

    @asynccontextmanager
    async def staged(self, services: Services, caller: Caller, /) -> AsyncIterator[StagedFile]:
        """Raises as `BucketObjects.staged_object`."""
        async with services.copy_slots.slot(caller.name):
            copied = await services.blobs.finished(call(services.renderer.staged_object.remote(self.url)))
            async with services.blobs.holding(copied) as staged:
                yield staged


def bucket_object(services: Services, url: str, name: str = "") -> BucketObject:
    """The object at an address, called as the last part of its key by default. Raises SourceRefused."""
    check_object_address(url, services.settings)
    return BucketObject(shown_name(name or url.rsplit("/", 1)[-1]), url)


@dataclass(frozen=True, slots=True)
class StoredFile:
    """The file of a job."""

    job_id: str
    name: str
    sha256: str
    media_type: str

    @asynccontextmanager
    async def staged(self, services: Services, _caller: Caller, /) -> AsyncIterator[StagedFile]:
        """Raises UnknownJob: its document was deleted meanwhile."""
        blobs = await asyncio.to_thread(services.blobs.of_shard, shard_of(self.job_id))
        try:
            copied = await blobs.finished(asyncio.to_thread(blobs.copied, self.sha256))
        except FileNotFoundError:
            raise UnknownJob(self.job_id) from None
        async with blobs.holding(copied) as staged:
            yield StagedFile(staged.address, staged.sha256, staged.size, self.media_type)
