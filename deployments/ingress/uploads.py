"""Reads uploads, as multipart forms or as a whole body: limits size and number of files, refuses unknown kinds."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import BinaryIO, cast

from fastapi import Request
from pydantic import BaseModel
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException
from starlette.requests import ClientDisconnect

from deployments.ingress.errors import Malformed, UnknownOption
from deployments.ingress.form_options import Options, options_of
from deployments.ingress.middleware.authorization import caller_of
from deployments.ingress.middleware.body_limits import MAX_DIGITS, declares_small_body
from deployments.ingress.operations.services import Services
from deployments.ingress.operations.submission import Upload, sniffed
from deployments.library_internals.form_parser import FormFileTooLarge, FormParser
from documents.errors import FileTooLarge, Refusal
from documents.media_types import PAGE_TYPES, SUPPORTED_TYPES

MAX_FIELDS = 100  # maximum per form, besides its files
MAX_FIELD_BYTES = 1 << 16
MAX_FORM_OVERHEAD_BYTES = 1 << 20  # an upload without its files: part headers and fields
MAX_FILES = 20  # maximum per form


def max_form_bytes(max_file_bytes: int) -> int:
    """Of a form with as many files as one may have."""
    return MAX_FILES * max_file_bytes + MAX_FORM_OVERHEAD_BYTES


def body_slot(services: Services, request: Request) -> contextlib.AbstractAsyncContextManager[None]:
    """For the time in which a JSON body with files is in memory, read or decoded; a small one needs none. Raises Busy
    where as many as allowed were in memory for as long as a call waits.
    """
    if declares_small_body(request):
        return contextlib.nullcontext()
    return services.body_slots.slot(caller_of(request).name)


@dataclass(frozen=True, slots=True)
class Form:
    """The files and fields of an upload; of a field that is repeated `fields` has the last, `repeated` all."""

    uploads: tuple[Upload, ...]
    fields: dict[str, str]
    repeated: dict[str, list[str]]

    def options(self, model: type[Options], *, refusal: type[Refusal] = UnknownOption) -> Options:
        """Its fields as `model`; see `form_options.options_of`."""
        return options_of(model, self.fields, refusal=refusal)


@contextlib.asynccontextmanager
async def read_form(
    services: Services,
    request: Request,
    *,
    files: tuple[str, ...],
    fields: type[BaseModel] | None,
    max_files: int = MAX_FILES,
    needs_file: bool = True,
    allowed: frozenset[str] = PAGE_TYPES,
) -> AsyncIterator[Form]:
    """The form of a request, its files of the `allowed` media types; they are gone when the block is left.

    Raises:
        Malformed: not a multipart form, none of `files` in it (if it `needs_file`), or more of them than `max_files`.
        FileTooLarge: a file of more bytes than allowed.
        UnknownOption: a field that `fields` does not have; None: any field is taken.
        Busy: as many uploads as allowed were being read for as long as a call waits.
        Stalled, BodyTooLarge: as `body_limits.BoundedBody`.
    """
    async with services.upload_slots.slot(caller_of(request).name):
        data = await _parsed(services, request, max_files)
        try:
            form = await asyncio.to_thread(_checked, data, files, fields, max_files, allowed)
            if needs_file and not form.uploads:
                raise Malformed(f"no file in the form; send it in the field `{files[0]}`")
            yield form
        finally:
            await data.close()


@contextlib.asynccontextmanager
async def read_file(
    services: Services, request: Request, name: str, allowed: frozenset[str] = SUPPORTED_TYPES
) -> AsyncIterator[Upload]:
    """The body of a request as a file that is called so, of an `allowed` media type; gone when the block is left.

    Raises:
        EmptyFile, UnsupportedMedia: as `sniffed`.
        Malformed: the client went away before its end.
        Busy: as many uploads as allowed were being read for as long as a call waits.
        Stalled, BodyTooLarge: as `body_limits.BoundedBody`.
    """
    async with services.upload_slots.slot(caller_of(request).name):
        file = services.blobs.incoming()
        try:
            async for piece in request.stream():
                await asyncio.to_thread(file.write, piece)
            await asyncio.to_thread(file.seek, 0)
            yield await asyncio.to_thread(sniffed, name, cast("BinaryIO", file), allowed)
        except ClientDisconnect:
            raise Malformed("the upload was interrupted") from None
        finally:
            await asyncio.shield(asyncio.to_thread(file.close))


async def _parsed(services: Services, request: Request, max_files: int) -> FormData:
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        raise Malformed("send the file as multipart/form-data, in the field `file`")
    declared = request.headers.get("content-length", "0")
    max_bytes = services.max_file_bytes
    too_large = FileTooLarge(f"the file exceeds the limit of {max_bytes} bytes")
    if declared.isdecimal() and (
        len(declared) > MAX_DIGITS or int(declared) > max_files * max_bytes + MAX_FORM_OVERHEAD_BYTES
    ):
        raise too_large
    parser = FormParser(
        request.headers,
        request.stream(),
        open_file=lambda: cast("BinaryIO", services.blobs.incoming()),
        max_file_bytes=max_bytes,
        max_files=max_files + 1,  # so that our own limit reports one file too many
        max_fields=MAX_FIELDS,
        max_field_bytes=MAX_FIELD_BYTES,
    )
    try:
        return await parser.parse()
    except FormFileTooLarge:
        raise too_large from None
    except (MultiPartException, KeyError) as error:
        raise Malformed(f"not a readable form: {error}") from None
    except ClientDisconnect:
        raise Malformed("the upload was interrupted") from None


def _checked(
    data: FormData, files: tuple[str, ...], fields: type[BaseModel] | None, max_files: int, allowed: frozenset[str]
) -> Form:
    uploads: list[Upload] = []
    values: dict[str, list[str]] = {}
    for name, value in data.multi_items():
        if isinstance(value, UploadFile):
            if name not in files:
                raise UnknownOption(f"unknown file field {name!r}; known: {', '.join(files)}")
            uploads.append(sniffed(value.filename or "", value.file, allowed))
        elif fields is None or name in fields.model_fields:
            values.setdefault(name, []).append(value)
        else:
            raise UnknownOption(f"unknown field {name!r}; known: {', '.join((*files, *fields.model_fields))}")
    if len(uploads) > max_files:
        raise Malformed(f"this call takes {max_files} file at a time")
    return Form(tuple(uploads), {name: all_of_it[-1] for name, all_of_it in values.items()}, values)
