"""Detects a full disk (`disk_full`, HTTP 507) and keeps a reserve file so that deleting still works then."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from deployments.errors import DiskFull

RESERVE_BYTES = 16 << 20  # deletions write, too: a row's change, a version of the index
MIN_FREE_BYTES = 8 << 20  # with less the disk counts as full
FULL_DISK_ERRNOS = (errno.ENOSPC, errno.EDQUOT)
RUST_FULL_DISK = "(os error 28)"  # LanceDB's errors have no number; this is how its message states ENOSPC


def is_disk_full(error: BaseException) -> bool:
    """Whether this was raised for want of room on a disk."""
    return (isinstance(error, OSError) and error.errno in FULL_DISK_ERRNOS) or RUST_FULL_DISK in str(error)


@contextlib.contextmanager
def disk_errors() -> Iterator[None]:
    """Raises DiskFull in the place of what says so in its own way."""
    try:
        yield
    except Exception as error:
        if is_disk_full(error):
            raise DiskFull("the disk of the data folder is full") from error
        raise


class Reserve:
    """A file that reserves disk space: deleted when a deletion finds no room, created again when there is room."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / "reserve"

    def create(self) -> None:
        """Create the file, if there is room for it."""
        if self._file.exists() or shutil.disk_usage(self._folder).free < RESERVE_BYTES + MIN_FREE_BYTES:
            return
        staged = self._file.with_suffix(".new")
        try:
            with staged.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, RESERVE_BYTES)
            staged.replace(self._file)
        except OSError:  # no room: the next deletion tries again
            staged.unlink(missing_ok=True)

    def release(self) -> bool:
        """Delete the file; False if it was deleted before."""
        try:
            self._file.unlink()
        except FileNotFoundError:
            return False
        return True

    @property
    def full(self) -> bool:
        """Whether nothing more should be taken in."""
        return not self._file.exists() or shutil.disk_usage(self._folder).free < MIN_FREE_BYTES
