"""Reads multipart uploads: limits size and number of files, detects the media type from the content, refuses
unknown kinds.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import BinaryIO, cast

from fastapi import Request
from pydantic import BaseModel
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect

from deployments.ingress.errors import Malformed, Problem, UnknownOption
from deployments.ingress.form_options import Options, options_of
from deployments.ingress.middleware.authorization import caller_of
from deployments.ingress.middleware.body_limits import MAX_DIGITS
from deployments.ingress.operations.fair_limiter import FairLimiter
from deployments.storage.blobs import BlobStore
from deployments.storage.staged_upload import StagedUpload
from documents.errors import EmptyFile, FileTooLarge, UnsupportedMedia
from documents.media_types import NAMES, PAGE_TYPES, PRINTED_NAMES, SUPPORTED_TYPES, sniff_file

MAX_NAME = 255  # characters of a file's name
MAX_FIELDS = 100  # of one form, beside its files
MAX_FIELD_BYTES = 1 << 16
FORM_BYTES = 1 << 20  # of an upload that are not its files: part headers and fields
MAX_FILES = 20  # of one form


def max_form_bytes(max_file_bytes: int) -> int:
    """Of a form with as many files as one may have."""
    return MAX_FILES * max_file_bytes + FORM_BYTES


@dataclass(frozen=True, slots=True)
class Upload:
    """One file of a form, of a kind that is read here."""

    name: str
    media_type: str
    content: BinaryIO


class _FileTooLarge(MultiPartException):
    """A file of the form outgrew its limit; the parser closes what it has."""


class _Parser(MultiPartParser):
    """Counts the bytes of each file while they arrive, and writes them to where they may stay."""

    def __init__(self, request: Request, blobs: BlobStore, max_bytes: int, max_files: int) -> None:
        super().__init__(
            request.headers,
            request.stream(),
            max_files=max_files + 1,  # so that one too many is told as such
            max_fields=MAX_FIELDS,
            max_part_size=MAX_FIELD_BYTES,
        )
        self._blobs = blobs
        self._max_bytes, self._bytes = max_bytes, 0
        self._files: list[StagedUpload] = []

    async def parse(self) -> FormData:
        """As the base; but a file whose part never ended, and is in no form, is closed as well."""
        open_files: list[BinaryIO] = []
        try:
            form = await super().parse()
            open_files += [value.file for _, value in form.multi_items() if isinstance(value, UploadFile)]
            return form
        finally:
            leftover_files = [file for file in self._files if not any(file is open_file for open_file in open_files)]
            if leftover_files:
                await asyncio.shield(asyncio.to_thread(_close, leftover_files))

    def on_part_begin(self) -> None:
        self._bytes = 0
        super().on_part_begin()

    def on_headers_finished(self) -> None:
        super().on_headers_finished()
        part = self._current_part
        if part.file is not None:  # in the place of the base's spooled file, which is empty yet
            part.file.file.close()
            self._files.append(self._blobs.incoming())
            part.file.file = cast("BinaryIO", self._files[-1])

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        self._bytes += end - start
        if self._bytes > self._max_bytes:
            raise _FileTooLarge("too large")
        super().on_part_data(data, start, end)


def _close(files: list[StagedUpload]) -> None:
    for file in files:
        file.close()


class FormReader:
    """Reads a bounded number of forms at once; a file that is too large is refused before it is all read."""

    def __init__(self, *, max_bytes: int, slots: FairLimiter, blobs: BlobStore) -> None:
        self._max_bytes = max_bytes
        self._blobs = blobs
        self._slots = slots

    @contextlib.asynccontextmanager
    async def read(
        self,
        request: Request,
        *,
        files: tuple[str, ...],
        fields: type[BaseModel] | None,
        max_files: int = MAX_FILES,
        allowed: frozenset[str] = PAGE_TYPES,
    ) -> AsyncIterator[Form]:
        """The form of a request, its files of the `allowed` media types; they are gone when the block is left.

        Raises:
            Malformed: not a multipart form, none of `files` is in it, or more of them than `max_files`.
            FileTooLarge: a file of more bytes than allowed.
            UnknownOption: a field that `fields` does not have; None: any field is taken.
            Unavailable: as many uploads as allowed were being read for as long as a call waits.
            Stalled, BodyTooLarge: as `body.BoundedBody`.
        """
        async with self._slots.slot(caller_of(request).name):
            data = await self._parsed(request, max_files)
            try:
                yield await asyncio.to_thread(_checked, data, files, fields, max_files, allowed)
            finally:
                await data.close()

    async def _parsed(self, request: Request, max_files: int) -> FormData:
        if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
            raise Malformed("send the file as multipart/form-data, in the field `file`")
        declared = request.headers.get("content-length", "0")
        limit = max_files * self._max_bytes + FORM_BYTES
        if declared.isdecimal() and (len(declared) > MAX_DIGITS or int(declared) > limit):
            raise self._too_large()
        try:
            return await _Parser(request, self._blobs, self._max_bytes, max_files).parse()
        except _FileTooLarge:
            raise self._too_large() from None
        except (MultiPartException, KeyError) as error:
            raise Malformed(f"not a readable form: {error}") from None
        except ClientDisconnect:
            raise Malformed("the upload was interrupted") from None

    def _too_large(self) -> FileTooLarge:
        return FileTooLarge(f"the file exceeds the limit of {self._max_bytes} bytes")


@dataclass(frozen=True, slots=True)
class Form:
    """The files and fields of an upload; of a field that is repeated `fields` has the last, `repeated` all."""

    uploads: tuple[Upload, ...]
    fields: dict[str, str]
    repeated: dict[str, list[str]]

    def options(self, model: type[Options], *, refusal: type[Problem] = UnknownOption) -> Options:
        """Its fields as `model`; see `form_options.options_of`."""
        return options_of(model, self.fields, refusal=refusal)


def _checked(
    data: FormData, files: tuple[str, ...], fields: type[BaseModel] | None, max_files: int, allowed: frozenset[str]
) -> Form:
    uploads: list[Upload] = []
    values: dict[str, list[str]] = {}
    for name, value in data.multi_items():
        if isinstance(value, UploadFile):
            if name not in files:
                raise UnknownOption(f"unknown file field {name!r}; known: {', '.join(files)}")
            uploads.append(_sniffed(value, allowed))
        elif fields is None or name in fields.model_fields:
            values.setdefault(name, []).append(value)
        else:
            raise UnknownOption(f"unknown field {name!r}; known: {', '.join((*files, *fields.model_fields))}")
    if not uploads:
        raise Malformed(f"no file in the form; send it in the field `{files[0]}`")
    if len(uploads) > max_files:
        raise Malformed(f"this call takes {max_files} file at a time")
    return Form(tuple(uploads), {name: all_of_it[-1] for name, all_of_it in values.items()}, values)


def _sniffed(file: UploadFile, allowed: frozenset[str]) -> Upload:
    return sniffed(file.filename or "", file.file, allowed)


def sniffed(name: str, content: BinaryIO, allowed: frozenset[str] = SUPPORTED_TYPES) -> Upload:
    """A file that somebody calls so, if it is of an `allowed` media type.

    Raises:
        EmptyFile: it is empty.
        UnsupportedMedia: it is of no such kind.
    """
    if not content.read(1):
        raise EmptyFile(f"{name or 'the file'} is empty")
    content.seek(0)
    media_type = sniff_file(content, name)
    if media_type not in allowed:
        kinds = PRINTED_NAMES if allowed == PAGE_TYPES else NAMES
        raise UnsupportedMedia(f"unsupported file type: {name or 'the file'} is not one of {kinds}")
    assert media_type is not None
    name = "".join(character for character in name if character.isprintable())[:MAX_NAME]  # a name is only shown
    return Upload(name or "document", media_type, content)
