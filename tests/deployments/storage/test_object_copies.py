"""`deployments.storage.bucket_objects`: copies of objects of a real S3 server."""

from __future__ import annotations

import asyncio
import hashlib
import io
import os
import threading
import uuid
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from deployments.errors import BlobStoreAway, Busy, SourceRefused, SourceUnavailable
from deployments.storage.bucket import Bucket
from deployments.storage.bucket_objects import MAX_COPIES, BucketObjects
from documents.errors import EmptyFile, FileTooLarge, UnsupportedMedia
from tests.deployments.storage.gateway import gateway
from tests.deployments.storage.stores import BucketShelf, FolderShelf, Shelf
from tests.deployments.storage.test_bucket_objects import settings_of
from tests.retrieval.object_storage import ask, names_in, program

PDF = b"%PDF-1.7 the harbour master keeps the log\n"
LARGE = PDF + os.urandom(1 << 20) * 21


class Place:
    """Objects of a server below a folder of the bucket `shelf`, and a store that takes copies of them."""

    def __init__(self, s3: dict[str, str], shelf: Shelf, folder: Path, *, endpoint: str | None = None) -> None:
        self.server, self.shelf = s3["endpoint"], shelf
        self.prefix = f"sources-{uuid.uuid4().hex}"
        self.address = f"s3://shelf/{self.prefix}/"
        blobs: dict[str, Any] = {"storage_options": s3 | ({"endpoint": endpoint} if endpoint else {})}
        if isinstance(shelf, BucketShelf):
            blobs["uri"] = shelf.bucket.url
            data_dir = folder
        else:
            assert isinstance(shelf, FolderShelf)
            data_dir = shelf.folder.parent
        self.settings = settings_of(
            self.address, "s3://nowhere/", data_dir=str(data_dir), blobs=blobs, limits={"max_file_mb": 30}
        )
        self.objects = BucketObjects(self.settings)

    def put(self, key: str, content: bytes, headers: Mapping[str, str] | None = None) -> str:
        ask("PUT", f"{self.server}/shelf/{self.prefix}/{quote(key)}", content, headers)
        return self.address + key

    def staged(self, url: str) -> Any:
        return asyncio.run(self.objects.staged_object(url))


@pytest.fixture(params=["folder", "bucket"])
def place(request: Any, s3: dict[str, str], tmp_path: Path) -> Place:
    shelf = FolderShelf(tmp_path / "blobs") if request.param == "folder" else BucketShelf(s3)
    return Place(s3, shelf, tmp_path)


