"""One data folder, one server: a lock that `pagemill serve` holds as long as its process lives."""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
from collections.abc import Iterator
from pathlib import Path

LOCK_FILE = "serve.lock"
UNLOCKED = struct.pack("h", fcntl.F_UNLCK)


class DataFolderInUse(ValueError):
    """Another `pagemill serve` works with this data folder."""


@contextlib.contextmanager
def locked(data_dir: Path, url: str) -> Iterator[None]:
    """Hold `data_dir` for the server at `url` until the block is left.

    The kernel takes the lock back when this process ends in any way. No child inherits it: those that a SIGKILL leaves
    behind end by themselves, and who owns the jobs meanwhile is a row of the database.

    Raises:
        DataFolderInUse: names the process and address of the server that holds it.
    """
    file = data_dir / LOCK_FILE
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)  # closed on exec: see above
    try:
        try:
            fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _whole_file(fcntl.F_WRLCK))
        except BlockingIOError:
            server = _read(descriptor)
            raise DataFolderInUse(
                f"the data folder {data_dir} is in use by {server}: stop that one, or name another --data-dir"
            ) from None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"process {os.getpid()}, {url}".encode(), 0)
        yield
    finally:
        os.close(descriptor)


def holder(data_dir: Path) -> str | None:
    """Process and address of the server that works with `data_dir`; None where there is none."""
    try:
        descriptor = os.open(data_dir / LOCK_FILE, os.O_RDONLY)
    except OSError:
        return None
    try:  # the lock is looked at, never taken: a server may start just now
        in_the_way = fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, _whole_file(fcntl.F_RDLCK))
        return None if in_the_way[: len(UNLOCKED)] == UNLOCKED else _read(descriptor)
    finally:
        os.close(descriptor)


def _whole_file(kind: int) -> bytes:
    """The kernel's `struct flock`: type, whence, start, length, process; of an open file, not of a process."""
    return struct.pack("hhqqi0q", kind, os.SEEK_SET, 0, 0, 0)


def _read(descriptor: int) -> str:
    return os.pread(descriptor, 200, 0).decode(errors="replace") or "another server"
