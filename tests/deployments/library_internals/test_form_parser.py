"""`deployments.library_internals.form_parser`: files are written to what `open_file` gives, and are counted."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncGenerator
from typing import BinaryIO

import pytest
from starlette.datastructures import Headers, UploadFile

from deployments.library_internals.form_parser import FormFileTooLarge, FormParser

HEADERS = Headers({"content-type": "multipart/form-data; boundary=cut"})
FIELD = b'--cut\r\ncontent-disposition: form-data; name="kind"\r\n\r\nletter\r\n'
FILE = b'--cut\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
END = b"\r\n--cut--\r\n"


class Opened:
    def __init__(self) -> None:
        self.files: list[io.BytesIO] = []

    def __call__(self) -> BinaryIO:
        self.files.append(io.BytesIO())
        return self.files[-1]


def parser(body: bytes, opened: Opened, *, max_file_bytes: int = 9) -> FormParser:
    async def stream() -> AsyncGenerator[bytes, None]:
        for start in range(0, len(body), 7):
            yield body[start : start + 7]

    return FormParser(
        HEADERS,
        stream(),
        open_file=opened,
        max_file_bytes=max_file_bytes,
        max_files=2,
        max_fields=2,
        max_field_bytes=99,
    )


def test_a_file_of_the_form_is_the_one_that_was_opened_for_it() -> None:
    """Guards against a version of starlette that spools it elsewhere."""

    async def scenario() -> None:
        opened = Opened()
        form = await parser(FIELD + FILE + b"ninebytes" + END, opened).parse()
        upload = form["file"]
        assert isinstance(upload, UploadFile)
        assert upload.file is opened.files[0]
        assert opened.files[0].getvalue() == b"ninebytes"
        assert form["kind"] == "letter"

    asyncio.run(scenario())


def test_a_file_that_is_too_large_is_refused_while_it_arrives_and_closed() -> None:
    async def scenario() -> None:
        opened = Opened()
        with pytest.raises(FormFileTooLarge):
            await parser(FIELD + FILE + b"ten bytes." * 1000 + END, opened).parse()
        assert [file.closed for file in opened.files] == [True]

    asyncio.run(scenario())


def test_the_bytes_of_two_files_are_counted_apart() -> None:
    async def scenario() -> None:
        opened = Opened()
        form = await parser(FILE + b"ninebytes\r\n" + FILE + b"ninebytes" + END, opened).parse()
        assert [file.getvalue() for file in opened.files] == [b"ninebytes"] * 2
        await form.close()

    asyncio.run(scenario())
