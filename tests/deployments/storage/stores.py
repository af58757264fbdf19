"""Both kinds of store with what lies in them, as others see it: the file system, or the S3 server."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from deployments.storage.blobs import BlobStore
from deployments.storage.bucket import Bucket
from deployments.storage.bucket_blobs import BucketBlobs
from deployments.storage.folder_blobs import FolderBlobs
from tests.retrieval.object_storage import ask, names_in, program

needs_s3 = (pytest.mark.slow, pytest.mark.skipif(program() is None, reason="moto is not installed here"))
KINDS = ("folder", pytest.param("bucket", marks=needs_s3))


class Shelf:
    """A store, and what is in it."""

    store: BlobStore

    def names(self) -> list[str]:
        raise NotImplementedError

    def content(self, name: str) -> bytes:
        raise NotImplementedError


class FolderShelf(Shelf):
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = FolderBlobs(folder)

    def names(self) -> list[str]:
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file())

    def content(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()


class BucketShelf(Shelf):
    def __init__(self, options: Mapping[str, str], server: str | None = None) -> None:
        """`server`: the address of the server itself, where `options` name a way to it."""
        self.server = server or options["endpoint"]
        self.folder = uuid.uuid4().hex
        self.options = options
        self.bucket = Bucket(f"s3://shelf/{self.folder}", options)
        self.store = BucketBlobs(self.bucket)

    def names(self) -> list[str]:
        return names_in(self.server, self.folder)

    def content(self, name: str) -> bytes:
        return ask("GET", f"{self.server}/shelf/{self.folder}/{name}")

    def unfinished(self) -> bytes:
        """The server's list of uploads that were begun and neither finished nor given up."""
        return ask("GET", f"{self.server}/shelf?uploads")


@contextlib.contextmanager
def everything_is_stale(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if more than the time for an upload had passed since all that was written."""
    with monkeypatch.context() as patch:
        patch.setattr("deployments.storage.blobs.MAX_STAGED_AGE_S", -60)
        yield
