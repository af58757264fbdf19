"""A receiver of webhooks: a real server on loopback."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Receiver:
    """Answers each POST with the next of `statuses`, then with 200."""

    statuses: list[int] = field(default_factory=list)
    requests: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    location: str = ""
    url: str = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            lines = [line.partition(": ") for line in head.split("\r\n")[1:] if line]
            headers = {name.lower(): value for name, _, value in lines}
            body = await reader.readexactly(int(headers["content-length"]))
            self.requests.append((headers, body))
            status = self.statuses.pop(0) if self.statuses else 200
            location = f"Location: {self.location}\r\n" if self.location else ""
            writer.write(f"HTTP/1.1 {status} x\r\n{location}Content-Length: 0\r\nConnection: close\r\n\r\n".encode())
            await writer.drain()
            self.news.set()
        writer.close()

    async def count(self, number: int) -> list[dict[str, Any]]:
        """The bodies, once there are so many."""
        async with asyncio.timeout(20):
            while len(self.requests) < number:
                await self.news.wait()
                self.news.clear()
        return [json.loads(body) for _, body in self.requests]


@contextlib.asynccontextmanager
async def receiving(*statuses: int) -> AsyncIterator[Receiver]:
    receiver = Receiver(list(statuses))
    server = await asyncio.start_server(receiver.serve, "127.0.0.1", 0)
    receiver.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook"
    async with server:
        yield receiver


@contextlib.asynccontextmanager
async def hanging() -> AsyncIterator[tuple[str, Callable[[int], Awaitable[None]]]]:
    """An address that takes connections and never responds; a call that returns once there were so many."""
    num_connections, changed = 0, asyncio.Condition()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal num_connections
        async with changed:
            num_connections += 1
            changed.notify_all()
        await reader.read()  # until the other side has left
        writer.close()

    async def reached(number: int) -> None:
        async with changed:
            await changed.wait_for(lambda: num_connections >= number)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook", reached
