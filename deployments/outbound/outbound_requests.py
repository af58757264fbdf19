"""Guards requests to URLs that callers name (webhooks, sources) against SSRF: private addresses are refused.

A name is looked up once for each call, all its addresses are judged, and the connection goes to one of those:
a name that answers otherwise the next time changes nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import ipaddress
import socket
import ssl
from collections.abc import AsyncIterator, Mapping

import httpx

from deployments.outbound.public_addresses import Address, is_public

CONNECT_TIMEOUT_S = 10.0
MAX_ADDRESSES = 4  # maximum addresses that are tried per host name
HTTPS_PORT, HTTP_PORT = 443, 80
MAX_PORT = 65535
FORBIDDEN_HEADERS = frozenset(
    {"host", "connection", "content-length", "transfer-encoding", "accept-encoding", "te", "upgrade"}
)


class AddressRefused(Exception):
    """An address that must not be contacted."""


class AddressUnknown(Exception):
    """A host that has no address."""


def web_address(url: str) -> httpx.URL:
    """An http or https address without a password in it. Raises AddressRefused."""
    try:
        parsed = httpx.URL(url)
        host = parsed.host  # decodes an international name
    except (httpx.InvalidURL, ValueError):
        raise AddressRefused("not a web address") from None
    if parsed.scheme not in ("http", "https") or not host:
        raise AddressRefused("only http and https addresses are contacted")
    if parsed.userinfo:
        raise AddressRefused("addresses with a user name and password are not contacted; send a header instead")
    if parsed.port is not None and not 0 < parsed.port <= MAX_PORT:
        raise AddressRefused(f"a port is a number from 1 to {MAX_PORT}")
    return parsed


def are_sendable(headers: Mapping[str, str]) -> bool:
    """Whether a request can have such headers: printable ASCII."""
    return all((text := f"{name}{value}").isascii() and text.isprintable() for name, value in headers.items())


async def addresses_of(url: httpx.URL, allowed: tuple[str, ...]) -> list[Address]:
    """The addresses of a URL's host. Raises AddressRefused if a single one of them may not be contacted."""
    host = url.raw_host.decode("ascii")
    port = url.port or (HTTPS_PORT if url.scheme == "https" else HTTP_PORT)
    try:
        entries = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise AddressUnknown("the host name cannot be resolved") from None
    addresses = [ipaddress.ip_address(str(entry[4][0])) for entry in entries]
    if not addresses or not all(may_be_contacted(host, address, allowed) for address in addresses):
        raise AddressRefused("the address is not public")
    return list(dict.fromkeys(addresses))[:MAX_ADDRESSES]


def may_be_contacted(host: str, address: Address, allowed: tuple[str, ...]) -> bool:
    """Whether an address is a public one, or it or its host is among those that a setting allows."""
    for name in allowed:
        if name.lower() == host.lower().rstrip("."):
            return True
        with contextlib.suppress(ValueError):
            if address in ipaddress.ip_network(name, strict=False):
                return True
    return is_public(address)


@contextlib.asynccontextmanager
async def outbound_client(timeout_s: float) -> AsyncIterator[httpx.AsyncClient]:
    """A client for one call, which follows no redirect.

    One for all calls would send a host's cookies with another caller's request, and, as hosts are contacted by their
    addresses, a connection whose certificate names one host would serve another host of the same address. Only the
    certificates are shared; they are read once, in a thread.
    """
    certificates = await asyncio.to_thread(_certificates)
    async with httpx.AsyncClient(
        verify=certificates, trust_env=False, follow_redirects=False, timeout=timeout_s
    ) as client:
        yield client


@functools.cache
def _certificates() -> ssl.SSLContext:
    return httpx.create_ssl_context(trust_env=False)


def pinned_request(
    client: httpx.AsyncClient,
    method: str,
    url: httpx.URL,
    address: Address,
    headers: Mapping[str, str],
    content: bytes | None = None,
) -> httpx.Request:
    """A request to one of the host's addresses; the host keeps its name in header and certificate."""
    sent_headers = {
        **headers,
        "host": url.netloc.decode("ascii"),
        "accept-encoding": "identity",
        "user-agent": "pagemill",
    }
    host = url.raw_host.decode("ascii")
    pinned = url.copy_with(host=str(address))
    request = client.build_request(
        method, pinned, headers=sent_headers, content=content, extensions={"sni_hostname": host}
    )
    request.extensions["timeout"] |= {"connect": CONNECT_TIMEOUT_S}
    return request
