"""`pagemill.jsonl`, the log of an ingestion in its output folder: decides which files a resumed run skips."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import BinaryIO, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from pagemill.values import Format, JobError, Options

FILE_NAME = "pagemill.jsonl"
REPAIRED_WARNING = "repaired"  # code of the warning for a damaged file that was read as far as possible
FORMAT_SUFFIXES: dict[Format, str] = {
    "md": ".md",
    "json": ".json",
    "docling": ".docling.json",
    "chunks": ".chunks.jsonl",
    "text": ".txt",
    "zip": ".zip",
}


class Entry(BaseModel):
    """How far one file is; `options` and `sha256` say for which bytes and options that is true."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    source: str  # absolute path
    output: str  # path below the out folder
    options: str = Field(validation_alias=AliasChoices("options", "asked"))  # earlier logs say "asked"
    sha256: str
    job_id: str | None = None
    document_id: str | None = None
    status: Literal["sent", "succeeded", "partial", "failed", "cancelled", "refused"]
    num_pages: int | None = None
    failed_pages: tuple[int, ...] = ()
    warnings: dict[str, tuple[int, ...]] = {}  # pages by code, with the name of the rule where one failed
    text_sources: dict[str, int] = {}  # pages by where their text came from
    seconds: float | None = None  # from its job's beginning to its end
    is_earlier: bool = Field(default=False, exclude=True)  # read by a run before this
    error: JobError | None = None

    @property
    def is_damaged(self) -> bool:
        """Whether the file was damaged, so that its result holds what could be saved."""
        return REPAIRED_WARNING in self.warnings

    @property
    def has_result(self) -> bool:
        return self.status in ("succeeded", "partial")


class IngestLog:
    """The last entry of each file and format; every change is on the disk before `put` returns."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / FILE_NAME
        self._entries: dict[str, Entry] = {}
        self._owners: dict[str, str] = {}  # of each output
        if self._path.exists():
            for line in self._path.read_text(encoding="utf-8", errors="replace").splitlines():
                self._read(line)

    def _read(self, line: str) -> None:
        try:
            self._keep(Entry.model_validate_json(line))
        except ValidationError:
            return  # the line that a kill cut off: what it would have said is done again

    def _keep(self, entry: Entry) -> None:
        self._entries[entry.output] = entry
        self._owners[entry.output] = entry.source

    def entry(self, output: str, sha256: str, options: str) -> Entry | None:
        """What is known of an output, if it is of these bytes and options."""
        entry = self._entries.get(output)
        return entry if entry is not None and (entry.sha256, entry.options) == (sha256, options) else None

    def is_done(self, entry: Entry | None) -> bool:
        """Whether there is nothing left to do: its result lies there."""
        return entry is not None and entry.has_result and (self._folder / entry.output).exists()

    def output(self, source: Path, place: Path, format: Format) -> str:  # noqa: A002  the call's name
        """The output of a file, below the folder: under its stem, or its whole name where that is somebody else's."""
        short = place.with_suffix(FORMAT_SUFFIXES[format]).as_posix()
        output = (
            short
            if self._owners.get(short, str(source)) == str(source)
            else f"{place.as_posix()}{FORMAT_SUFFIXES[format]}"
        )
        self._owners.setdefault(output, str(source))
        return output

    def put(self, entry: Entry) -> None:
        """Write a line and remember it."""
        self._keep(entry)
        line = entry.model_dump_json(exclude_defaults=True) + "\n"
        with self._path.open("a+b") as file:
            if file.tell() and not _ends_with_line(file):
                file.write(b"\n")
            file.write(line.encode())
            file.flush()
            os.fsync(file.fileno())

    def documents(self) -> dict[str, str]:
        """The file of each document, by the document's id."""
        return {entry.document_id: entry.source for entry in self._entries.values() if entry.document_id}


def options_fingerprint(options: Options) -> str:
    """A text that is the same for options that ask the same; it does not tell a password."""
    fields = options.model_dump(mode="json", exclude_defaults=True)
    if options.password is not None:
        fields["password"] = hashlib.sha256(options.password.encode()).hexdigest()[:8]
    return json.dumps(fields, sort_keys=True)


def _ends_with_line(file: BinaryIO) -> bool:
    file.seek(-1, os.SEEK_END)
    return file.read(1) == b"\n"
