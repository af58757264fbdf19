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
ENDS_AT_BYTES = 8 << 20  # free bytes under which the disk is called full
FULL = (errno.ENOSPC, errno.EDQUOT)
OF_RUST = "(os error 28)"  # how LanceDB, whose errors have no number, says ENOSPC


def is_disk_full(error: BaseException) -> bool:
    """Whether this was raised for want of room on a disk."""
    return (isinstance(error, OSError) and error.errno in FULL) or OF_RUST in str(error)


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
    """A file that is given up when a deletion finds no room, and laid again when there is some again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / "reserve"

    def lay(self) -> None:
        """Have the file, if there is room for it."""
        if self._file.exists() or shutil.disk_usage(self._folder).free < RESERVE_BYTES + ENDS_AT_BYTES:
            return
        aside = self._file.with_suffix(".new")
        try:
            with aside.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, RESERVE_BYTES)
            aside.replace(self._file)
        except OSError:  # no room: the next deletion tries again
            aside.unlink(missing_ok=True)

    def spend(self) -> bool:
        """Give the file up; False if that was done before."""
        try:
            self._file.unlink()
        except FileNotFoundError:
            return False
        return True

    @property
    def full(self) -> bool:
        """Whether nothing more should be taken in."""
        return not self._file.exists() or shutil.disk_usage(self._folder).free < ENDS_AT_BYTES
