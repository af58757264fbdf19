"""BlobStore: uploads under their SHA-256; a blob is whole or not there."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import BinaryIO


class BlobStore:
    """A folder of files named after their content."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        (folder / "incoming").mkdir(parents=True, exist_ok=True)

    def path(self, sha256: str) -> Path:
        return self._folder / sha256[:2] / sha256

    def put(self, content: BinaryIO) -> str:
        """Keep the content; returns its SHA-256. Written aside, synced and renamed, so a crash leaves no half file."""
        digest = hashlib.sha256()
        with tempfile.NamedTemporaryFile(dir=self._folder / "incoming", delete=False) as aside:
            try:
                while chunk := content.read(1 << 20):
                    digest.update(chunk)
                    aside.write(chunk)
                aside.flush()
                os.fsync(aside.fileno())
                home = self.path(digest.hexdigest())
                home.parent.mkdir(exist_ok=True)
                Path(aside.name).replace(home)
                _sync_folder(home.parent)
            except BaseException:
                Path(aside.name).unlink(missing_ok=True)
                raise
        return digest.hexdigest()

    def put_aside(self, content: BinaryIO) -> Path:
        """A copy that no job owns; the caller removes it."""
        with tempfile.NamedTemporaryFile(dir=self._folder / "incoming", delete=False) as aside:
            shutil.copyfileobj(content, aside)
        return Path(aside.name)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
