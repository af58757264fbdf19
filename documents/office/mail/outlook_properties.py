"""Reads the properties in an Outlook file (MAPI, compound file).

Numbers and layout: MS-OXMSG, MS-OXPROPS. The compound file itself is olefile's to read.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import olefile

from documents.errors import TooLargeUnpacked, UnreadableDocument
from documents.office.packages.text_decoding import decoded
from documents.office.packages.unpack_limits import MAX_UNPACKED_BYTES

STRING_TYPE = 0x1F
STRING_8_TYPE = 0x1E
BINARY_TYPE = 0x102
LONG_TYPE = 0x3
BOOLEAN_TYPE = 0xB
TIME_TYPE = 0x40
OBJECT_TYPE = 0xD
PROPERTIES = "__properties_version1.0"
ENTRY_BYTES = 16  # length of one entry in the stream of fixed properties
TICKS_PER_SECOND = 10_000_000  # a time is a number of ticks since 1601
PARSE_ERRORS = (
    OSError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    OverflowError,
    RecursionError,
    struct.error,
)


class CompoundFile:
    """An open compound file, none of whose streams is read beyond the bounds of all of them together."""

    def __init__(self, content: bytes) -> None:
        """Raises UnreadableDocument."""
        try:
            self._file = olefile.OleFileIO(io.BytesIO(content))
            self._names = [tuple(path) for path in self._file.listdir(streams=True, storages=True)]
        except PARSE_ERRORS as error:
            raise UnreadableDocument("the file is damaged: its list of streams cannot be read") from error
        self._num_read = 0

    def names_in(self, storage: tuple[str, ...]) -> list[str]:
        """What lies directly in a storage."""
        depth = len(storage)
        return [path[depth] for path in self._names if len(path) == depth + 1 and path[:depth] == storage]

    def read(self, path: tuple[str, ...]) -> bytes | None:
        """A stream; None where there is none, or it is damaged. Raises TooLargeUnpacked."""
        try:
            size = self._file.get_size(list(path)) if self._file.get_type(list(path)) == olefile.STGTY_STREAM else None
        except PARSE_ERRORS:
            return None
        if size is None:
            return None
        self._num_read += size
        if self._num_read > MAX_UNPACKED_BYTES:
            raise TooLargeUnpacked("the streams of the file have more bytes than allowed")
        try:
            return self._file.openstream(list(path)).read()
        except PARSE_ERRORS:
            return None


@dataclass(frozen=True, slots=True)
class Properties:
    """Those of one storage: a message, an attachment, a recipient; `header` bytes precede the list of fixed ones."""

    file: CompoundFile
    storage: tuple[str, ...]
    fixed: dict[tuple[int, int], bytes]  # by number and type
    code_page: str | None

    @classmethod
    def of(cls, file: CompoundFile, storage: tuple[str, ...], header: int, code_page: str | None = None) -> Properties:
        content = file.read((*storage, PROPERTIES)) or b""
        fixed: dict[tuple[int, int], bytes] = {}
        for index in range(header, len(content) - ENTRY_BYTES + 1, ENTRY_BYTES):
            (tag,) = struct.unpack_from("<I", content, index)
            fixed[tag >> 16, tag & 0xFFFF] = content[index + 8 : index + 16]
        properties = cls(file, storage, fixed, code_page)
        own = properties.code_page_of(0x3FFD) or properties.code_page_of(0x3FDE)
        return cls(file, storage, fixed, own or code_page)

    def text(self, number: int) -> str:
        """A string of this number; empty where there is none."""
        wide = self._stream(number, STRING_TYPE)
        if wide is not None:
            return wide.decode("utf-16-le", "replace").rstrip("\0")
        narrow = self._stream(number, STRING_8_TYPE)
        return "" if narrow is None else decoded(narrow, self.code_page).text.rstrip("\0")

    def content(self, number: int) -> bytes | None:
        return self._stream(number, BINARY_TYPE)

    def number(self, number: int) -> int | None:
        value = self.fixed.get((number, LONG_TYPE))
        return None if value is None else int.from_bytes(value[:4], "little", signed=True)

    def is_set(self, number: int) -> bool:
        return bool((self.fixed.get((number, BOOLEAN_TYPE)) or b"\0")[0])

    def time(self, number: int) -> datetime | None:
        value = self.fixed.get((number, TIME_TYPE))
        if value is None:
            return None
        try:
            return datetime(1601, 1, 1, tzinfo=UTC) + timedelta(
                seconds=int.from_bytes(value, "little") // TICKS_PER_SECOND
            )
        except (OverflowError, ValueError):
            return None

    def object(self, number: int) -> tuple[str, ...] | None:
        """The storage of an object, such as a message within the message."""
        name = f"__substg1.0_{number:04X}{OBJECT_TYPE:04X}"
        return next(
            ((*self.storage, own) for own in self.file.names_in(self.storage) if own.upper() == name.upper()), None
        )

    def storages(self, prefix: str) -> Iterator[tuple[str, ...]]:
        """The storages in this one whose names begin so: attachments, recipients."""
        names = sorted(name for name in self.file.names_in(self.storage) if name.lower().startswith(prefix))
        return ((*self.storage, name) for name in names)

    def code_page_of(self, number: int) -> str | None:
        """The charset that a number of a code page names."""
        page = self.number(number)
        return None if page is None else CHARSETS.get(page, f"cp{page}")

    def _stream(self, number: int, kind: int) -> bytes | None:
        return self.file.read((*self.storage, f"__substg1.0_{number:04X}{kind:04X}"))


CHARSETS = {
    65001: "utf-8",
    65000: "utf-8",
    1200: "utf-16-le",
    20127: "ascii",
    20866: "koi8-r",
    21866: "koi8-u",
    936: "gb18030",
    54936: "gb18030",
    51949: "euc-kr",
    51932: "euc-jp",
    50220: "iso2022_jp",
    50221: "iso2022_jp",
    50222: "iso2022_jp",
    **{28590 + k: f"iso8859-{k}" for k in (*range(1, 10), 13, 15)},
}
