"""Files of the bucket on this machine: a bounded folder of one process, in which each is fetched once."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import shutil
import tempfile
import uuid
import weakref
from collections import OrderedDict
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from ray.util.metrics import Counter

from deployments.calls.background_tasks import DetachedTasks
from deployments.errors import BlobStoreAway
from deployments.storage.bucket import Bucket, bucket_errors
from deployments.storage.disk import disk_errors

READ_BYTES = 8 << 20  # bytes per request


@dataclass(slots=True, eq=False)
class CachedFile:
    """A file that is fetched, or was."""

    path: Path
    fetching: asyncio.Task[None]
    size: int = 0  # that the cache counts for it
    num_users: int = 0
    expiry: asyncio.TimerHandle | None = None


class BlobCache:
    """What is in use stays; other files go for want of room, least recently used first, or when unused for long.

    A file that is larger than all of the cache is alone in it. Two that need the same file wait for one download.
    """

    def __init__(self, bucket: Bucket, parent: Path, max_bytes: int, max_idle_s: float) -> None:
        """A file goes when it was not used for `max_idle_s`, for its document may have been deleted.

        Its folder is made in `parent`, where the folders of processes that have ended are removed.
        """
        self._bucket = bucket
        self._max_bytes = max_bytes
        self._max_idle_s = max_idle_s
        self._folder, lock = _own_folder(parent)
        self.close = weakref.finalize(self, _remove_folder, self._folder, lock)  # at the latest with the process
        self._files: OrderedDict[str, CachedFile] = OrderedDict()  # the least recently used first
        self._num_bytes = 0
        self._turn = asyncio.Lock()  # of who needs room: no large file is overtaken for ever
        self._room = asyncio.Event()  # a file is not in use any more
        self._tasks = DetachedTasks()
        self._reads = Counter("pagemill_blob_reads", "Files that a renderer opened, by `cache`: hit, miss.", ("cache",))
        self._fetched_bytes = Counter("pagemill_blob_fetched_bytes", "Bytes that a renderer fetched from the bucket.")

    @contextlib.asynccontextmanager
    async def local_path(self, address: str) -> AsyncIterator[str]:
        """The path of a file for the time of the block; nothing is there if the bucket does not have it.

        Raises:
            BlobStoreAway, DiskFull: it could not be fetched.
        """
        if not address.startswith(f"{self._bucket.url}/"):
            yield address
            return
        file = self._files.get(address)
        self._reads.inc(tags={"cache": "hit" if file else "miss"})
        if file is None:
            file = self._files[address] = self._fetched(address)
        self._files.move_to_end(address)
        file.num_users += 1
        if file.expiry is not None:
            file.expiry.cancel()
        try:
            with contextlib.suppress(FileNotFoundError):
                await asyncio.shield(file.fetching)  # who goes away does not stop it for others
            yield str(file.path)
        finally:
            file.num_users -= 1
            self._settle(address, file)

    def _fetched(self, address: str) -> CachedFile:
        path = self._folder / uuid.uuid4().hex
        file = CachedFile(path, self._tasks.start(self._fetch(address, path)))
        file.fetching.add_done_callback(lambda _: self._settle(address, file))
        return file

    async def _fetch(self, address: str, path: Path) -> None:
        key = self._bucket.key_of(address)
        size = await asyncio.to_thread(self._bucket.size, key)
        await self._make_room(size)
        self._files[address].size = size
        self._num_bytes += size
        await asyncio.to_thread(download, self._bucket, key, path, size)
        self._fetched_bytes.inc(size)

    async def _make_room(self, size: int) -> None:
        async with self._turn:
            while self._num_bytes and self._num_bytes + size > self._max_bytes:
                unused = next((item for item in self._files.items() if _is_unused(item[1])), None)
                if unused is None:
                    self._room.clear()
                    await self._room.wait()
                else:
                    await self._remove(*unused)

    def _settle(self, address: str, file: CachedFile) -> None:
        """Look what is to be done with a file that was fetched, or that somebody uses no more."""
        if not file.fetching.done() or self._files.get(address) is not file:
            return
        if file.fetching.cancelled() or file.fetching.exception() is not None:  # the next who needs it tries again
            del self._files[address]
            self._num_bytes -= file.size
        elif not file.num_users:
            if file.expiry is not None:
                file.expiry.cancel()
            file.expiry = asyncio.get_running_loop().call_later(self._max_idle_s, self._expire, address, file)
        self._room.set()

    def _expire(self, address: str, file: CachedFile) -> None:
        if self._files.get(address) is file and _is_unused(file):
            self._tasks.start(self._remove(address, file))

    async def _remove(self, address: str, file: CachedFile) -> None:
        del self._files[address]
        self._num_bytes -= file.size
        if file.expiry is not None:
            file.expiry.cancel()
        await asyncio.to_thread(file.path.unlink, missing_ok=True)


def download(bucket: Bucket, key: str, path: Path, size: int) -> None:
    """Fetch a file of so many bytes, which is then whole at `path` or not there."""
    part = path.with_suffix(".part")
    try:
        with bucket.read(key) as remote, part.open("wb") as local:
            while True:
                with bucket_errors():
                    chunk = remote.read(READ_BYTES)
                if not chunk:
                    break
                with disk_errors():
                    local.write(chunk)
        if part.stat().st_size != size:
            raise BlobStoreAway("the download was interrupted")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _is_unused(file: CachedFile) -> bool:
    return not file.num_users and file.fetching.done()


def _own_folder(parent: Path) -> tuple[Path, int]:
    """A new folder, and the lock that says that its process lives; folders without such a process are removed."""
    parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (parent / "lock").open("w") as starting:
        fcntl.flock(starting, fcntl.LOCK_EX)  # one at a time
        for other in parent.iterdir():
            if other.is_dir() and (lock := _locked(other)) is not None:
                _remove_folder(other, lock)
        folder = Path(tempfile.mkdtemp(dir=parent))
        lock = _locked(folder)
        assert lock is not None
        return folder, lock


def _locked(folder: Path) -> int | None:
    lock = os.open(folder / "lock", os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    return lock


def _remove_folder(folder: Path, lock: int) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    os.close(lock)
