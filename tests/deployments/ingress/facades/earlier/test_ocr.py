"""POST /ocr: the wire form of an earlier server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import numpy as np
import pytest
from fastapi import FastAPI

from configs import Settings
from deployments.ingress.facades.earlier import ocr as earlier_ocr
from deployments.ingress.middleware import error_responses
from deployments.ingress.operations.services import Services
from deployments.storage.folder_blobs import FolderBlobs
from documents.values import Opened, Reading
from tests.deployments.ingress.handles import Handle
from tests.serve.files import pdf, png

PATCHES = {"crop_to_patches": False, "max_patches": 12}  # which its clients do not know


class Reader:
    """Says what it was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    async def picture(self, *_: object, **__: object) -> np.ndarray:
        return np.zeros((10, 10, 3), np.uint8)

    async def open(self, *_: object) -> Opened:
        return Opened(num_pages=1, pixel_size=(10, 10), picture_size=(10, 10))

    async def read(self, _: object, **options: Any) -> tuple[tuple[int, int], Reading]:
        self.asked.append(options)
        return (10, 10), Reading(text="a table\nin two lines")


class Pieces:
    """A streaming handle."""

    def options(self, **_: object) -> Pieces:
        return self

    def __getattr__(self, name: str) -> Any:
        assert name == "stream"
        return SimpleNamespace(remote=lambda *_, **__: self)

    def __aiter__(self) -> AsyncIterator[str]:
        async def words() -> AsyncIterator[str]:
            for word in ("a ", 'tab"le'):
                yield word

        return words()

    def cancel(self) -> None: ...


def sent(folder: Path, reader: Any, content: bytes = png(), **data: Any) -> httpx.Response:
    async def main() -> httpx.Response:
        rooms: dict[str, Any] = dict.fromkeys(("jobs", "pipeline", "layout", "search"))
        rooms |= {"renderer": Handle(Reader()), "ocr": reader}
        blobs = await asyncio.to_thread(FolderBlobs, folder)
        services = Services(
            settings=Settings(),
            blobs=blobs,
            **rooms,
        )
        app = FastAPI()
        app.include_router(earlier_ocr.router(services))
        error_responses.install(app)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here") as client:
            return await client.post("/ocr", files={"image": ("table.png", content, "image/png")}, data=data)

    return asyncio.run(main())


def test_its_client_sends_an_image_alone_and_reads_result(tmp_path: Path) -> None:
    """What its stress test sends: the image, and nothing else."""
    reader = Reader()
    answer = sent(tmp_path, Handle(reader))
    assert answer.json() == {"result": "a table\nin two lines"}
    assert reader.asked == [{"mode": "format", "box": None, "color": None} | PATCHES | {"max_tokens": 4096}]


def test_its_other_fields_act_and_fields_that_it_did_not_know_are_left(tmp_path: Path) -> None:
    reader = Reader()
    assert sent(tmp_path, Handle(reader), mode="plain", max_tokens="7", stream="false", odd="1").status_code == 200
    assert (reader.asked[0]["mode"], reader.asked[0]["max_tokens"]) == ("plain", 7)


def test_a_stream_is_tokens_and_ends_with_the_text(tmp_path: Path) -> None:
    answer = sent(tmp_path, Pieces(), stream="true")
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.text == 'data: {"token": "a "}\n\ndata: {"token": "tab\\"le"}\n\n'


@pytest.mark.parametrize("data", [{"mode": "fast"}, {"max_tokens": "0"}, {"stream": "perhaps"}])
def test_what_it_refused_is_refused_as_it_did(tmp_path: Path, data: dict) -> None:
    """Its server answered 400 to a mode that it did not know."""
    assert sent(tmp_path, Handle(Reader()), **data).status_code == 400


def test_a_pdf_is_no_image(tmp_path: Path) -> None:
    assert sent(tmp_path, Handle(Reader()), pdf()).status_code == 415
