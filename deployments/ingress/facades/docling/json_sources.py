"""Reads docling-serve's JSON sources: base64 files and URLs as uploads, callbacks and target."""

from __future__ import annotations

import asyncio
import contextlib
import io
from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

from fastapi import Request
from pydantic import Base64Bytes, BaseModel, ConfigDict, Field, ValidationError, model_validator
from starlette.requests import ClientDisconnect

from deployments.ingress.errors import Malformed, UnknownOption
from deployments.ingress.operations.services import Services
from deployments.ingress.operations.stored_files import bucket_object
from deployments.ingress.operations.submission import SubmittedFile, sniffed
from deployments.ingress.operations.url_fetching import fetched
from deployments.ingress.uploads import MAX_FILES
from deployments.storage.bucket_objects import is_object_address

MAX_CALLBACKS = 5  # maximum per task


class FileSource(BaseModel):
    """A file inside of the request."""

    kind: Literal["file"] = "file"
    base64_string: Base64Bytes
    filename: str = Field("document", max_length=1000)


class HttpSource(BaseModel):
    """A file that lies at an address (http, https, s3), and the headers that are sent there."""

    kind: Literal["http"]
    url: str = Field(max_length=8000)
    headers: dict[str, str] = Field({}, max_length=50)


class CallbackSpec(BaseModel):
    """An address that receives the progress of a task, and the headers that go there."""

    url: str = Field(max_length=2000)
    headers: dict[str, str] = Field({}, max_length=50)
    ca_cert: str = ""


class Target(BaseModel):
    """Where the answer goes: into the body, alone or as a zip."""

    model_config = ConfigDict(extra="allow")

    kind: str = "inbody"


class SourcesBody(BaseModel):
    """What a request for conversion or chunking says; `options` is called `convert_options` for chunking."""

    model_config = ConfigDict(extra="allow")

    @model_validator(mode="before")
    @classmethod
    def _in_the_first_form(cls, body: Any) -> Any:
        """docling-serve's first version parted `http_sources` from `file_sources`."""
        if not isinstance(body, dict) or "sources" in body or not {"http_sources", "file_sources"} & body.keys():
            return body
        early: dict[str, Any] = {**body}
        sources: list[Any] = []
        for kind in ("http", "file"):
            for source in early.pop(f"{kind}_sources", None) or ():
                sources.append({**source, "kind": kind} if isinstance(source, dict) else source)  # noqa: PERF401
        return {**early, "sources": sources}

    sources: list[Annotated[FileSource | HttpSource, Field(discriminator="kind")]] = Field(
        min_length=1, max_length=MAX_FILES
    )
    options: dict[str, Any] = {}
    convert_options: dict[str, Any] = {}
    chunking_options: dict[str, Any] = {}
    include_converted_doc: bool = False
    target: Target = Target()
    callbacks: list[CallbackSpec] = Field([], max_length=MAX_CALLBACKS)


async def sources_body(request: Request) -> SourcesBody:
    """What the request says, its files decoded; whoever has it holds a `body_slot`.

    Raises:
        Malformed: not JSON.
        UnknownOption: JSON of another form.
        Stalled, BodyTooLarge: as `body_limits.BoundedBody`.
    """
    content = bytearray()  # one large block, which the system gets back; `request.body()` holds it twice
    try:
        async for piece in request.stream():
            content += piece
    except ClientDisconnect:
        raise Malformed("the upload was interrupted") from None
    return await asyncio.to_thread(_parsed, content)


@contextlib.asynccontextmanager
async def source_uploads(services: Services, body: SourcesBody, caller: str) -> AsyncIterator[list[SubmittedFile]]:
    """All sources as files, one after the other; errors as `url_fetching.fetched` and `bucket_object`."""
    async with contextlib.AsyncExitStack() as stack:
        if any(isinstance(source, HttpSource) and not is_object_address(source.url) for source in body.sources):
            await stack.enter_async_context(services.fetch_slots.slot(caller))
        uploads: list[SubmittedFile] = []
        for source in body.sources:
            if isinstance(source, FileSource):
                uploads.append(sniffed(source.filename, io.BytesIO(source.base64_string)))
            elif is_object_address(source.url):
                uploads.append(bucket_object(services, source.url))
            else:
                fetching = fetched(source.url, source.headers, services.settings.sources, services.max_file_bytes)
                name, file = await stack.enter_async_context(fetching)
                uploads.append(await asyncio.to_thread(sniffed, name, file))
        yield uploads


def _parsed(content: bytearray) -> SourcesBody:
    try:
        return SourcesBody.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        if first["type"] == "json_invalid":
            raise Malformed("the body is not JSON") from None
        where = ".".join(str(part) for part in first["loc"])
        raise UnknownOption(f"{where}: {first['msg']}") from None
