"""`deployments.storage.blobs`: a blob is whole or not there, in a folder and in a bucket."""

import asyncio
import errno
import hashlib
import io
import os
import threading
from pathlib import Path
from typing import BinaryIO

import pytest

from deployments.errors import DiskFull
from deployments.storage.folder_blobs import FolderBlobs
from deployments.values.staged_blob import StagedBlob
from tests.deployments.storage.stores import KINDS, Shelf, everything_is_stale

LARGE = os.urandom(1 << 20) * 23  # three parts of a bucket, and more than stays in memory
both_kinds = pytest.mark.parametrize("shelf", KINDS, indirect=True)


class Broken(io.BytesIO):
    """Its first bytes can be read."""

    def read(self, size: int | None = -1) -> bytes:
        if self.tell() > 1 << 20:
            raise OSError("gone")
        return super().read(size)


class Slow(io.BytesIO):
    """Holds who reads it until `leave` is set."""

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        self.begun, self.leave = threading.Event(), threading.Event()

    def read(self, size: int | None = -1) -> bytes:
        self.begun.set()
        self.leave.wait(60)
        return super().read(size)


def whole(file: BinaryIO) -> bytes:
    """All of a file, read as `BlobStore.stage` does."""
    return b"".join(iter(lambda: file.read(1 << 20), b""))


@both_kinds
@pytest.mark.parametrize("content", [b"harbour" * 1000, LARGE], ids=["small", "large"])
def test_a_blob_lies_under_its_digest_and_nothing_else_is_left(shelf: Shelf, content: bytes) -> None:
    """Guards against temporary files that pile up, and against bytes that differ from what arrived."""
    for _ in range(2):
        staged = shelf.store.stage(io.BytesIO(content))
        shelf.store.keep(staged)
        shelf.store.discard(staged)
    digest = hashlib.sha256(content).hexdigest()
    assert (staged.sha256, staged.size) == (digest, len(content))
    assert shelf.names() == [f"{digest[:2]}/{digest}"]
    assert shelf.content(f"{digest[:2]}/{digest}") == content
    assert shelf.store.address(digest).endswith(f"/{digest[:2]}/{digest}")
    with shelf.store.open(shelf.store.address(digest)) as file:
        assert whole(file) == content


@both_kinds
def test_each_shard_has_its_own_files_and_keeps_what_was_staged_before_it_was_chosen(shelf: Shelf) -> None:
    """Guards against a document whose bytes go with those of another shard's."""
    shards = [shelf.store.of_shard(number) for number in (0, 1)]
    for store in (*shards, shards[1]):
        staged = shelf.store.stage(io.BytesIO(b"harbour"))
        store.keep(staged)
        shelf.store.discard(staged)
    name = f"{staged.sha256[:2]}/{staged.sha256}"
    assert shelf.names() == sorted([name, f"shard_1/{name}"])
    shards[0].drop(staged.sha256)
    assert shelf.names() == [f"shard_1/{name}"]
    with shards[1].open(shards[1].address(staged.sha256)) as file:
        assert whole(file) == b"harbour"
    assert shards[1].address(staged.sha256).endswith(f"/shard_1/{name}")


@both_kinds
def test_what_has_arrived_is_read_before_it_is_kept(shelf: Shelf) -> None:
    """Guards against files whose kind is not recognised: the names of a zip's parts are at its end."""
    with shelf.store.incoming() as file:
        for start in range(0, len(LARGE), 1 << 16):
            file.write(LARGE[start : start + (1 << 16)])
        file.seek(0)
        assert file.read(4096) == LARGE[:4096]
        assert file.seek(0, os.SEEK_END) == len(LARGE)
        file.seek(len(LARGE) - 5000)
        assert file.read(6000) == LARGE[-5000:]
        staged = file.hand_over()
    assert staged == StagedBlob(staged.address, hashlib.sha256(LARGE).hexdigest(), len(LARGE))
    shelf.store.keep(staged)
    with shelf.store.open(shelf.store.address(staged.sha256)) as blob:
        assert whole(blob) == LARGE


@both_kinds
def test_an_upload_that_breaks_off_leaves_nothing(shelf: Shelf) -> None:
    """Guards against half a document that is taken for a whole one."""
    for content in (b"x" * (2 << 20), LARGE):
        with pytest.raises(OSError, match="gone"):
            shelf.store.stage(Broken(content))
    assert shelf.names() == []


