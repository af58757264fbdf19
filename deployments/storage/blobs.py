"""The interface of what stores uploads: files under the SHA-256 of their content, each whole or not there."""

from __future__ import annotations

import abc
import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Iterator
from typing import BinaryIO, TypeVar

from deployments.calls.background_tasks import DetachedTasks
from deployments.storage.bucket import Bucket
from deployments.storage.staged_upload import StagedUpload
from deployments.values.staged_blob import StagedBlob

T = TypeVar("T", bound=StagedBlob)
MAX_STAGED_AGE_S = 3600  # an older staged file belongs to nobody
FOLDER_NAMES = tuple(f"{number:02x}" for number in range(256))  # the folders of blobs, by how their names begin


class BlobStore(abc.ABC):
    """Its methods block and may be called in any thread. Any raises DiskFull or BlobStoreAway."""

    def __init__(self) -> None:
        self._tasks = DetachedTasks()

    @abc.abstractmethod
    def address(self, sha256: str) -> str:
        """Where the renderer finds a blob: a path, or a URL of the bucket."""

    @abc.abstractmethod
    def of_shard(self, shard: int) -> BlobStore:
        """The store that the owner of a shard has alone; what is staged in either may be kept in the other."""

    @abc.abstractmethod
    def incoming(self) -> StagedUpload:
        """An empty staged file, for what arrives."""

    @abc.abstractmethod
    def copied(self, sha256: str) -> StagedBlob:
        """A blob's content as what is staged; no byte of it passes through here. Raises FileNotFoundError."""

    @abc.abstractmethod
    def copy_in(self, bucket: Bucket, key: str) -> str:
        """The address of a staged copy of what lies in any bucket; nothing is left when that fails.

        Raises FileNotFoundError.
        """

    @abc.abstractmethod
    def open(self, address: str) -> BinaryIO:
        """A blob, or what is staged and whole, to be read anywhere. Raises FileNotFoundError."""

    @abc.abstractmethod
    def keep(self, staged: StagedBlob) -> None:
        """Give the content its name: from now on it is there, also after a crash."""

    @abc.abstractmethod
    def discard(self, staged: StagedBlob) -> None:
        """Remove what was staged, unless it was kept; where the bucket is away, `sweep` removes it later."""

    @abc.abstractmethod
    def drop(self, sha256: str) -> None:
        """Forget a blob; one that is not there is as good as forgotten."""

    @abc.abstractmethod
    def kept(self) -> Iterator[list[str]]:
        """The SHA-256 of every blob that has been there for a while, a folder at a time."""

    @abc.abstractmethod
    def sweep(self) -> None:
        """Remove what uploads staged that never came to their end."""

    @abc.abstractmethod
    def check(self) -> None:
        """Nothing, where uploads can be stored."""

    def stage(self, content: BinaryIO) -> StagedBlob:
        """Store the content under a temporary name, an incoming file where it is; nothing is left when that fails."""
        if isinstance(content, StagedUpload):
            return content.hand_over()
        with self.incoming() as file:
            while chunk := content.read(1 << 20):
                file.write(chunk)
            return file.hand_over()

    @contextlib.asynccontextmanager
    async def staged(self, content: BinaryIO) -> AsyncIterator[StagedBlob]:
        """The content, staged for as long as the block lasts; its bytes are deleted then, unless they were kept.

        A caller that is cancelled while it is being written leaves nothing, either.
        """
        async with self.holding(await self.finished(asyncio.to_thread(self.stage, content))) as staged:
            yield staged

    @contextlib.asynccontextmanager
    async def holding(self, staged: T) -> AsyncIterator[T]:
        """What is staged; its bytes are deleted when the block is left, unless they were kept."""
        try:
            yield staged
        finally:
            await asyncio.shield(asyncio.to_thread(self.discard, staged))

    async def finished(self, staging: Awaitable[T]) -> T:
        """What is being staged somewhere; a caller that is cancelled meanwhile leaves nothing."""
        writing = asyncio.ensure_future(staging)
        try:
            return await asyncio.shield(writing)
        except asyncio.CancelledError:  # a thread cannot be stopped, but it comes to its end
            # it goes on also when we are cancelled once more
            await asyncio.shield(self._tasks.start(self._discard_when_written(writing)))
            raise

    async def _discard_when_written(self, writing: asyncio.Future[T]) -> None:
        with contextlib.suppress(Exception):
            await asyncio.to_thread(self.discard, await writing)


def is_stale(modified_at: float) -> bool:
    """Whether what was written then, in seconds since 1970, belongs to nobody."""
    return time.time() - modified_at > MAX_STAGED_AGE_S
