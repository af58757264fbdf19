"""Writes an upload to the staging folder while it arrives, computing its SHA-256; removed if nobody takes it over."""

from __future__ import annotations

import hashlib
import io
import os
import tempfile
import threading
from pathlib import Path
from typing import IO, TYPE_CHECKING

from deployments.storage.disk import disk_errors
from deployments.values.staged_blob import StagedBlob

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer


class StagedUpload(io.RawIOBase):
    """A file in the staging folder that is written from its beginning to its end, and then read.

    Closing removes it, unless it was handed over before. Its methods block; nothing is created before the first byte.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._file: IO[bytes] | None = None
        self._digest = hashlib.sha256()
        self._size = 0
        self._owned = threading.RLock()  # a client may leave, which closes the file, while a thread hands it over
        self._handed_over = False

    def write(self, data: ReadableBuffer, /) -> int:
        """Append. Raises DiskFull."""
        with disk_errors():
            count = self._opened().write(data)
        self._digest.update(data)
        self._size += count
        return count

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        chunk = self._opened().read(memoryview(buffer).nbytes)
        memoryview(buffer)[: len(chunk)] = chunk
        return len(chunk)

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        return self._opened().seek(offset, whence)

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def hand_over(self) -> StagedBlob:
        """Sync the bytes; from now on they are the caller's to keep or to remove.

        Raises:
            DiskFull: there is no room for them.
            ValueError: the file was closed, and is gone.
        """
        with self._owned, disk_errors():
            file = self._opened()
            file.flush()
            os.fsync(file.fileno())
            os.utime(file.name)  # its age begins now: what lies in the folder for long belongs to nobody
            self._handed_over = True
        return StagedBlob(Path(file.name), self._digest.hexdigest(), self._size)

    def close(self) -> None:
        """Close the file, and remove it if it was not handed over."""
        if self.closed:
            return
        with self._owned:
            super().close()
            if self._file is None:
                return
            if not self._handed_over:
                Path(self._file.name).unlink(missing_ok=True)
            try:
                self._file.close()
            except OSError:  # no room for the last bytes
                if self._handed_over:
                    raise

    def _opened(self) -> IO[bytes]:
        with self._owned:  # `close` may have come first
            if self.closed:
                raise ValueError("the file is closed")
            if self._file is None:
                # `close` closes it
                self._file = tempfile.NamedTemporaryFile(dir=self._folder, delete=False)  # noqa: SIM115
            return self._file
