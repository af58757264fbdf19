"""Images in OpenAI chat messages: decoded in a sandboxed child process, with limits."""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
import io
from collections.abc import AsyncIterator
from typing import BinaryIO

from deployments.ingress.errors import UnknownOption
from deployments.ingress.operations.image_reading import opened_image
from deployments.ingress.operations.services import Services
from deployments.ingress.operations.submission import sniffed
from deployments.ingress.operations.url_fetching import fetched
from documents.media_types import PAGE_TYPES
from documents.values import Source

DATA = "data:"
PDF = "application/pdf"
MAX_PICTURES = 20  # maximum per conversation


async def picture_source(services: Services, url: str, namespace: str, staged: contextlib.AsyncExitStack) -> Source:
    """The picture at `url` as Renderer finds it, until `staged` is closed.

    Raises:
        UnknownOption: no `data:` URL of base64, or no picture in it.
        SourceRefused, SourceUnavailable: as `url_fetching.fetched`.
        IngestError: the picture cannot be decoded.
    """
    async with _content(services, url) as content:
        upload = await asyncio.to_thread(sniffed, "image_url", content, PAGE_TYPES)
        if upload.media_type == PDF:
            raise UnknownOption("image_url: a PDF is not a picture; send it to /v1/documents")
        source, _ = await staged.enter_async_context(opened_image(services, upload, namespace))
    return source


@contextlib.asynccontextmanager
async def _content(services: Services, url: str) -> AsyncIterator[BinaryIO]:
    if not url.startswith(DATA):
        async with fetched(url, {}, services.settings.sources, services.max_file_bytes) as (_, content):
            yield content
        return
    yield io.BytesIO(await asyncio.to_thread(_decoded, url))


def _decoded(url: str) -> bytes:
    head, _, content = url.partition(",")
    if not head.endswith(";base64"):
        raise UnknownOption("image_url: a data: URL is `data:image/png;base64,...`")
    try:
        return base64.b64decode(content, validate=True)
    except binascii.Error:
        raise UnknownOption("image_url: the data: URL is not base64") from None
