"""`deployments.library_internals.http_protocol`: uvicorn with our protocol and unfinished requests."""

from __future__ import annotations

import asyncio

import pytest
import uvicorn
from starlette.responses import PlainTextResponse

from deployments.library_internals import http_protocol
from deployments.library_internals.http_protocol import BoundedHttpProtocol

WHOLE = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n"


@pytest.mark.parametrize("begin", [b"", b"GET / HTTP/1.1\r\nhost: x\r\nx-half: ", WHOLE + b"GET / HT"])
def test_a_head_that_is_never_finished_closes_its_connection(begin: bytes, monkeypatch) -> None:
    """Guards against thousands of connections with half a request each, which uvicorn keeps for ever."""
    monkeypatch.setattr(http_protocol, "HEAD_S", 0.05)
    assert asyncio.run(sent(begin)).count(b"200 OK") == begin.count(WHOLE)


def test_a_call_may_take_longer_than_its_head(monkeypatch) -> None:
    """Guards against a limit on heads that ends answers."""
    monkeypatch.setattr(http_protocol, "HEAD_S", 0.05)
    assert b"200 OK" in asyncio.run(sent(WHOLE.replace(b"GET", b"PUT"), end=b"slow"))


def test_a_body_that_goes_on_after_its_answer_is_dropped_for_a_while_then_closed(monkeypatch) -> None:
    """Guards against an answer that the client never sees, and a client that sends for ever."""
    monkeypatch.setattr(http_protocol, "BODY_PIECE_TIMEOUT_S", 0.05)
    begun = b"GET / HTTP/1.1\r\nhost: x\r\ncontent-length: 100000\r\n\r\n" + b"x" * 1000
    assert asyncio.run(sent(begun)).count(b"200 OK") == 1


def test_a_large_body_is_taken_in_after_its_answer(monkeypatch) -> None:
    """Guards against a connection that is reset while a refused client still sends: it would not see why."""
    monkeypatch.setattr(http_protocol, "BODY_PIECE_TIMEOUT_S", 5.0)
    whole = b"GET / HTTP/1.1\r\nhost: x\r\ncontent-length: 30000000\r\n\r\n" + b"x" * 30_000_000
    assert asyncio.run(sent(whole + WHOLE, times=2)).count(b"200 OK") == 2


def test_a_body_that_never_ends_after_its_answer_is_closed_in_time(monkeypatch) -> None:
    """Guards against a refused client that keeps its connection by sending a little now and then."""
    monkeypatch.setattr(http_protocol, "BODY_PIECE_TIMEOUT_S", 5.0)
    monkeypatch.setattr(http_protocol, "MAX_REST_S", 0.05)
    begun = b"GET / HTTP/1.1\r\nhost: x\r\ncontent-length: 100000\r\n\r\n" + b"x" * 1000
    assert asyncio.run(sent(begun)).count(b"200 OK") == 1


async def sent(begin: bytes, end: bytes | None = None, times: int | None = None) -> bytes:
    """What comes back until the connection is closed, or until `end`, or so many answers."""

    async def app(scope, receive, send) -> None:
        if scope["method"] == "PUT":
            await asyncio.sleep(4 * http_protocol.HEAD_S)  # what is tested is that this is not cut short
        await PlainTextResponse("slow" if scope["method"] == "PUT" else "quick")(scope, receive, send)

    config = uvicorn.Config(app, port=0, http=BoundedHttpProtocol, lifespan="off", log_config=None)
    server = uvicorn.Server(config)
    config.load()
    loop = asyncio.get_running_loop()
    listener = await loop.create_server(
        lambda: BoundedHttpProtocol(config=config, server_state=server.server_state, app_state={}), "127.0.0.1", 0
    )
    port = listener.sockets[0].getsockname()[1]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(begin)
    try:
        async with asyncio.timeout(10):
            if times is not None:
                return b"".join([await reader.readuntil(b"quick") for _ in range(times)])
            return await (reader.read() if end is None else reader.readuntil(end))
    finally:
        writer.close()
        listener.close()
