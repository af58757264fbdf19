"""Fetching: from public places and from those that are allowed, whatever an address resolves or leads to."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from configs.outbound_settings import SourceSettings
from deployments.errors import SourceRefused, SourceUnavailable
from deployments.ingress.operations import url_fetching
from deployments.ingress.operations.url_fetching import fetched, resolved
from documents.errors import FileTooLarge

OPEN = SourceSettings(http=True, allow=("127.0.0.1",), timeout_s=5, max_redirects=2)


@pytest.mark.parametrize(
    ("addresses", "allowed", "refused"),
    [
        (["93.184.215.14"], (), False),
        (["93.184.215.14", "10.0.0.1"], (), True),  # one that is private among public ones
        (["10.1.2.3"], ("10.1.0.0/16",), False),
        (["10.2.2.3"], ("10.1.0.0/16",), True),
        (["10.2.2.3"], ("files.lan",), False),
        (["10.2.2.3"], ("other.lan",), True),
    ],
)
def test_a_name_is_judged_by_all_of_its_addresses(addresses, allowed, refused, monkeypatch):
    """Guards against a name with two addresses, of which only the first is looked at."""

    async def main():
        async def looked_up(host, port, **options):
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

        monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", looked_up)
        return await resolved(httpx.URL("http://files.lan/"), allowed)

    if refused:
        with pytest.raises(SourceRefused):
            asyncio.run(main())
    else:
        assert [str(address) for address in asyncio.run(main())] == addresses


@pytest.mark.parametrize(
    "url",
    [
        *("file:///etc/passwd", "ftp://a.example/x", "gopher://127.0.0.1/", "http://", "//x", "http://u:p@a.example/x"),
        *("http://127.0.0.2/", "http://localhost:1/", "http://[::1]/", "http://2130706434/", "http://0x7f.2/"),
        *("http://169.254.169.254/latest/meta-data/", "http://[::ffff:127.0.0.2]/", "javascript:alert(1)"),
        *("http://xn--a/", "http://93.184.215.14:99999/", "http://93.184.215.14:999999999999999999999/"),
    ],
)
def test_an_address_that_must_not_be_asked_is_not(url):
    """Guards against every way to write the address of this machine."""

    async def main():
        async with fetched(url, {}, SourceSettings(http=True), 1000):
            pass

    with pytest.raises((SourceRefused, SourceUnavailable)) as error:
        asyncio.run(main())
    assert (
        error.type is SourceRefused or "cannot be resolved" in error.value.message
    )  # of a number that no resolver takes for one


def test_nothing_is_fetched_unless_that_is_switched_on():
    async def main():
        async with fetched("http://93.184.215.14/", {}, SourceSettings(), 1000):
            pass

    with pytest.raises(SourceRefused, match=r"sources\.http"):
        asyncio.run(main())


class Site:
    """A server of this machine that answers raw bytes by path, and remembers what it was asked."""

    def __init__(self, answers: dict[str, bytes]) -> None:
        self.answers, self.asked = answers, list[str]()
        self.hang, self.answering = asyncio.Event(), set[asyncio.Task[None]]()
        self.port = 0

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Site]:
        server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        async with server, await asyncio.start_server(self._answer, "127.0.0.2", self.port):
            try:
                yield self
            finally:
                self.hang.set()
                await asyncio.gather(*self.answering, return_exceptions=True)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.answering.add(asyncio.current_task())
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.asked.append(head)
        answer = self.answers.get(head.split()[1])
        if answer is None:
            await self.hang.wait()
        else:
            writer.write(answer.replace(b"PORT", str(self.port).encode()))
            await writer.drain()
        writer.close()
        with contextlib.suppress(OSError):  # its client is gone
            await writer.wait_closed()


def page(body: bytes = b"%PDF-1.4 body") -> bytes:
    return b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + body


def moved(to: str) -> bytes:
    return f"HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()


def asked_of(answers, path="/a", settings=OPEN, max_bytes=1000, headers=None, host="127.0.0.1"):
    async def main():
        async with Site(answers).open() as site:
            url = f"http://{host}:{site.port}{path}"
            async with fetched(url, headers or {}, settings, max_bytes) as (name, file):
                return name, await asyncio.to_thread(file.read), site.asked

    return asyncio.run(main())


def test_a_document_comes_with_the_name_of_its_address():
    name, content, heads = asked_of({"/some/paper%20one.pdf?x=1": page()}, "/some/paper%20one.pdf?x=1")
    assert (name, content) == ("paper one.pdf", b"%PDF-1.4 body")
    assert "accept-encoding: identity" in heads[0].lower(), "what is fetched has the size that it says"


def test_every_step_of_the_way_is_judged():
    """Guards against a public address that leads to a private one."""
    assert asked_of({"/a": moved("/b"), "/b": page()})[1] == b"%PDF-1.4 body"
    for inside in ("http://127.0.0.2:PORT/b", "http://169.254.169.254/", "file:///etc/passwd"):
        with pytest.raises(SourceRefused):
            asked_of({"/a": moved(inside), "/b": page()})
    with pytest.raises(SourceUnavailable, match="redirects more than"):
        asked_of({"/a": moved("/a")})


@pytest.mark.parametrize("address", ["http://xn--a/", "http://127.0.0.1:99999/", "http://127.0.0.1:9999999999999999/"])
def test_an_address_that_is_none_is_refused_on_the_way_too(address: str) -> None:
    """Guards against an internal error that a server of somebody else brings about."""
    with pytest.raises((SourceRefused, SourceUnavailable)):
        asked_of({"/a": moved(address)})


def test_a_header_that_no_request_can_have_is_refused() -> None:
    with pytest.raises(SourceRefused, match="headers"):
        asked_of({"/a": page()}, headers={"x": "\u00e9"})


def test_what_a_caller_sends_along_goes_to_the_one_that_it_named():
    """Guards against tokens that reach another host, and against headers that change what is asked."""
    headers = {"Authorization": "Bearer x", "Host": "evil.example", "X-Own": "1"}
    heads = asked_of({"/a": moved("/b"), "/b": page()}, headers=headers)[2]
    assert all("Authorization: Bearer x" in head and "evil.example" not in head for head in heads)
    settings = SourceSettings(http=True, allow=("127.0.0.0/8",), timeout_s=5)
    heads = asked_of({"/a": moved("http://127.0.0.2:PORT/b"), "/b": page()}, headers=headers, settings=settings)[2]
    assert ["Bearer x" in head for head in heads] == [True, False]


def test_a_connection_goes_to_the_address_that_was_judged(monkeypatch):
    """Guards against a name that answers with another address the second time it is asked."""
    lookups: list[str] = []

    async def once(url, allowed):
        lookups.append(url.host)
        return [ipaddress.ip_address("127.0.0.1")]

    monkeypatch.setattr(url_fetching, "resolved", once)
    _, content, heads = asked_of({"/a": page()}, host="rebound.example")
    assert content == b"%PDF-1.4 body"
    assert lookups == ["rebound.example"]
    assert "\r\nhost: rebound.example:" in heads[0].lower()


@pytest.mark.parametrize(
    ("answers", "error", "settings"),
    [
        ({"/a": page(b"x" * 1001)}, FileTooLarge, OPEN),
        ({"/a": b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"}, SourceUnavailable, OPEN),
        ({"/a": b"nonsense\r\n\r\n"}, SourceUnavailable, OPEN),
        ({}, SourceUnavailable, OPEN.model_copy(update={"timeout_s": 0.2})),  # it never answers
    ],
)
def test_what_is_too_large_or_no_answer_is_told(answers, error, settings):
    """Guards against a source that fills the disk or holds a request for ever."""
    with pytest.raises(error):
        asked_of(answers, settings=settings)
