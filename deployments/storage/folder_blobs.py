"""Stores uploads in a folder, named after their content."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from deployments.storage.blobs import FOLDER_NAMES, BlobStore, is_stale
from deployments.storage.bucket import Bucket
from deployments.storage.bucket_blobs import opened
from deployments.storage.disk import disk_errors
from deployments.storage.staged_upload import StagedUpload
from deployments.values.shards import folder_of
from deployments.values.staged_blob import StagedBlob

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class FolderBlobs(BlobStore):
    """A folder of files named after their content."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._incoming = folder / "incoming"
        self._incoming.mkdir(parents=True, exist_ok=True)
        self._shards: dict[int, FolderBlobs] = {}

    def path(self, sha256: str) -> Path:
        return self._folder / sha256[:2] / sha256

    def of_shard(self, shard: int) -> FolderBlobs:
        if not shard:
            return self
        if shard not in self._shards:  # each page's picture asks for it
            self._shards[shard] = FolderBlobs(self._folder / folder_of(shard))
            _sync(self._folder)
        return self._shards[shard]

    def address(self, sha256: str) -> str:
        return str(self.path(sha256))

    def incoming(self) -> StagedUpload:
        return StagedUpload(lambda: FolderFile(self._incoming))

    def copied(self, sha256: str) -> StagedBlob:
        blob, staged = self.path(sha256), self._incoming / uuid.uuid4().hex
        try:
            os.link(blob, staged)  # `keep` moves the same bytes to where they are
        except FileNotFoundError:
            raise
        except OSError:  # a file system without links
            with disk_errors():
                shutil.copyfile(blob, staged)
        os.utime(staged)  # its age begins now
        return StagedBlob(str(staged), sha256, staged.stat().st_size)

    def copy_in(self, bucket: Bucket, key: str) -> str:
        with opened(bucket, key) as content:
            return self.stage(content).address

    def open(self, address: str) -> BinaryIO:
        return Path(address).open("rb")

    def keep(self, staged: StagedBlob) -> None:
        home = self.path(staged.sha256)
        if not home.parent.exists():
            home.parent.mkdir(exist_ok=True)
            _sync(self._folder)
        Path(staged.address).replace(home)
        _sync(home.parent)

    def discard(self, staged: StagedBlob) -> None:
        Path(staged.address).unlink(missing_ok=True)

    def drop(self, sha256: str) -> None:
        self.path(sha256).unlink(missing_ok=True)

    def kept(self) -> Iterator[list[str]]:
        for name in FOLDER_NAMES:
            yield [file.name for file in (self._folder / name).glob("*") if _is_stale(file)]

    def sweep(self) -> None:
        for file in self._incoming.iterdir():
            if _is_stale(file):
                file.unlink(missing_ok=True)

    def check(self) -> None:
        self._incoming.stat()


class FolderFile:
    """A file of the staging folder. Its methods raise DiskFull."""

    def __init__(self, folder: Path) -> None:
        with disk_errors():
            # `close` closes it
            self._file = tempfile.NamedTemporaryFile(dir=folder, delete=False)  # noqa: SIM115
        self.address = self._file.name

    def write(self, content: ReadableBuffer) -> int:
        with disk_errors():
            return self._file.write(content)

    def read(self, size: int) -> bytes:
        return self._file.read(size)

    def seek(self, offset: int, whence: int) -> int:
        with disk_errors():
            return self._file.seek(offset, whence)

    def finish(self) -> None:
        with disk_errors():
            self._file.flush()
            os.fsync(self._file.fileno())
        os.utime(self.address)  # its age begins now: what lies in the folder for long belongs to nobody

    def close(self) -> None:
        self._file.close()

    def remove(self) -> None:
        Path(self.address).unlink(missing_ok=True)
        try:
            self._file.close()
        except OSError:  # no room for the last bytes, which nobody wants any more
            return


def _is_stale(file: Path) -> bool:
    try:
        return is_stale(file.stat().st_mtime)
    except FileNotFoundError:  # its owner has just taken it away
        return False


def _sync(folder: Path) -> None:
    """What has been named in the folder is named there after a crash, too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
