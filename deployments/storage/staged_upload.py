"""Stores an upload while it arrives, computing its SHA-256; removed if nobody takes it over."""

from __future__ import annotations

import hashlib
import io
import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from deployments.values.staged_blob import StagedBlob

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer


class StagedFile(Protocol):
    """Where the bytes of one upload go; it is closed or removed at its end. Any call raises DiskFull, BlobStoreAway."""

    address: str

    def write(self, content: ReadableBuffer) -> int: ...

    def read(self, size: int) -> bytes: ...

    def seek(self, offset: int, whence: int) -> int: ...

    def finish(self) -> None:
        """Nothing is written any more; the bytes are whole at `address`, also after a crash."""

    def close(self) -> None: ...

    def remove(self) -> None: ...


class StagedUpload(io.RawIOBase):
    """A staged file that is written from its beginning to its end, and then read.

    Closing removes it, unless it was handed over before. Its methods block; nothing is created before the first byte.
    """

    def __init__(self, create: Callable[[], StagedFile]) -> None:
        super().__init__()
        self._create = create
        self._file: StagedFile | None = None
        self._digest = hashlib.sha256()
        self._size = 0
        self._owned = threading.RLock()  # a client may leave, which closes the file, while a thread hands it over
        self._handed_over = False

    def write(self, data: ReadableBuffer, /) -> int:
        """Append. Raises DiskFull, BlobStoreAway."""
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
        """Finish the file; from now on its bytes are the caller's to keep or to discard.

        Raises:
            DiskFull, BlobStoreAway: they could not be stored.
            ValueError: the file was closed, and is gone.
        """
        with self._owned:
            file = self._opened()
            file.finish()
            self._handed_over = True
        return StagedBlob(file.address, self._digest.hexdigest(), self._size)

    def close(self) -> None:
        """Close the file, and remove it if it was not handed over."""
        if self.closed:
            return
        with self._owned:
            super().close()
            if self._file is None:
                return
            if self._handed_over:
                self._file.close()
            else:
                self._file.remove()

    def _opened(self) -> StagedFile:
        with self._owned:  # `close` may have come first
            if self.closed:
                raise ValueError("the file is closed")
            if self._file is None:
                self._file = self._create()
            return self._file
