"""`deployments.storage.blob_cache`: a file of the bucket is fetched once, and stays while it is in use."""

from __future__ import annotations

import asyncio
import io
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest

from deployments.errors import BlobStoreAway
from deployments.storage import blob_cache
from deployments.storage.blob_cache import BlobCache
from tests.deployments.storage.gateway import gateway
from tests.deployments.storage.stores import BucketShelf, needs_s3

pytestmark = [*needs_s3]
SIZE = 100_000


def stored(shelf: BucketShelf, content: bytes) -> str:
    """The address of a blob of these bytes."""
    staged = shelf.store.stage(io.BytesIO(content))
    shelf.store.keep(staged)
    shelf.store.discard(staged)
    return shelf.store.address(staged.sha256)


def cached(folder: Path) -> list[bytes]:
    """What lies in the folders of all caches."""
    return sorted(path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "lock")


async def read(cache: BlobCache, address: str) -> bytes:
    async with cache.local_path(address) as path:
        return await asyncio.to_thread(Path(path).read_bytes)


async def others_ended() -> None:
    while others := asyncio.all_tasks() - {asyncio.current_task()}:
        await asyncio.wait(others)


class Downloads:
    """Counts downloads, and holds them until it is opened."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.keys: list[str] = []
        self.begun, self.gate = threading.Event(), threading.Event()
        self.gate.set()
        self._download = blob_cache.download
        monkeypatch.setattr(blob_cache, "download", self)

    def __call__(self, bucket: Any, key: str, path: Path, size: int) -> None:
        self.keys.append(key)
        self.begun.set()
        assert self.gate.wait(60)
        self._download(bucket, key, path, size)


@pytest.fixture
def downloads(monkeypatch: pytest.MonkeyPatch) -> Downloads:
    return Downloads(monkeypatch)


class CacheOf(Protocol):
    def __call__(self, shelf: BucketShelf, max_bytes: int, *, max_idle_s: float = 600) -> BlobCache: ...


@pytest.fixture
def cache_of(tmp_path: Path) -> Iterator[CacheOf]:
    """Caches below one folder."""
    caches: list[BlobCache] = []

    def made(shelf: BucketShelf, max_bytes: int, *, max_idle_s: float = 600) -> BlobCache:
        caches.append(BlobCache(shelf.bucket, tmp_path, max_bytes, max_idle_s))
        return caches[-1]

    yield made
    for cache in caches:
        cache.close()


@pytest.fixture
def shelf(s3: dict[str, str]) -> BucketShelf:
    return BucketShelf(s3)


def test_two_that_need_the_same_file_wait_for_one_download(
    shelf: BucketShelf, tmp_path: Path, cache_of: CacheOf, downloads: Downloads
) -> None:
    """Guards against a document of a hundred pages that is fetched a hundred times."""
    content = os.urandom(SIZE)

    async def scenario() -> list[bytes]:
        downloads.gate.clear()
        reads = [asyncio.create_task(read(cache, address)) for _ in range(5)]
        assert await asyncio.to_thread(downloads.begun.wait, 30)
        reads[0].cancel()  # who began it goes away
        downloads.gate.set()
        contents = await asyncio.gather(*reads[1:])
        return [*contents, await read(cache, address)]

    address = stored(shelf, content)
    cache = cache_of(shelf, 10 * SIZE)
    assert asyncio.run(scenario()) == [content] * 5
    assert len(downloads.keys) == 1


def test_the_least_recently_used_file_goes(
    shelf: BucketShelf, tmp_path: Path, cache_of: CacheOf, downloads: Downloads
) -> None:
    """Guards against a cache that grows, and against one that drops what is read again and again."""
    contents = [os.urandom(SIZE) for _ in range(3)]

    async def scenario() -> list[bytes]:
        for index in (0, 1, 0, 2, 0):
            assert await read(cache, addresses[index]) == contents[index]
        return await asyncio.to_thread(cached, tmp_path)

    addresses = [stored(shelf, content) for content in contents]
    cache = cache_of(shelf, 2 * SIZE)
    assert asyncio.run(scenario()) == sorted([contents[0], contents[2]])
    assert len(downloads.keys) == 3


def test_a_cache_too_small_for_two_files_serves_one_after_the_other(
    shelf: BucketShelf, tmp_path: Path, cache_of: CacheOf
) -> None:
    """Guards against a file that is removed under who reads it, a cache above its limit, and two that wait for ever."""
    contents = [os.urandom(SIZE), os.urandom(SIZE)]

    async def scenario() -> None:
        async with cache.local_path(addresses[0]) as path:
            second = asyncio.create_task(read(cache, addresses[1]))
            for _ in iter(cache._turn.locked, True):
                await asyncio.sleep(0)
            assert not second.done()
            assert await asyncio.to_thread(Path(path).read_bytes) == contents[0]
            assert await asyncio.to_thread(cached, tmp_path) == [contents[0]]
        assert await second == contents[1]
        assert await asyncio.to_thread(cached, tmp_path) == [contents[1]]
        every = [read(cache, address) for address in addresses * 10]
        assert await asyncio.gather(*every) == contents * 10

    addresses = [stored(shelf, content) for content in contents]
    cache = cache_of(shelf, SIZE + SIZE // 2)
    asyncio.run(scenario())


def test_a_file_larger_than_the_cache_is_alone_in_it(shelf: BucketShelf, tmp_path: Path, cache_of: CacheOf) -> None:
    """Guards against a document that can never be read."""
    small, large = os.urandom(SIZE), os.urandom(3 * SIZE)

    async def scenario() -> list[bytes]:
        for address, content in zip(addresses * 2, (small, large) * 2, strict=True):
            assert await read(cache, address) == content
        return await asyncio.to_thread(cached, tmp_path)

    addresses = [stored(shelf, content) for content in (small, large)]
    cache = cache_of(shelf, SIZE)
    assert asyncio.run(scenario()) == [large]


def test_an_unused_file_goes_after_a_while(shelf: BucketShelf, tmp_path: Path, cache_of: CacheOf) -> None:
    """Guards against the bytes of a deleted document that stay on a machine."""

    async def scenario() -> None:
        async with cache.local_path(address) as path:
            await read(cache, address)
            await others_ended()
            assert await asyncio.to_thread(Path(path).exists)
        while await asyncio.to_thread(Path(path).exists):
            await others_ended()

    address = stored(shelf, os.urandom(SIZE))
    cache = cache_of(shelf, 10 * SIZE, max_idle_s=0)
    asyncio.run(scenario())
    assert cached(tmp_path) == []


def test_a_missing_file_is_a_path_where_nothing_is(shelf: BucketShelf, tmp_path: Path, cache_of: CacheOf) -> None:
    """Guards against a deleted document that is called a fault of the storage; one that comes back is fetched."""

    async def scenario() -> None:
        with pytest.raises(FileNotFoundError):
            await read(cache, address)
        await asyncio.to_thread(stored, shelf, content)
        assert await read(cache, address) == content

    content = os.urandom(SIZE)
    address = stored(shelf, content)
    shelf.store.drop(address.rpartition("/")[2])
    cache = cache_of(shelf, SIZE)
    asyncio.run(scenario())


def test_a_broken_download_is_no_file(s3: dict[str, str], tmp_path: Path, cache_of: CacheOf) -> None:
    """Guards against half a document that is read as a whole one, and a failure that is remembered."""
    content = os.urandom(20 << 20)

    async def scenario(shelf: BucketShelf, address: str) -> None:
        with pytest.raises(BlobStoreAway):
            await read(cache, address)
        assert await asyncio.to_thread(cached, tmp_path) == []
        assert cache._num_bytes == 0
        way.max_bytes_to_client = None
        way.open()
        assert await read(cache, address) == content

    with gateway(s3["endpoint"]) as way:
        shelf = BucketShelf(s3 | {"endpoint": way.url}, s3["endpoint"])
        address = stored(shelf, content)
        way.max_bytes_to_client = way.num_bytes_to_client + (12 << 20)
        cache = cache_of(shelf, 2 * len(content))
        asyncio.run(scenario(shelf, address))


def test_an_address_of_this_machine_is_no_business_of_the_cache(
    shelf: BucketShelf, tmp_path: Path, cache_of: CacheOf
) -> None:
    """Guards against printed files of this machine that are looked for in the bucket."""

    async def scenario() -> str:
        async with cache.local_path("/tmp/printed.pdf") as path:
            return path

    cache = cache_of(shelf, SIZE)
    assert asyncio.run(scenario()) == "/tmp/printed.pdf"


def test_what_a_killed_process_left_goes_with_the_next_start(
    shelf: BucketShelf, tmp_path: Path, cache_of: CacheOf
) -> None:
    """Guards against folders that pile up, and against one that takes the files of a process that lives."""
    left = "import sys\nfrom pathlib import Path\nfrom deployments.storage.blob_cache import _own_folder\n"
    left += "folder, _ = _own_folder(Path(sys.argv[1]))\n(folder / 'file').write_text('left')\n"
    left += "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n"
    living = cache_of(shelf, SIZE)
    address = stored(shelf, b"living")

    async def scenario() -> bytes:
        async with living.local_path(address) as path:
            await asyncio.to_thread(subprocess.run, [sys.executable, "-c", left, str(tmp_path)], check=False)
            assert await asyncio.to_thread(cached, tmp_path) == [b"left", b"living"]
            await asyncio.to_thread(cache_of, shelf, SIZE)
            return await asyncio.to_thread(Path(path).read_bytes)

    assert asyncio.run(scenario()) == b"living"
    assert cached(tmp_path) == [b"living"]
