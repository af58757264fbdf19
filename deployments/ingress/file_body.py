"""Answers with a file that was written for the answer: whoever downloads slowly holds disk, and not memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, cast

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from deployments.storage.disk import disk_errors

MAX_MEMORY_BYTES = 1 << 20  # a smaller file stays in memory
BYTES_SENT_AT_ONCE = 1 << 18


async def written_file(
    run: Callable[[Callable[[], BinaryIO]], Awaitable[BinaryIO]], write: Callable[[BinaryIO], None], folder: Path
) -> BinaryIO:
    """A file without a name in the folder, written by `write` where `run` calls it. Raises DiskFull."""

    def written() -> BinaryIO:
        file = cast("BinaryIO", SpooledTemporaryFile(MAX_MEMORY_BYTES, dir=str(folder)))  # noqa: SIM115  FileBody closes it
        try:
            with disk_errors():
                write(file)
        except BaseException:
            file.close()
            raise
        return file

    return await run(written)


class FileBody(StreamingResponse):
    """The whole of a file, which is closed when it is sent or its client has gone."""

    def __init__(self, file: BinaryIO, *, media_type: str, headers: Mapping[str, str]) -> None:
        self._file = file
        size = {"content-length": str(file.tell())}
        super().__init__(_pieces(file), media_type=media_type, headers={**headers, **size})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            await asyncio.to_thread(self._file.close)


async def _pieces(file: BinaryIO) -> AsyncIterator[bytes]:
    file.seek(0)
    while piece := await asyncio.to_thread(file.read, BYTES_SENT_AT_ONCE):
        yield piece