@both_kinds
def test_a_sweep_takes_what_is_stale_and_leaves_what_arrives(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against a store that grows with every crash, and against an upload swept away under its feet."""
    kept, _ = (shelf.store.stage(io.BytesIO(content)) for content in (b"kept", b"left"))
    shelf.store.keep(kept)
    shelf.store.discard(kept)
    before = shelf.names()
    shelf.store.sweep()
    assert shelf.names() == before
    assert [sha256 for hashes in shelf.store.kept() for sha256 in hashes] == []
    with everything_is_stale(monkeypatch):
        shelf.store.sweep()
        assert [sha256 for hashes in shelf.store.kept() for sha256 in hashes] == [kept.sha256]
    assert shelf.names() == [f"{kept.sha256[:2]}/{kept.sha256}"]


@both_kinds
def test_what_is_dropped_is_gone_and_may_be_dropped_again(shelf: Shelf) -> None:
    """Guards against a deletion that fails where another one came first."""
    staged = shelf.store.stage(io.BytesIO(b"harbour"))
    shelf.store.keep(staged)
    for _ in range(2):
        shelf.store.discard(staged)
        shelf.store.drop(staged.sha256)
    assert shelf.names() == []
    with pytest.raises(FileNotFoundError):
        shelf.store.open(shelf.store.address(staged.sha256))


@both_kinds
def test_a_blob_is_staged_once_more_and_outlives_its_first_owner(shelf: Shelf) -> None:
    """Guards against a repetition of a job whose bytes go with the first one, and against copies that stay."""
    first = shelf.store.stage(io.BytesIO(LARGE))
    shelf.store.keep(first)
    shelf.store.discard(first)
    again = shelf.store.copied(first.sha256)
    assert (again.sha256, again.size) == (first.sha256, first.size)
    assert len(shelf.names()) == 2
    shelf.store.drop(first.sha256)
    shelf.store.keep(again)
    shelf.store.discard(again)
    assert [shelf.content(name) for name in shelf.names()] == [LARGE]
    over = shelf.store.copied(first.sha256)
    shelf.store.keep(over)
    shelf.store.discard(over)
    assert [shelf.content(name) for name in shelf.names()] == [LARGE]
    shelf.store.drop(first.sha256)
    with pytest.raises(FileNotFoundError):
        shelf.store.copied(first.sha256)
    assert shelf.names() == []


@pytest.mark.parametrize("linked", [True, False], ids=["linked", "a file system without links"])
def test_an_old_blob_that_is_staged_again_is_not_swept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, linked: bool
) -> None:
    """Guards against a repetition whose bytes are taken for those of a crash: a link is as old as its file."""
    if not linked:
        monkeypatch.setattr(os, "link", lambda *_: _unlinkable())
    store = FolderBlobs(tmp_path)
    first = store.stage(io.BytesIO(b"harbour"))
    store.keep(first)
    os.utime(store.path(first.sha256), (0, 0))
    again = store.copied(first.sha256)
    store.sweep()
    with store.open(again.address) as file:
        assert file.read() == b"harbour"


def _unlinkable() -> None:
    raise OSError(errno.EOPNOTSUPP, "no links here")


@both_kinds
def test_bytes_lie_aside_for_as_long_as_the_block_lasts(shelf: Shelf) -> None:
    """Guards against uploads that nobody owns any more, and against kept ones that are removed."""

    async def scenario() -> None:
        async with shelf.store.staged(io.BytesIO(b"dropped")):
            assert len(await asyncio.to_thread(shelf.names)) == 1
        assert await asyncio.to_thread(shelf.names) == []
        async with shelf.store.staged(io.BytesIO(b"kept")) as staged:
            await asyncio.to_thread(shelf.store.keep, staged)

    asyncio.run(scenario())
    assert [shelf.content(name) for name in shelf.names()] == [b"kept"]


@both_kinds
@pytest.mark.parametrize("times", [1, 2])
def test_a_client_that_leaves_while_its_bytes_are_written_leaves_nothing(shelf: Shelf, times: int) -> None:
    """Guards against interrupted uploads that stay, also when the caller is cancelled twice."""

    async def put() -> None:
        async with shelf.store.staged(content):
            pass

    async def scenario() -> None:
        putting = asyncio.create_task(put())
        await asyncio.to_thread(content.begun.wait, 20)
        for _ in range(times):
            putting.cancel()
            await asyncio.sleep(0)  # the cancel has come
        content.leave.set()
        with pytest.raises(asyncio.CancelledError):
            await putting
        while others := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(others)

    content = Slow(b"harbour")
    asyncio.run(scenario())
    assert shelf.names() == []


def test_an_upload_without_room_says_so_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against a full disk that is answered as an internal error."""

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DiskFull):
        FolderBlobs(tmp_path).stage(io.BytesIO(b"harbour"))
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
