"""Uploads: counted while they arrive, and looked at by their magic bytes before anything keeps them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, cast

from fastapi import Request
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from deployments.ingress.problems import Malformed, Unavailable, UnknownOption
from documents.errors import FileTooLarge, MalformedRequest, UnsupportedMedia
from documents.media import sniff

HEAD = 2048  # bytes that the magic is looked for in
FORM_BYTES = 1 << 20  # of an upload that are not its files: part headers and fields
MAX_FILES = 100


@dataclass(frozen=True, slots=True)
class Upload:
    """One file of a form, of a kind that is read here."""

    name: str
    media_type: str
    size: int
    content: BinaryIO


class Door:
    """Lets a bounded number of uploads in at once; one that is too large is refused before it is all read."""

    def __init__(self, *, max_bytes: int, max_uploads: int) -> None:
        self._max_bytes = max_bytes
        self._places = asyncio.Semaphore(max_uploads)

    @contextlib.asynccontextmanager
    async def form(self, request: Request, *, files: tuple[str, ...], fields: tuple[str, ...]) -> AsyncIterator[Form]:
        """The form of a request; its files are gone when the block is left.

        Raises:
            Malformed: not a multipart form, or none of `files` is in it.
            FileTooLarge: more bytes than allowed.
            UnknownOption: a field that is not in `fields`.
            Unavailable: as many uploads as allowed are being read.
        """
        if self._places.locked():
            raise Unavailable("as many uploads as allowed are being read")
        async with self._places:
            data = await self._parsed(request)
            try:
                yield _checked(data, files, fields)
            finally:
                await data.close()

    async def _parsed(self, request: Request) -> FormData:
        if not request.headers.get("content-type", "").startswith("multipart/form-data"):
            raise Malformed("send the file as multipart/form-data, in the field `file`")
        declared = request.headers.get("content-length", "0")
        if declared.isdigit() and int(declared) > self._max_bytes + FORM_BYTES:
            raise self._too_large()
        try:
            parser = MultiPartParser(request.headers, self._counted(request), max_files=MAX_FILES)
            return await parser.parse()
        except (MultiPartException, KeyError) as error:
            raise Malformed(f"not a readable form: {error}") from None

    async def _counted(self, request: Request) -> AsyncGenerator[bytes, None]:
        arrived = 0
        async for chunk in request.stream():
            arrived += len(chunk)
            if arrived > self._max_bytes + FORM_BYTES:
                raise self._too_large()
            yield chunk

    def _too_large(self) -> FileTooLarge:
        return FileTooLarge(f"an upload may have {self._max_bytes} bytes at most")


@dataclass(frozen=True, slots=True)
class Form:
    """The files and fields of an upload."""

    uploads: tuple[Upload, ...]
    fields: dict[str, str]


def _checked(data: FormData, files: tuple[str, ...], fields: tuple[str, ...]) -> Form:
    uploads: list[Upload] = []
    values: dict[str, str] = {}
    for name, value in data.multi_items():
        if isinstance(value, UploadFile):
            if name not in files:
                raise UnknownOption(f"unknown file field {name!r}; known: {', '.join(files)}")
            uploads.append(_sniffed(value))
        elif name in fields:
            values[name] = value
        else:
            raise UnknownOption(f"unknown field {name!r}; known: {', '.join((*files, *fields))}")
    if not uploads:
        raise Malformed(f"no file in the form; send it in the field `{files[0]}`")
    return Form(tuple(uploads), values)


def _sniffed(file: UploadFile) -> Upload:
    content = cast("SpooledTemporaryFile[bytes]", file.file)
    head = content.read(HEAD)
    content.seek(0)
    if not head:
        raise MalformedRequest(f"{file.filename or 'the file'} is empty")
    media_type = sniff(head)
    if media_type is None:
        raise UnsupportedMedia(f"{file.filename or 'the file'} is none of PDF, PNG, JPEG, TIFF, WebP by its content")
    return Upload(file.filename or "document", media_type, file.size or 0, cast("BinaryIO", content))
