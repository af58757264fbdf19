"""Opens the ZIP package of an Office file: reads parts within limits, resolves relations between them."""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import BinaryIO
from urllib.parse import unquote

from documents.errors import EncryptedDocument, TooLargeUnpacked, UnreadableDocument
from documents.office.packages.unpack_limits import MAX_ENTRIES, MAX_PART_BYTES, MAX_UNPACKED_BYTES
from documents.office.packages.xml_parsing import Element, attribute, children, parsed_xml

ENCRYPTED_FLAG = 0x1  # flag of an entry
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
PIECE_BYTES = 1 << 20  # bytes that are unpacked at a time
ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
    ValueError,
    KeyError,
)


@dataclass(frozen=True, slots=True)
class Relation:
    """Where a part leads: `target` is a part, or an address outside, which is never opened."""

    kind: str  # the last step of its type
    target: str
    is_external: bool


@dataclass(slots=True)
class Package:
    """One zip; `num_unpacked` bytes of it have been read."""

    archive: zipfile.ZipFile
    entries: dict[str, zipfile.ZipInfo]  # by name, without a slash before it
    doubles: dict[str, zipfile.ZipInfo]  # further entries of a name, by the name with a number in it
    num_unpacked: int = 0
    _exact_names: dict[str, str] = field(init=False)  # by the name in small letters, as Office looks parts up

    def __post_init__(self) -> None:
        self._exact_names = {name.lower(): name for name in self.entries}

    @classmethod
    def open(cls, file: BinaryIO) -> Package:
        """Raises UnreadableDocument for no zip or too many entries, EncryptedDocument where a password is needed."""
        try:
            archive = zipfile.ZipFile(file)
            infos = archive.infolist()
        except ZIP_ERRORS as error:
            raise UnreadableDocument("the file is damaged: its list of parts cannot be read") from error
        if len(infos) > MAX_ENTRIES:
            raise UnreadableDocument(f"the file has {len(infos)} parts; {MAX_ENTRIES} are allowed")
        if infos and all(info.flag_bits & ENCRYPTED_FLAG for info in infos if not info.is_dir()):
            raise EncryptedDocument("the file is encrypted")
        entries: dict[str, zipfile.ZipInfo] = {}
        doubles: dict[str, zipfile.ZipInfo] = {}
        for number, info in enumerate(infos):
            path = _path(info.filename)
            if path in entries:  # the last is the one that counts, as in other programs
                stem, extension = posixpath.splitext(path)
                doubles[f"{stem} ({number}){extension}"] = entries[path]
            if not info.is_dir():
                entries[path] = info
        return cls(archive, entries, doubles)

    def names(self) -> Iterator[str]:
        """Of all entries, in the order of the file, then those that have the name of another."""
        return chain((info.filename for info in self.entries.values()), self.doubles)

    def has(self, name: str) -> bool:
        return self._entry(name) is not None

    def read(self, name: str) -> bytes | None:
        """An entry unpacked; None where there is none.

        Raises:
            TooLargeUnpacked: it, or all that was read, is larger than allowed.
            EncryptedDocument: it needs a password.
            UnreadableDocument: it is damaged.
        """
        info = self._entry(name)
        if info is None:
            return None
        content = bytearray()
        with self._opened(info) as stream:
            try:
                while piece := stream.read(PIECE_BYTES):
                    content += piece
                    self._count(len(piece), len(content))
            except ZIP_ERRORS as error:
                if not content or isinstance(error, MemoryError):
                    raise UnreadableDocument("a part of the file is damaged") from error
        return bytes(content)

    def stream(self, name: str) -> BinaryIO | None:
        """An entry to be read piece by piece, within the same bounds; None where there is none."""
        info = self._entry(name)
        return None if info is None else io.BufferedReader(_Bounded(self, info), PIECE_BYTES)  # pyright: ignore[reportArgumentType]

    def xml(self, name: str | None) -> Element | None:
        """An entry as XML; None where there is none. Raises as `read`, UnreadableDocument for no XML."""
        content = self.read(name) if name else None
        return None if content is None else parsed_xml(content)

    def soft_xml(self, name: str | None) -> Element | None:
        """The same; None also where it cannot be read, for parts that the text does not need."""
        try:
            return self.xml(name)
        except UnreadableDocument:
            return None

    def relations(self, part: str) -> dict[str, Relation]:
        """Those of a part (`""`: of the package), by id; none where they are missing or damaged."""
        folder, name = posixpath.split(part)
        root = self.soft_xml(posixpath.join(folder, "_rels", f"{name}.rels"))
        relations: dict[str, Relation] = {}
        for node in children(root, "Relationship"):
            target = attribute(node, "Target") or ""
            is_external = attribute(node, "TargetMode") == "External"
            path = target if is_external else resolved(folder, target)
            kind = (attribute(node, "Type") or "").rpartition("/")[2]
            relations[attribute(node, "Id") or ""] = Relation(kind, path, is_external)
        return relations

    def _entry(self, name: str) -> zipfile.ZipInfo | None:
        """The entry of this name, else one whose name differs only in case."""
        path = _path(name)
        info = self.entries.get(path) or self.doubles.get(path)
        return info if info is not None else self.entries.get(self._exact_names.get(path.lower(), ""))

    def _opened(self, info: zipfile.ZipInfo) -> zipfile.ZipExtFile:
        if info.flag_bits & ENCRYPTED_FLAG:
            raise EncryptedDocument("a part of the file is encrypted")
        if info.compress_type not in METHODS:
            raise UnreadableDocument("a part of the file is compressed in an unsupported way")
        try:
            return self.archive.open(info)  # pyright: ignore[reportReturnType]
        except ZIP_ERRORS as error:
            raise UnreadableDocument("a part of the file is damaged") from error

    def _count(self, more: int, of_part: int) -> None:
        self.num_unpacked += more
        if of_part > MAX_PART_BYTES or self.num_unpacked > MAX_UNPACKED_BYTES:
            raise TooLargeUnpacked("a part of the file unpacks to more bytes than allowed")


class _Bounded(io.RawIOBase):
    """An entry that raises once it has given more bytes than allowed."""

    def __init__(self, package: Package, info: zipfile.ZipInfo) -> None:
        self._package = package
        self._stream = package._opened(info)  # pyright: ignore[reportPrivateUsage]
        self._num_read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        piece = self._stream.read(len(buffer))
        self._num_read += len(piece)
        self._package._count(len(piece), self._num_read)  # pyright: ignore[reportPrivateUsage]
        buffer[: len(piece)] = piece
        return len(piece)


def resolved(folder: str, target: str) -> str:
    """The part that a relation of one in `folder` names; it never leaves the package."""
    path = unquote(target).replace("\\", "/").partition("#")[0]
    whole = path if path.startswith("/") else posixpath.join(folder, path)
    return posixpath.normpath("/" + whole).lstrip("/")


def _path(name: str) -> str:
    return name.replace("\\", "/").lstrip("/")
