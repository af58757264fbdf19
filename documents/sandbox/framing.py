"""The message format between parent and child: lengths, a JSON header, raw bytes; never pickle.

The bytes are pixels, or a page as JSON, which goes from child to child unread.

The document's file goes along with each request to read of it, open, over a socket of its own: the child needs no right
to open it.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import struct
from typing import Any, BinaryIO

Header = dict[str, Any]

_LENGTHS = struct.Struct(">II")
MIN_THREAD_BYTES = 1 << 18  # minimum length of a header that is parsed beside the event loop
MAX_HEADER_BYTES = 64 << 20
MAX_PAGE_BYTES = 256 << 20  # maximum length of a page as JSON
MAX_FINISHED_PAGE_BYTES = 32 << 20  # maximum length of a page that is parsed, stored and delivered
MAX_ATTACHMENT_BYTES = 256 << 20


def packed(header: Header, payload: bytes | memoryview = b"") -> list[bytes | memoryview]:
    """The pieces to write, in order."""
    body = json.dumps(header, ensure_ascii=True).encode("ascii")
    return [_LENGTHS.pack(len(body), len(payload)), body, payload]


def read_message(stream: BinaryIO) -> tuple[Header, bytes] | None:
    """The next header and payload, or None at the end of the stream."""
    start = stream.read(_LENGTHS.size)
    if len(start) < _LENGTHS.size:
        return None
    length, size = _LENGTHS.unpack(start)
    body, payload = stream.read(length), stream.read(size)
    return (json.loads(body), payload) if len(payload) == size else None


async def receive(stream: asyncio.StreamReader, max_payload: int) -> tuple[Header, bytes]:
    """The next header and payload; raises ValueError if the other side breaks the form, EOFError if it is gone."""
    length, size = _LENGTHS.unpack(await stream.readexactly(_LENGTHS.size))
    if length > MAX_HEADER_BYTES or size > max_payload:
        raise ValueError(f"a message of {length} + {size} bytes is longer than allowed")
    body = await stream.readexactly(length)
    header = json.loads(body) if length < MIN_THREAD_BYTES else await asyncio.to_thread(json.loads, body)
    if not isinstance(header, dict):
        raise ValueError("a header must be an object")
    return header, await stream.readexactly(size)


def send_file(files: socket.socket, handle: int) -> None:
    """Hand an open file to the other side, before the request that is about it. Raises OSError if it is not taken."""
    socket.send_fds(files, [b"f"], [handle])


def receive_file(files: socket.socket) -> BinaryIO:
    """The file of the request that was just read; raises OSError if none came along."""
    _, handles, _, _ = socket.recv_fds(files, 1, 1)
    if not handles:
        raise OSError("no file came with the request")
    return os.fdopen(handles[0], "rb")
