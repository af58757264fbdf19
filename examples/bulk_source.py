"""Documents of a folder or bucket in the order of their paths, a page at a time: never are all of them in memory."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple, Protocol

from pyarrow import fs

ENDINGS = (".pdf", ".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp")
NUM_PER_PAGE = 1000  # as many as S3 lists per request


class Document(NamedTuple):
    """A document of the source; one of another size is another document."""

    path: str
    size: int  # bytes


class Source(Protocol):
    """Where documents come from; its methods block."""

    def documents(self) -> Iterator[Document]:
        """Each document once; the next page is listed when it is needed."""
        ...

    def content(self, path: str) -> bytes:
        """Raises OSError."""
        ...


def source_of(place: str) -> Source:
    """A folder, or the URL of a bucket's folder."""
    if not place.startswith("s3://"):
        return FolderSource(place)
    from examples.bulk_bucket import BucketSource  # its client is of the extra `examples`

    return BucketSource(place)


def pages_of(source: Source) -> Iterator[list[Document]]:
    """All documents, so many at a time."""
    documents = source.documents()
    while page := list(islice(documents, NUM_PER_PAGE)):
        yield page


def file_system(place: str) -> tuple[fs.FileSystem, str]:
    """The file system of a folder or URL, and the path in it."""
    return fs.FileSystem.from_uri(place if "://" in place else Path(place).resolve().as_uri())


class FolderSource:
    """A folder, of which one subfolder at a time is listed."""

    def __init__(self, place: str) -> None:
        self._system, self._root = file_system(place)

    def documents(self) -> Iterator[Document]:
        return self._below(self._root)

    def content(self, path: str) -> bytes:
        with self._system.open_input_stream(path) as stream:
            return stream.read()

    def _below(self, folder: str) -> Iterator[Document]:
        for entry in sorted(self._system.get_file_info(fs.FileSelector(folder)), key=lambda entry: entry.path):
            if entry.type == fs.FileType.Directory:
                yield from self._below(entry.path)
            elif entry.is_file and entry.path.lower().endswith(ENDINGS):
                yield Document(entry.path, entry.size)
