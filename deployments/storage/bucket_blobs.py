"""Stores uploads in a bucket: each is written in parts while it arrives, and copied there to its name."""

from __future__ import annotations

import contextlib
import io
import os
import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO, cast

from deployments.errors import BlobStoreAway
from deployments.storage.blobs import FOLDER_NAMES, BlobStore, is_stale
from deployments.storage.bucket import Bucket, bucket_errors
from deployments.storage.staged_upload import StagedUpload
from deployments.values.shards import folder_of
from deployments.values.staged_blob import StagedBlob

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer
    from pyarrow import NativeFile

UPLOAD_FOLDER = "incoming"  # the folder of staged files
HEAD_BYTES = 1 << 20  # the start of a file that stays in memory while it arrives: most are looked at without a request
READ_BYTES = 8 << 20  # bytes per request


class BucketBlobs(BlobStore):
    """Keys are as the paths of `FolderBlobs`."""

    def __init__(self, bucket: Bucket) -> None:
        super().__init__()
        self._bucket = bucket

    def of_shard(self, shard: int) -> BucketBlobs:
        return BucketBlobs(self._bucket.below(folder_of(shard))) if shard else self

    def address(self, sha256: str) -> str:
        return self._bucket.url_of(_key(sha256))

    def incoming(self) -> StagedUpload:
        return StagedUpload(lambda: BucketFile(self._bucket, _staged_key()))

    def copied(self, sha256: str) -> StagedBlob:
        size = self._bucket.size(_key(sha256))
        return StagedBlob(self.copy_in(self._bucket, _key(sha256)), sha256, size)

    def copy_in(self, bucket: Bucket, key: str) -> str:
        staged_key = _staged_key()
        self._bucket.copy_from(bucket.url_of(key), staged_key)
        return self._bucket.url_of(staged_key)

    def open(self, address: str) -> BinaryIO:
        return opened(self._bucket, self._bucket.key_of(address))

    def keep(self, staged: StagedBlob) -> None:
        self._bucket.copy_from(staged.address, _key(staged.sha256))

    def discard(self, staged: StagedBlob) -> None:
        with contextlib.suppress(BlobStoreAway):
            self._bucket.delete(self._bucket.key_of(staged.address))

    def drop(self, sha256: str) -> None:
        self._bucket.delete(_key(sha256))

    def kept(self) -> Iterator[list[str]]:
        for name in FOLDER_NAMES:
            yield [info.base_name for info in self._bucket.listed(name) if is_stale(info.mtime_ns / 1e9)]

    def sweep(self) -> None:
        for info in self._bucket.listed(UPLOAD_FOLDER):
            if is_stale(info.mtime_ns / 1e9):
                self._bucket.delete(f"{UPLOAD_FOLDER}/{info.base_name}")

    def check(self) -> None:
        self._bucket.check()


class BucketFile:
    """A staged file of the bucket, there once it is finished. Its methods raise BlobStoreAway."""

    def __init__(self, bucket: Bucket, key: str) -> None:
        self.address = bucket.url_of(key)
        self._bucket = bucket
        self._key = key
        self._output = bucket.write(key)
        self._input: NativeFile | None = None
        self._head = b""
        self._size = 0
        self._place = 0  # of the next byte that is read

    def write(self, content: ReadableBuffer) -> int:
        if (room := HEAD_BYTES - len(self._head)) > 0:
            self._head += memoryview(content)[:room]
        with bucket_errors():
            count = self._output.write(content)
        self._size += count
        return count

    def read(self, size: int) -> bytes:
        end = min(self._place + size, self._size)
        chunk = self._head[self._place : end] if end <= len(self._head) else self._fetched(end - self._place)
        self._place += len(chunk)
        return chunk

    def seek(self, offset: int, whence: int) -> int:
        self._place = offset if whence == os.SEEK_SET else offset + self._size
        return self._place

    def finish(self) -> None:
        with bucket_errors():
            self._output.close()

    def close(self) -> None:
        if self._input is not None:
            self._input.close()

    def remove(self) -> None:
        """Delete it; pyarrow cannot give up what it has begun to write, so that is finished before."""
        with contextlib.suppress(BlobStoreAway):  # it is swept later
            self.close()
            self.finish()
            self._bucket.delete(self._key)

    def _fetched(self, size: int) -> bytes:
        self.finish()
        source = self._input = self._input or self._bucket.read(self._key)
        with bucket_errors():
            source.seek(self._place)
            return source.read(size)


def opened(bucket: Bucket, key: str) -> BinaryIO:
    """A file of a bucket, to be read anywhere; a small one is read with one request. Raises FileNotFoundError."""
    return cast("BinaryIO", io.BufferedReader(_Reading(bucket.read(key)), READ_BYTES))


class _Reading(io.RawIOBase):
    """A file of the bucket whose reads are requests."""

    def __init__(self, file: NativeFile) -> None:
        super().__init__()
        self._file = file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        with bucket_errors():
            return self._file.readinto(buffer)

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def close(self) -> None:
        self._file.close()
        super().close()


def _staged_key() -> str:
    return f"{UPLOAD_FOLDER}/{uuid.uuid4().hex}"


def _key(sha256: str) -> str:
    return f"{sha256[:2]}/{sha256}"