def office_file() -> bytes:
    """A zip whose kind stands at its end, larger than is looked at together."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        packed.writestr("[Content_Types].xml", "<x/>")
        packed.writestr("word/media/picture.bin", os.urandom(12 << 20))
        packed.writestr("word/document.xml", "<x/>")
    return buffer.getvalue()


@pytest.mark.slow
@pytest.mark.skipif(program() is None, reason="moto is not installed here")
class TestCopies:
    """Copies within the server, and into a folder."""

    @pytest.mark.parametrize(
        ("key", "content", "media_type"),
        [
            ("a.pdf", PDF, "application/pdf"),
            ("deep/large.pdf", LARGE, "application/pdf"),
            ("b c+d%20e?f#g/é\u202f&=.txt", b"plain words", "text/plain"),
            (
                "report.docx",
                office_file(),
                "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            ),
        ],
    )
    def test_a_copy_is_hashed_recognised_kept_and_its_object_left(
        self, place: Place, key: str, content: bytes, media_type: str
    ) -> None:
        """Guards against keys that are decoded on their way, and against bytes that differ from the hash."""
        staged = place.staged(place.put(key, content))
        digest = hashlib.sha256(content).hexdigest()
        assert (staged.sha256, staged.size, staged.media_type) == (digest, len(content), media_type)
        assert [name.split("/")[0] for name in place.shelf.names()] == ["incoming"]
        place.shelf.store.keep(staged)
        place.shelf.store.discard(staged)
        assert place.shelf.names() == [f"{digest[:2]}/{digest}"]
        assert place.shelf.content(f"{digest[:2]}/{digest}") == content
        assert names_in(place.server, place.prefix) == [key]

    @pytest.mark.parametrize(
        ("key", "content", "error"),
        [
            ("empty.pdf", b"", EmptyFile),
            ("large.pdf", PDF + bytes(30_000_000), FileTooLarge),
            ("program.pdf", b"\x7fELF\x00\x01", UnsupportedMedia),
        ],
    )
    def test_an_object_that_is_no_document_is_refused_and_leaves_nothing(
        self, place: Place, key: str, content: bytes, error: type[Exception]
    ) -> None:
        """Guards against copies of what was refused, and against refusals of another name than an upload's."""
        with pytest.raises(error):
            place.staged(place.put(key, content))
        assert place.shelf.names() == []

    @pytest.mark.parametrize("url", ["missing.pdf", "deep", "s3://nowhere/a.pdf"])
    def test_an_object_that_is_not_there_is_unavailable(self, place: Place, url: str) -> None:
        """Guards against an outage of the storage of uploads that is only a wrong address."""
        place.put("deep/a.pdf", PDF)
        with pytest.raises(SourceUnavailable):
            place.staged(url if "://" in url else place.address + url)
        assert place.shelf.names() == []

    @pytest.mark.parametrize("storage_class", ["GLACIER", "DEEP_ARCHIVE"])
    def test_an_object_that_is_archived_is_unavailable(self, place: Place, storage_class: str) -> None:
        """Guards against an outage of the storage of uploads, for ever, that is one object which has a size alone."""
        url = place.put("archived.pdf", PDF, {"x-amz-storage-class": storage_class})
        with pytest.raises(SourceUnavailable, match="may not be read"):
            place.staged(url)
        assert place.shelf.names() == []

    def test_an_address_outside_is_refused_by_the_renderer_too(self, place: Place) -> None:
        """Guards against callers by handle, whom no HTTP looks at."""
        with pytest.raises(SourceRefused):
            place.staged(f"s3://shelf/{place.prefix}-other/a.pdf")

    def test_who_is_cancelled_while_an_object_is_copied_leaves_nothing(self, place: Place) -> None:
        """Guards against copies that nobody owns: the copy goes on in its thread."""
        url = place.put("large.pdf", LARGE)

        async def main() -> None:
            copying = asyncio.create_task(place.objects.staged_object(url))
            await asyncio.sleep(0)  # it has begun
            copying.cancel()
            with pytest.raises(asyncio.CancelledError):
                await copying
            while others := asyncio.all_tasks() - {asyncio.current_task()}:
                await asyncio.wait(others)

        asyncio.run(main())
        place.objects._threads.shutdown()  # the copy has come to its end
        assert place.shelf.names() == []

    def test_the_wait_for_a_place_is_no_part_of_the_time_of_a_copy(
        self, place: Place, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Guards against a tail of objects that are called unavailable because of slow ones before them."""
        url = place.put("a.pdf", PDF)
        size, begun, let = Bucket.size, threading.Semaphore(0), threading.Event()

        def held(bucket: Bucket, key: str) -> int:
            own_let = let
            begun.release()
            own_let.wait(60)
            return size(bucket, key)

        async def copies() -> list[asyncio.Task[Any]]:
            """As many as there are places, each with its thread."""
            tasks = [asyncio.create_task(place.objects.staged_object(url)) for _ in range(MAX_COPIES)]
            for _ in tasks:
                assert await asyncio.to_thread(begun.acquire, timeout=60)
            return tasks

        async def main() -> None:
            nonlocal let
            sources = place.settings.sources.model_copy(update={"timeout_s": 0.2})
            place.objects._settings = place.settings.model_copy(update={"sources": sources})
            slow = await copies()
            late, left = (asyncio.create_task(place.objects.staged_object(url)) for _ in range(2))
            await asyncio.sleep(0)  # both wait for a place
            left.cancel()
            errors = await asyncio.gather(*slow, late, left, return_exceptions=True)
            kinds = [*[SourceUnavailable] * MAX_COPIES, Busy, asyncio.CancelledError]
            assert [type(error) for error in errors] == kinds
            let.set()  # the threads come to their end, and give their places back
            let = threading.Event()
            place.objects._settings = place.settings
            slow = await copies()
            let.set()
            for staged in await asyncio.gather(*slow):
                await place.objects.discard_object(staged)

        monkeypatch.setattr(Bucket, "size", held)
        asyncio.run(main())
        place.objects._threads.shutdown()
        assert place.shelf.names() == []

    def test_an_object_that_grows_after_its_size_was_read_is_refused(
        self, place: Place, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Guards against a limit that holds for the object that was, not for the copy that is kept."""
        url = place.put("a.pdf", PDF + bytes(30_000_000))
        monkeypatch.setattr("deployments.storage.bucket.Bucket.size", lambda *_: 100)
        with pytest.raises(FileTooLarge):
            place.staged(url)
        assert place.shelf.names() == []

    def test_a_copy_within_the_bucket_sends_no_byte_back(self, s3: dict[str, str], tmp_path: Path) -> None:
        """Guards against a copy through this process: only the look at it is a download, once."""
        with gateway(s3["endpoint"]) as way:
            shelf = BucketShelf(s3 | {"endpoint": way.url}, s3["endpoint"])
            place = Place(s3, shelf, tmp_path, endpoint=way.url)
            url = place.put("large.pdf", LARGE)
            place.staged(url)
            assert len(LARGE) <= way.num_bytes_to_client < len(LARGE) + 100_000

    def test_an_outage_leaves_nothing_that_is_not_swept(self, s3: dict[str, str], tmp_path: Path) -> None:
        """Guards against half a copy in the folder when the bucket goes away in the middle."""
        with gateway(s3["endpoint"]) as way:
            shelf = FolderShelf(tmp_path / "blobs")
            place = Place(s3, shelf, tmp_path, endpoint=way.url)
            url = place.put("large.pdf", LARGE)
            way.max_bytes_to_client = 5 << 20
            with pytest.raises(SourceUnavailable, match="its storage is away"):
                place.staged(url)
        assert shelf.names() == []

    def test_an_outage_of_the_storage_of_uploads_is_told_as_one(self, s3: dict[str, str], tmp_path: Path) -> None:
        """Guards against an outage that is taken for an object which may not be read."""
        with gateway(s3["endpoint"]) as way:
            shelf = BucketShelf(s3 | {"endpoint": way.url}, s3["endpoint"])
            place = Place(s3, shelf, tmp_path, endpoint=way.url)
            url = place.put("large.pdf", LARGE)
            way.max_bytes_to_client = 5 << 20
            with pytest.raises(BlobStoreAway):
                place.staged(url)
