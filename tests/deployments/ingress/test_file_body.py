"""`file_body`: an answer that is a file is sent whole, is closed in any case, and is never gathered in memory."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from starlette.requests import ClientDisconnect

from deployments.errors import DiskFull
from deployments.ingress.file_body import MAX_MEMORY_BYTES, FileBody, written_file

PIECE = b"a line of the document\n" * 1000


def write(file: BinaryIO) -> None:
    for _ in range(100):
        file.write(PIECE)


async def made(folder: Path, how: Callable[[BinaryIO], None] = write) -> Any:
    return await written_file(asyncio.to_thread, how, folder)


def sent(folder: Path, send: Callable[[dict[str, Any]], Any]) -> BinaryIO:
    async def scenario() -> BinaryIO:
        file = await made(folder)
        body = FileBody(file, media_type="text/plain", headers={"x-a": "b"})

        async def receive() -> dict[str, Any]:
            await asyncio.Event().wait()
            raise AssertionError

        async def sending(message: Any) -> None:
            send(message)

        scope = {"type": "http", "asgi": {"spec_version": "2.4"}}
        with contextlib.suppress(ClientDisconnect):
            await body(scope, receive, sending)
        return file

    return asyncio.run(scenario())


def leave(message: dict[str, Any]) -> None:
    if message["type"] == "http.response.body":
        raise OSError("the client is gone")


def test_all_of_it_is_sent_with_its_length(tmp_path: Path) -> None:
    messages: list[dict[str, Any]] = []
    file = sent(tmp_path, messages.append)
    assert b"".join(message.get("body", b"") for message in messages) == PIECE * 100
    headers = dict(messages[0]["headers"])
    assert (headers[b"content-length"], headers[b"x-a"]) == (str(100 * len(PIECE)).encode(), b"b")
    assert file.closed


def test_the_file_of_a_client_that_leaves_is_closed(tmp_path: Path) -> None:
    """Guards against disk that stays taken until the server ends."""
    assert sent(tmp_path, leave).closed


def test_a_large_one_lies_on_the_disk_without_a_name(tmp_path: Path) -> None:
    async def scenario() -> None:
        file = await made(tmp_path)
        assert file._rolled
        assert 100 * len(PIECE) > MAX_MEMORY_BYTES
        assert await asyncio.to_thread(lambda: list(tmp_path.iterdir())) == []
        await asyncio.to_thread(file.close)

    asyncio.run(scenario())


def test_a_full_disk_is_named(tmp_path: Path) -> None:
    def full(_: BinaryIO) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(DiskFull):
        asyncio.run(made(tmp_path, full))
