"""Stores uploaded files under their SHA-256; a file is there whole or not at all."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import BinaryIO

from deployments.storage.staged_upload import StagedUpload
from deployments.values.staged_blob import StagedBlob

MAX_STAGED_AGE_S = 3600  # an older staged file belongs to nobody


class BlobStore:
    """A folder of files named after their content."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._incoming = folder / "incoming"
        self._incoming.mkdir(parents=True, exist_ok=True)
        self._removing: set[asyncio.Future[None]] = set()

    def path(self, sha256: str) -> Path:
        return self._folder / sha256[:2] / sha256

    def incoming(self) -> StagedUpload:
        """An empty file in the staging folder, for what arrives."""
        return StagedUpload(self._incoming)

    def stage(self, content: BinaryIO) -> StagedBlob:
        """Sync the content under a temporary name, an incoming file where it is; nothing is left when that fails.

        Raises:
            DiskFull: there is no room for it.
        """
        if isinstance(content, StagedUpload):
            return content.hand_over()
        with self.incoming() as file:
            while chunk := content.read(1 << 20):
                file.write(chunk)
            return file.hand_over()

    @contextlib.asynccontextmanager
    async def staged(self, content: BinaryIO) -> AsyncIterator[StagedBlob]:
        """The content, staged for as long as the block lasts; its bytes are deleted then, unless they were kept.

        A caller that is cancelled while it is being written leaves nothing, either.
        """
        writing = asyncio.ensure_future(asyncio.to_thread(self.stage, content))
        try:
            staged = await asyncio.shield(writing)
        except asyncio.CancelledError:  # a thread cannot be stopped, but it comes to its end
            removing = asyncio.ensure_future(_remove_when_written(writing))
            self._removing.add(removing)  # it goes on also when we are cancelled once more
            removing.add_done_callback(self._removing.discard)
            await asyncio.shield(removing)
            raise
        try:
            yield staged
        finally:
            await asyncio.shield(asyncio.to_thread(staged.path.unlink, missing_ok=True))

    def keep(self, staged: StagedBlob) -> None:
        """Give the content its name: from now on it is there, also after a crash."""
        home = self.path(staged.sha256)
        if not home.parent.exists():
            home.parent.mkdir(exist_ok=True)
            _sync(self._folder)
        staged.path.replace(home)
        _sync(home.parent)

    def drop(self, sha256: str) -> None:
        """Forget a blob; one that is not there is as good as forgotten."""
        self.path(sha256).unlink(missing_ok=True)

    def kept(self) -> list[str]:
        """The SHA-256 of every blob that has been there for a while."""
        return [file.name for file in self._folder.glob("[0-9a-f][0-9a-f]/*") if _is_stale(file)]

    def sweep(self) -> None:
        """Remove what uploads staged that never came to their end."""
        for file in self._incoming.iterdir():
            if _is_stale(file):
                file.unlink(missing_ok=True)


async def _remove_when_written(writing: asyncio.Future[StagedBlob]) -> None:
    with contextlib.suppress(Exception):
        await asyncio.to_thread((await writing).path.unlink, missing_ok=True)


def _is_stale(file: Path) -> bool:
    try:
        return time.time() - file.stat().st_mtime > MAX_STAGED_AGE_S
    except FileNotFoundError:  # its owner has just taken it away
        return False


def _sync(folder: Path) -> None:
    """What has been named in the folder is named there after a crash, too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
