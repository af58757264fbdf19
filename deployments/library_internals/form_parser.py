"""Parses multipart forms whose files are written, and counted, to where they may stay.

Checked with: starlette 1.10.0
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import BinaryIO

from starlette.datastructures import FormData, Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser


class FormFileTooLarge(MultiPartException):
    """A file of the form outgrew its limit; the parser closes what it has."""


class FormParser(MultiPartParser):
    """Counts the bytes of each file while they arrive, and writes them to a file of `open_file`.

    starlette's own parser spools files in a folder of its choice, without a limit of their size.
    """

    def __init__(
        self,
        headers: Headers,
        stream: AsyncGenerator[bytes, None],
        *,
        open_file: Callable[[], BinaryIO],
        max_file_bytes: int,
        max_files: int,
        max_fields: int,
        max_field_bytes: int,
    ) -> None:
        super().__init__(headers, stream, max_files=max_files, max_fields=max_fields, max_part_size=max_field_bytes)
        self._open_file = open_file
        self._max_file_bytes = max_file_bytes
        self._num_part_bytes = 0
        self._files: list[BinaryIO] = []

    async def parse(self) -> FormData:
        """As the base; but a file whose part never ended, and is in no form, is closed as well.

        Raises:
            FormFileTooLarge: a file of more than `max_file_bytes`.
            MultiPartException, KeyError: not a readable form.
        """
        open_files: list[BinaryIO] = []
        try:
            form = await super().parse()
            open_files += [value.file for _, value in form.multi_items() if isinstance(value, UploadFile)]
            return form
        finally:
            leftover_files = [file for file in self._files if not any(file is open_file for open_file in open_files)]
            if leftover_files:
                await asyncio.shield(asyncio.to_thread(_close, leftover_files))

    def on_part_begin(self) -> None:
        self._num_part_bytes = 0
        super().on_part_begin()

    def on_headers_finished(self) -> None:
        super().on_headers_finished()
        part = self._current_part
        if part.file is not None:  # in the place of the base's spooled file, which is empty yet
            part.file.file.close()
            self._files.append(self._open_file())
            part.file.file = self._files[-1]

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        self._num_part_bytes += end - start
        if self._num_part_bytes > self._max_file_bytes:
            raise FormFileTooLarge("too large")
        super().on_part_data(data, start, end)


def _close(files: Sequence[BinaryIO]) -> None:
    for file in files:
        file.close()
