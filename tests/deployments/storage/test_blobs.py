"""`deployments.storage.blobs`: a blob is whole or not there."""

import asyncio
import errno
import hashlib
import io
import os
import threading
from pathlib import Path

import pytest

from deployments.errors import DiskFull
from deployments.storage.blobs import MAX_STAGED_AGE_S, BlobStore


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_blob_lies_under_its_digest_and_nothing_else_is_left(tmp_path: Path) -> None:
    """Guards against temporary files that pile up."""
    content = b"harbour" * 1000
    store = BlobStore(tmp_path)
    for _ in range(2):
        staged = store.stage(io.BytesIO(content))
        store.keep(staged)
    assert (staged.sha256, staged.size) == (hashlib.sha256(content).hexdigest(), len(content))
    assert store.path(staged.sha256).read_bytes() == content
    assert len(files(tmp_path)) == 1


def test_an_upload_that_breaks_off_leaves_nothing(tmp_path: Path) -> None:
    """Guards against half a document that is taken for a whole one."""

    class Broken(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell():
                raise OSError("gone")
            return super().read(4)

    with pytest.raises(OSError, match="gone"):
        BlobStore(tmp_path).stage(Broken(b"harbour"))
    assert files(tmp_path) == []


def test_a_sweep_takes_what_is_stale_and_leaves_what_arrives(tmp_path: Path) -> None:
    """Guards against a folder that grows with every crash, and against an upload swept away under its feet."""
    store = BlobStore(tmp_path)
    old, new = (store.stage(io.BytesIO(content)) for content in (b"old", b"new"))
    os.utime(old.path, (old.path.stat().st_mtime - 2 * MAX_STAGED_AGE_S,) * 2)
    store.sweep()
    assert files(tmp_path) == [new.path]


def test_bytes_lie_aside_for_as_long_as_the_block_lasts(tmp_path: Path) -> None:
    """Guards against uploads that nobody owns any more, and against kept ones that are removed."""

    async def scenario() -> None:
        async with store.staged(io.BytesIO(b"dropped")) as staged:
            assert await asyncio.to_thread(staged.path.read_bytes) == b"dropped"
        assert await asyncio.to_thread(files, tmp_path) == []
        async with store.staged(io.BytesIO(b"kept")) as staged:
            await asyncio.to_thread(store.keep, staged)

    store = BlobStore(tmp_path)
    asyncio.run(scenario())
    assert [file.read_bytes() for file in files(tmp_path)] == [b"kept"]


def test_a_client_that_leaves_while_its_bytes_are_written_leaves_nothing(tmp_path: Path) -> None:
    """Guards against a folder that fills with interrupted uploads."""

    class Slow(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            begun.set()
            leave.wait(60)
            return super().read(size)

    async def put() -> None:
        async with store.staged(Slow(b"harbour")):
            pass

    async def scenario() -> None:
        putting = asyncio.create_task(put())
        await asyncio.to_thread(begun.wait, 10)
        putting.cancel()
        await asyncio.sleep(0)  # the cancel has come
        leave.set()
        with pytest.raises(asyncio.CancelledError):
            await putting

    store, begun, leave = BlobStore(tmp_path), threading.Event(), threading.Event()
    asyncio.run(scenario())
    assert files(tmp_path) == []


def test_a_caller_that_is_cancelled_twice_leaves_nothing(tmp_path: Path) -> None:
    """Guards against bytes that stay until the next start, since the second cancellation ended the tidying up."""
    begun, leave = threading.Event(), threading.Event()

    class Slow(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            begun.set()
            leave.wait(20)
            return super().read(size)

    store = BlobStore(tmp_path)

    async def scenario() -> None:
        async def one() -> None:
            async with store.staged(Slow(b"harbour")):
                pass

        task = asyncio.create_task(one())
        await asyncio.to_thread(begun.wait, 20)
        for _ in range(2):
            task.cancel()
            await asyncio.sleep(0)
        leave.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        while others := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(others)

    asyncio.run(scenario())
    assert files(tmp_path) == []


def test_an_upload_without_room_says_so_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against a full disk that is answered as an internal error."""

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DiskFull):
        BlobStore(tmp_path).stage(io.BytesIO(b"harbour"))
    assert files(tmp_path) == []
