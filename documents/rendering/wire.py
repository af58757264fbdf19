"""Every message between pool and child is two lengths, a JSON header and raw bytes; nothing is unpickled."""

from __future__ import annotations

import asyncio
import json
import struct
from typing import Any, BinaryIO

Header = dict[str, Any]

_LENGTHS = struct.Struct(">II")
MAX_HEADER = 64 << 20  # bytes


def packed(header: Header, payload: bytes | memoryview = b"") -> list[bytes | memoryview]:
    """The pieces to write, in order."""
    body = json.dumps(header, ensure_ascii=True).encode("ascii")
    return [_LENGTHS.pack(len(body), len(payload)), body, payload]


def read_message(stream: BinaryIO) -> Header | None:
    """The next header, or None at the end of the stream; requests carry no payload."""
    start = stream.read(_LENGTHS.size)
    if len(start) < _LENGTHS.size:
        return None
    length, _ = _LENGTHS.unpack(start)
    body = stream.read(length)
    return json.loads(body) if len(body) == length else None


async def receive(stream: asyncio.StreamReader, max_payload: int) -> tuple[Header, bytes]:
    """The next header and payload; raises ValueError if the other side breaks the form, EOFError if it is gone."""
    length, size = _LENGTHS.unpack(await stream.readexactly(_LENGTHS.size))
    if length > MAX_HEADER or size > max_payload:
        raise ValueError(f"a message of {length} + {size} bytes is longer than allowed")
    header = json.loads(await stream.readexactly(length))
    if not isinstance(header, dict):
        raise ValueError("a header must be an object")
    return header, await stream.readexactly(size)
