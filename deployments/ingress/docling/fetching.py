"""Fetching of documents that callers name by address: only from places that the settings allow, each looked up once.

A name is resolved once for each step of the way, all its addresses are judged, and the connection goes to one of those:
a name that answers otherwise the next time changes nothing. No proxy, no cookie, no netrc of this machine is used.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
from collections.abc import AsyncIterator, Mapping
from http import HTTPStatus
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, cast
from urllib.parse import unquote

import httpx

from configs.settings import SourceSettings
from deployments.ingress.docling.public import Address, is_public
from deployments.ingress.refusals import Problem
from documents.errors import FileTooLarge

CONNECT_S = 10.0
MAX_ADDRESSES = 4  # of one name that are tried
IN_MEMORY = 1 << 20
PIECE = 1 << 16
NEVER_SENT = frozenset(
    {"host", "connection", "content-length", "transfer-encoding", "accept-encoding", "te", "upgrade"}
)


class SourceRefused(Problem):
    """An address that must not be fetched, or fetching at all where the settings do not allow it."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "source_refused"


class SourceUnavailable(Problem):
    """An address that does not answer with a document."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "source_unavailable"
    retryable = True


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
        raise SourceRefused("fetching from addresses is off; send the file itself, or set sources.http")
    with cast("BinaryIO", SpooledTemporaryFile(max_size=IN_MEMORY)) as file:  # it is closed by `with`
        try:
            async with asyncio.timeout(settings.timeout_s):
                name = await _into(file, url, headers, settings, max_bytes)
        except TimeoutError:
            raise SourceUnavailable(f"no document from the address within {settings.timeout_s:g} s") from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            raise SourceUnavailable(f"nothing could be fetched from the address: {type(error).__name__}") from None
        await asyncio.to_thread(file.seek, 0)
        yield name, file


async def _into(file: BinaryIO, url: str, headers: Mapping[str, str], settings: SourceSettings, max_bytes: int) -> str:
    """Follow the address to its end and write what it answers; the last address names the document."""
    here = _web(url)
    sent = {name: value for name, value in headers.items() if name.lower() not in NEVER_SENT}
    async with httpx.AsyncClient(trust_env=False, follow_redirects=False, timeout=settings.timeout_s) as client:
        for _ in range(settings.max_redirects + 1):
            async with _answer(client, here, sent, settings) as answer:
                if answer.is_success:
                    await _copied(answer, file, max_bytes)
                    return unquote(here.path.rsplit("/", 1)[-1]) or "document"
                if not answer.has_redirect_location:
                    raise SourceUnavailable(f"the address answers {answer.status_code}")
                there = _web(str(here.join(answer.headers["location"])))
            if _origin(there) != _origin(here):  # what the caller sends is for the one that it named
                sent = {}
            here = there
    raise SourceUnavailable(f"the address leads on more than {settings.max_redirects} times")


def _web(url: str) -> httpx.URL:
    try:
        parsed = httpx.URL(url)
    except (httpx.InvalidURL, ValueError):
        raise SourceRefused("not an address of the web") from None
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise SourceRefused("only http and https addresses are fetched")
    if parsed.userinfo:
        raise SourceRefused("an address with a name and password in it is not fetched; send a header")
    return parsed


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


@contextlib.asynccontextmanager
async def _answer(
    client: httpx.AsyncClient, url: httpx.URL, headers: Mapping[str, str], settings: SourceSettings
) -> AsyncIterator[httpx.Response]:
    """The answer of the first of the host's addresses that takes a connection; the host keeps its name in it."""
    host = url.raw_host.decode("ascii")
    named = url.netloc.decode("ascii")
    told = {**headers, "host": named, "accept-encoding": "identity", "user-agent": "pagemill"}
    addresses = await resolved(host, url.port or (443 if url.scheme == "https" else 80), settings.allow)
    last: Exception = SourceUnavailable("the address has no host")
    for address in addresses[:MAX_ADDRESSES]:
        pinned = url.copy_with(host=str(address))
        request = client.build_request("GET", pinned, headers=told, extensions={"sni_hostname": host})
        request.extensions["timeout"] |= {"connect": CONNECT_S}
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


async def resolved(host: str, port: int, allowed: tuple[str, ...]) -> list[Address]:
    """The addresses of a host. Raises SourceRefused if a single one of them may not be fetched from."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise SourceUnavailable("the host of the address is not known") from None
    addresses = [ipaddress.ip_address(str(entry[4][0])) for entry in found]
    if not addresses or not all(may_be_fetched(host, address, allowed) for address in addresses):
        raise SourceRefused("the address is not a public one; sources.allow can allow it")
    return list(dict.fromkeys(addresses))


def may_be_fetched(host: str, address: Address, allowed: tuple[str, ...]) -> bool:
    """Whether an address is a public one, or it or its host is among those that the settings allow."""
    for each in allowed:
        if each.lower() == host.lower().rstrip("."):
            return True
        with contextlib.suppress(ValueError):
            if address in ipaddress.ip_network(each, strict=False):
                return True
    return is_public(address)


async def _copied(answer: httpx.Response, file: BinaryIO, max_bytes: int) -> None:
    left = max_bytes
    async for piece in answer.aiter_raw(PIECE):
        left -= len(piece)
        if left < 0:
            raise FileTooLarge(f"a file may have {max_bytes} bytes at most")
        await asyncio.to_thread(file.write, piece)
