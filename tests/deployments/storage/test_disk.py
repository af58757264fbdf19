"""`deployments.storage.disk`: what a full disk says has one name, and a deletion finds room on it."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from deployments.errors import DiskFull
from deployments.storage import disk
from deployments.storage.disk import RESERVE_BYTES, Reserve, disk_errors

LANCE = "lance error: LanceError(IO): Generic LocalFileSystem error: No space left on device (os error 28)"


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "x"), OSError(errno.EDQUOT, "x"), RuntimeError(LANCE)])
def test_errors_of_a_full_disk_are_one(error: Exception) -> None:
    """Guards against a 500 without a name where a folder, a quota or the index has no room."""
    with pytest.raises(DiskFull), disk_errors():
        raise error


def test_other_errors_stay_what_they_are() -> None:
    """Guards against a missing file that is told as a full disk."""
    with pytest.raises(FileNotFoundError), disk_errors():
        raise FileNotFoundError(errno.ENOENT, "x")


def test_the_reserve_takes_room_and_gives_it_up_once(tmp_path: Path) -> None:
    """Guards against a reserve that is a hole in the file system, and takes no room at all."""
    reserve = Reserve(tmp_path)
    assert reserve.full
    reserve.create()
    assert not reserve.full
    assert (tmp_path / "reserve").stat().st_blocks * 512 >= RESERVE_BYTES
    assert [reserve.release(), reserve.release()] == [True, False]
    assert reserve.full


def test_a_reserve_without_room_is_tried_again_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against a server that does not start since its disk is full."""

    def no_room(*_: int) -> None:
        raise OSError(errno.ENOSPC, "x")

    with monkeypatch.context() as patched:
        patched.setattr(disk.os, "posix_fallocate", no_room)
        Reserve(tmp_path).create()
    assert list(tmp_path.iterdir()) == []
    Reserve(tmp_path).create()
    assert not Reserve(tmp_path).full
