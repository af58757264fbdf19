"""Which files `pagemill ingest` reads for the paths, folders and patterns on its command line."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

SUFFIXES = frozenset(
    f".{ending}"
    for ending in (
        *("pdf", "png", "jpg", "jpeg", "tif", "tiff", "webp"),
        *("docx", "pptx", "xlsx", "odt", "ods", "odp", "epub", "zip"),
        *("html", "htm", "md", "markdown", "csv", "txt", "eml", "msg"),
    )
)  # looked for in folders


class NoSuchFile(Exception):
    """A path leads nowhere, or a pattern matches nothing."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file, and where its result lies below the out folder."""

    path: Path  # absolute
    place: Path  # relative: as the file lies below the folder that was named


def find(named: Iterable[str]) -> list[SourceFile]:
    """The files that are meant: a file whatever its name; of a folder and all below it, those of kinds that are read.

    Raises:
        NoSuchFile: one of the names means no file.
    """
    files_by_path: dict[Path, SourceFile] = {}
    for name in named:
        files = list(_meant(name))
        if not files:
            raise NoSuchFile(f"{name}: no such file, or a folder or pattern without documents")
        for file in files:
            files_by_path.setdefault(file.path, file)
    return list(files_by_path.values())


def _meant(name: str) -> Iterator[SourceFile]:
    path = Path(name)
    if path.exists():
        yield from _in(path)
        return
    for match in sorted(glob.glob(name, recursive=True)):  # noqa: PTH207  Path.glob takes no absolute pattern
        yield from _in(Path(match))


def _in(path: Path) -> Iterator[SourceFile]:
    if not path.is_dir():
        yield SourceFile(path.resolve(), Path(path.name))
        return
    for file in sorted(path.rglob("*")):
        hidden = any(part.startswith(".") for part in file.relative_to(path).parts)
        if file.suffix.lower() in SUFFIXES and file.is_file() and not hidden:
            yield SourceFile(file.resolve(), file.relative_to(path))
