"""Objects of buckets that callers name by address: which may be named, and their copies in the store of uploads."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import hashlib
import re
from typing import BinaryIO

from configs import Settings
from deployments.errors import BlobStoreAway, Busy, SourceRefused, SourceUnavailable
from deployments.storage.blobs import BlobStore
from deployments.storage.bucket import Bucket
from deployments.storage.configured_blobs import configured_blobs
from deployments.values.staged_blob import StagedBlob, StagedFile
from documents.errors import EmptyFile, FileTooLarge
from documents.media_types import SUPPORTED_TYPES, sniffed_type

ADDRESS_PREFIX = "s3://"
MAX_KEY_BYTES = 1024  # S3's own limit
MAX_COPIES = 8  # that one replica makes at once, without a thread of those that pages need
READ_BYTES = 1 << 20
MESSAGE_UNREADABLE = "there is no such object, it may not be read, or its storage is away"
_CONTROLS = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


def is_object_address(url: str) -> bool:
    """Whether this names an object of a bucket, and not a place of the web."""
    return url.startswith(ADDRESS_PREFIX)


def check_object_address(url: str, settings: Settings) -> None:
    """Raises SourceRefused unless the settings allow the object; every character of the key counts as it stands."""
    folders = settings.sources.buckets
    if not folders:
        raise SourceRefused("ingesting from buckets is disabled; send the file itself, or set sources.buckets")
    if not any(url.startswith(folder) for folder in folders):
        raise SourceRefused("sources.buckets does not allow this address")
    _, _, key = url.removeprefix(ADDRESS_PREFIX).partition("/")
    if _CONTROLS.search(url) or any(part in ("", ".", "..") for part in key.split("/")):
        raise SourceRefused("the address is not that of an object: s3://bucket/folder/file")
    if len(key.encode()) > MAX_KEY_BYTES:
        raise SourceRefused(f"the key of the object has more than {MAX_KEY_BYTES} bytes")
    own_places = (settings.blobs.uri, settings.index.uri)
    if any(place is not None and url.startswith(f"{place.rstrip('/')}/") for place in own_places):
        raise SourceRefused("the address is in the server's own storage")


class BucketObjects:
    """Copies objects into the store of uploads, and looks only at the copy: what is hashed is what is kept."""

    def __init__(self, settings: Settings) -> None:
        """The buckets answer at the endpoint of `blobs.storage_options`, and take its keys."""
        self._settings = settings
        self._blobs = configured_blobs(settings) if settings.sources.buckets else None
        self._buckets: dict[str, Bucket] = {}  # by URL; there are no others than the settings name
        self._threads = concurrent.futures.ThreadPoolExecutor(MAX_COPIES, "bucket-objects")
        self._places = asyncio.Semaphore(MAX_COPIES)  # whoever has one has a thread at once; held until that is free

    async def staged_object(self, url: str) -> StagedFile:
        """A copy of the object, for the caller to keep or discard; of one who goes away meanwhile nothing is left.

        Raises:
            SourceRefused: the settings do not allow the address.
            SourceUnavailable: the object is not there, may not be read, or was not copied in time.
            EmptyFile, FileTooLarge, UnsupportedMedia: it is no document.
            Busy: no place among the copies became free in that time.
            BlobStoreAway, DiskFull: the copy could not be stored.
        """
        check_object_address(url, self._settings)
        assert self._blobs is not None  # else no address is allowed
        timeout_s = self._settings.sources.timeout_s
        await self._take_place(timeout_s)
        loop = asyncio.get_running_loop()
        copying = self._threads.submit(self._copied, self._blobs, url)
        copying.add_done_callback(lambda _: self._release_place(loop))
        try:
            async with asyncio.timeout(timeout_s):
                return await asyncio.wrap_future(copying)
        except (TimeoutError, asyncio.CancelledError) as error:
            if not copying.cancel():  # a thread cannot be stopped, but it comes to its end
                copying.add_done_callback(self._discard)
            if isinstance(error, asyncio.CancelledError):
                raise
            raise SourceUnavailable(f"the object could not be copied within {timeout_s:g} s") from None

    async def _take_place(self, timeout_s: float) -> None:
        """Wait for it beside the time that the copy itself may take. Raises Busy."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._places.acquire()
        except TimeoutError:
            raise Busy(f"{MAX_COPIES} objects are being copied, and none was done within {timeout_s:g} s") from None

    def _release_place(self, loop: asyncio.AbstractEventLoop) -> None:
        """In the thread of the copy, which may have gone on when nobody waited for it any more."""
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(self._places.release)

    def _discard(self, copying: concurrent.futures.Future[StagedFile]) -> None:
        """Remove a copy that nobody waits for, in the thread that made it."""
        assert self._blobs is not None
        with contextlib.suppress(Exception):
            self._blobs.discard(copying.result())

    async def discard_object(self, staged: StagedFile) -> None:
        """Delete a copy that was not kept, for callers that do not have the store."""
        assert self._blobs is not None
        await asyncio.to_thread(self._blobs.discard, staged)

    def _copied(self, blobs: BlobStore, url: str) -> StagedFile:
        name, _, key = url.removeprefix(ADDRESS_PREFIX).partition("/")
        bucket = self._bucket(f"{ADDRESS_PREFIX}{name}")
        max_bytes = int(self._settings.limits.max_file_mb * 1_000_000)
        try:
            size = bucket.size(key)
        except (FileNotFoundError, BlobStoreAway):  # of a bucket that is not there, or keys that it refuses, too
            raise SourceUnavailable(MESSAGE_UNREADABLE) from None
        if not size:
            raise EmptyFile("the object is empty")
        if size > max_bytes:
            raise FileTooLarge(f"the file exceeds the limit of {max_bytes} bytes")
        try:
            try:
                address = blobs.copy_in(bucket, key)
            except FileNotFoundError:
                raise SourceUnavailable("the object is gone") from None
            try:
                with blobs.open(address) as content:
                    return _looked_at(address, content, key.rsplit("/", 1)[-1], max_bytes)
            except BaseException:
                blobs.discard(StagedBlob(address, "", 0))
                raise
        except BlobStoreAway:  # an archived object has a size, but is not read
            blobs.check()  # raises BlobStoreAway where it is not the object's fault
            raise SourceUnavailable(MESSAGE_UNREADABLE) from None

    def _bucket(self, url: str) -> Bucket:
        if url not in self._buckets:
            self._buckets[url] = Bucket(url, self._settings.blobs.storage_options)
        return self._buckets[url]


def _looked_at(address: str, content: BinaryIO, name: str, max_bytes: int) -> StagedFile:
    """The copy as it is, whatever the object was when its size was read."""
    digest = hashlib.sha256()
    size = 0
    media_type = sniffed_type(content, name, SUPPORTED_TYPES)
    while chunk := content.read(READ_BYTES):
        digest.update(chunk)
        size += len(chunk)
        if size > max_bytes:
            raise FileTooLarge(f"the file exceeds the limit of {max_bytes} bytes")
    return StagedFile(address, digest.hexdigest(), size, media_type)
