"""The lock of the data folder: a second server on the same folder is refused as long as the first one lives."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import struct
from collections.abc import Generator
from pathlib import Path

import psutil

LOCK_FILE = "serve.lock"
LOCK_RELEASED = struct.pack("h", fcntl.F_UNLCK)


class DataFolderInUse(ValueError):
    """Another server works with this data folder."""


@contextlib.contextmanager
def locked(data_dir: Path, url: str) -> Generator[None]:
    """Hold `data_dir` for the server at `url` until the block is left.

    The kernel takes the lock back when this process ends in any way. No child inherits it: those that a SIGKILL leaves
    behind end by themselves, and who owns the jobs meanwhile is a row of the database.

    Raises:
        DataFolderInUse: names the process and address of the server that holds it.
    """
    descriptor = _held(data_dir, url)
    try:
        yield
    finally:
        os.close(descriptor)


class GraphLock:
    """The folder is held by the process above us, by us, or by an earlier replica of our own Ray."""

    def __init__(self, data_dir: Path, ray_address: str) -> None:
        self._data_dir = data_dir
        self._owner = f"Ray at {ray_address}"
        self._descriptor: int | None = None

    def take(self) -> None:
        """Hold the folder, unless another process does so on our behalf; may be called again.

        Raises:
            DataFolderInUse: a server that is not ours holds it.
        """
        if self._descriptor is None:
            try:
                self._descriptor = _held(self._data_dir, self._owner)
            except DataFolderInUse:
                if not self._is_ours(holder(self._data_dir) or ""):
                    raise

    def release(self) -> None:
        """Let go of the folder, if it was held here."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _is_ours(self, server: str) -> bool:
        if server.endswith(f", {self._owner}"):
            return True
        process = re.match(r"process (\d+),", server)
        return process is not None and int(process[1]) in {lock.pid for lock in psutil.Process().parents()}


def holder(data_dir: Path) -> str | None:
    """Process and address of the server that works with `data_dir`; None where there is none."""
    try:
        descriptor = os.open(data_dir / LOCK_FILE, os.O_RDONLY)
    except OSError:
        return None
    try:  # the lock is looked at, never taken: a server may start just now
        in_the_way = fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, _whole_file(fcntl.F_RDLCK))
        return None if in_the_way[: len(LOCK_RELEASED)] == LOCK_RELEASED else _read(descriptor)
    finally:
        os.close(descriptor)


def _held(data_dir: Path, owner: str) -> int:
    """The open file that holds the lock until it is closed. Raises DataFolderInUse."""
    descriptor = os.open(data_dir / LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o600)  # closed on exec: no child holds it
    try:
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _whole_file(fcntl.F_WRLCK))
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"process {os.getpid()}, {owner}".encode(), 0)
    except BlockingIOError:
        server = _read(descriptor)
        os.close(descriptor)
        raise DataFolderInUse(
            f"the data folder {data_dir} is in use by {server}: stop that one, or name another --data-dir"
        ) from None
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _whole_file(kind: int) -> bytes:
    """The kernel's `struct flock`: type, whence, start, length, process; of an open file, not of a process."""
    return struct.pack("hhqqi0q", kind, os.SEEK_SET, 0, 0, 0)


def _read(descriptor: int) -> str:
    return os.pread(descriptor, 200, 0).decode(errors="replace") or "another server"
