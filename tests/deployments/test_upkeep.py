"""`deployments.jobs.upkeep`: what no start sees is cleared away all the same."""

from __future__ import annotations

import asyncio
import io
import os
import threading
from pathlib import Path

import pytest

from deployments.jobs.upkeep import repeat
from deployments.storage.blobs import MAX_STAGED_AGE_S
from deployments.storage.folder_blobs import FolderBlobs
from tests.deployments.gated_work import GatedWork, Uploading, run


def stale(blobs: FolderBlobs) -> Path:
    """What an Ingress that died in mid-upload left behind."""
    staged = blobs.stage(io.BytesIO(b"half a document"))
    path = Path(staged.address)
    long_ago = path.stat().st_mtime - 2 * MAX_STAGED_AGE_S
    os.utime(path, (long_ago, long_ago))
    return path


def test_what_uploads_left_is_swept_while_the_server_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against bytes of broken uploads that stay until the next start, and one error that ends it."""
    blobs, left, turns = FolderBlobs(tmp_path), list[Path](), 0

    def broken_once() -> None:
        if turns == 1:
            raise PermissionError("the disk is away")
        FolderBlobs.sweep(blobs)

    async def sleep(_: float) -> None:
        nonlocal turns
        turns += 1
        left.extend(await asyncio.to_thread(lambda: list(blobs._incoming.iterdir())))
        if turns == 3:
            raise asyncio.CancelledError
        await asyncio.to_thread(stale, blobs)

    monkeypatch.setattr(blobs, "sweep", broken_once)
    monkeypatch.setattr("deployments.jobs.upkeep.asyncio.sleep", sleep)
    stale(blobs)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(repeat(lambda: asyncio.to_thread(blobs.sweep), "what broken uploads left"))
    assert len(left) == 1, "the one of the turn that failed"
    assert list(blobs._incoming.iterdir()) == []


def test_a_running_server_sweeps(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against upkeep that nobody starts."""
    swept = threading.Event()
    monkeypatch.setattr(FolderBlobs, "sweep", lambda _: swept.set())

    async def scenario(_: Uploading) -> bool:
        return await asyncio.to_thread(swept.wait, 20)

    assert run(database, GatedWork(), scenario)
