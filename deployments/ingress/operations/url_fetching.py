"""Downloads documents that callers name by URL, only from hosts that `sources.allow` permits, within limits of size
and time.

Each redirect is judged as `deployments.outbound.outbound_requests` says.
No proxy, no cookie, no netrc of this machine is used.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, cast
from urllib.parse import unquote

import httpx

from configs.outbound_settings import SourceSettings
from deployments.errors import SourceRefused, SourceUnavailable
from deployments.outbound.outbound_requests import (
    FORBIDDEN_HEADERS,
    AddressRefused,
    AddressUnknown,
    addresses_of,
    are_sendable,
    outbound_client,
    pinned_request,
    web_address,
)
from deployments.outbound.public_addresses import Address
from documents.errors import FileTooLarge

MAX_MEMORY_BYTES = 1 << 20
PIECE_BYTES = 1 << 16


@contextlib.asynccontextmanager
async def fetched(
    url: str, headers: Mapping[str, str], settings: SourceSettings, max_bytes: int
) -> AsyncIterator[tuple[str, BinaryIO]]:
    """The name and the bytes of what lies at `url`; they are gone when the block is left.

    Raises:
        SourceRefused: fetching is off, or the address or one that it leads to is not allowed.
        SourceUnavailable: no answer in time, or none that is a document.
        FileTooLarge: more bytes than `max_bytes`.
    """
    if not settings.http:
        raise SourceRefused("fetching from addresses is disabled; send the file itself, or set sources.http")
    with cast("BinaryIO", SpooledTemporaryFile(max_size=MAX_MEMORY_BYTES)) as file:  # it is closed by `with`
        try:
            async with asyncio.timeout(settings.timeout_s):
                name = await _into(file, url, headers, settings, max_bytes)
        except TimeoutError:
            raise SourceUnavailable(f"the address sent no document within {settings.timeout_s:g} s") from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError) as error:  # a redirect to no name, too
            raise SourceUnavailable(f"the address could not be fetched: {type(error).__name__}") from None
        await asyncio.to_thread(file.seek, 0)
        yield name, file


async def _into(file: BinaryIO, url: str, headers: Mapping[str, str], settings: SourceSettings, max_bytes: int) -> str:
    """Follow the address to its end and write what it answers; the last address names the document."""
    here = _web(url)
    sent_headers = {name: value for name, value in headers.items() if name.lower() not in FORBIDDEN_HEADERS}
    if not are_sendable(sent_headers):
        raise SourceRefused("headers: invalid characters")
    async with outbound_client(settings.timeout_s) as client:
        for _ in range(settings.max_redirects + 1):
            async with _answer(client, here, sent_headers, settings) as answer:
                if answer.is_success:
                    await _copied(answer, file, max_bytes)
                    return unquote(here.path.rsplit("/", 1)[-1]) or "document"
                if not answer.has_redirect_location:
                    raise SourceUnavailable(f"the address answered {answer.status_code}")
                there = _web(str(here.join(answer.headers["location"])))
            if _origin(there) != _origin(here):  # what the caller sends is for the one that it named
                sent_headers = {}
            here = there
    raise SourceUnavailable(f"the address redirects more than {settings.max_redirects} times")


def _web(url: str) -> httpx.URL:
    try:
        return web_address(url)
    except AddressRefused as error:
        raise SourceRefused(str(error)) from None


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


@contextlib.asynccontextmanager
async def _answer(
    client: httpx.AsyncClient, url: httpx.URL, headers: Mapping[str, str], settings: SourceSettings
) -> AsyncIterator[httpx.Response]:
    """The answer of the first of the host's addresses that takes a connection; the host keeps its name in it."""
    last: Exception = SourceUnavailable("the address has no host")
    for address in await resolved(url, settings.allow):
        request = pinned_request(client, "GET", url, address, headers)
        try:
            answer = await client.send(request, stream=True)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            last = error
            continue
        try:
            yield answer
        finally:
            await answer.aclose()
        return
    raise last


async def resolved(url: httpx.URL, allowed: tuple[str, ...]) -> list[Address]:
    """The addresses of a host. Raises SourceRefused if a single one of them may not be fetched from."""
    try:
        return await addresses_of(url, allowed)
    except AddressUnknown as error:
        raise SourceUnavailable(str(error)) from None
    except AddressRefused as error:
        raise SourceRefused(f"{error}; sources.allow can allow it") from None


async def _copied(answer: httpx.Response, file: BinaryIO, max_bytes: int) -> None:
    remaining_bytes = max_bytes
    async for piece in answer.aiter_raw(PIECE_BYTES):
        remaining_bytes -= len(piece)
        if remaining_bytes < 0:
            raise FileTooLarge(f"the file exceeds the limit of {max_bytes} bytes")
        await asyncio.to_thread(file.write, piece)
