"""POST /v1/ocr: what is decoded, and what the reader gets of it."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from fastapi import FastAPI
from PIL import Image

from configs import Settings
from deployments.ingress.api import ocr
from deployments.ingress.middleware import error_responses
from deployments.ingress.operations.services import Services
from deployments.storage.folder_blobs import FolderBlobs
from documents.boxes import BoundingBox
from documents.sandbox import RendererPool, RenderLimits
from documents.values import Reading, ReadLine
from tests.deployments.ingress.handles import Handle

ORIENTATION = 0x0112  # of EXIF
QUARTER = 6  # to be shown turned by 90 degrees clockwise


class Reader:
    """Keeps what it is given to read."""

    def __init__(self) -> None:
        self.calls: list[tuple[np.ndarray, dict[str, Any]]] = []

    async def read(self, picture: np.ndarray, **options: Any) -> tuple[tuple[int, int], Reading]:
        self.calls.append((picture, options))
        line = ReadLine(text="a line", box=BoundingBox(x0=10, y0=20, x1=30, y1=40), confidence=1.0)
        return (1, 1), Reading(text="a line", lines=(line,))


def noise(width: int, height: int) -> Image.Image:
    return Image.fromarray(np.random.default_rng(width).integers(0, 255, (height, width, 3), np.uint8))


def encoded(picture: Image.Image, **settings: Any) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, "PNG", **settings)
    return buffer.getvalue()


def sent(folder: Path, content: bytes, **fields: str) -> tuple[httpx.Response, Reader]:
    reader = Reader()

    async def main() -> httpx.Response:
        pool = RendererPool(1, RenderLimits(page_timeout_s=600.0))
        rooms: dict[str, Any] = dict.fromkeys(("jobs", "pipeline", "layout", "search"))
        rooms |= {"renderer": Handle(pool), "ocr": Handle(reader)}
        blobs = await asyncio.to_thread(FolderBlobs, folder)
        services = Services(settings=Settings(), blobs=blobs, **rooms)
        app = FastAPI()
        app.include_router(ocr.router(services))
        error_responses.install(app)
        try:
            async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here") as client:
                return await client.post("/v1/ocr", files={"file": ("a.png", content)}, data=fields)
        finally:
            await pool.close()

    return asyncio.run(main()), reader


@pytest.mark.parametrize("dpi", [None, 72, 300])
def test_the_reader_gets_the_own_pixels_of_the_image(tmp_path: Path, dpi: int | None) -> None:
    """A picture of 900 x 600 was enlarged to 1685 x 1123, an A4 at 144 dpi, before the model reduced it again."""
    picture = noise(300, 200)
    answer, reader = sent(tmp_path, encoded(picture, **({"dpi": (dpi, dpi)} if dpi else {})))
    assert answer.status_code == 200
    assert np.array_equal(reader.calls[0][0], np.asarray(picture))


def test_the_reader_gets_the_image_as_it_is_to_be_shown(tmp_path: Path) -> None:
    """A camera's picture lies on its side in the file."""
    picture, exif = noise(120, 80), Image.Exif()
    exif[ORIENTATION] = QUARTER
    _, reader = sent(tmp_path, encoded(picture, exif=exif))
    assert np.array_equal(reader.calls[0][0], np.rot90(np.asarray(picture), -1))


def test_a_box_is_in_the_own_pixels_of_the_image_and_cut_to_it(tmp_path: Path) -> None:
    """A box in other pixels reads other words."""
    content = encoded(noise(300, 200), dpi=(300, 300))
    _, reader = sent(tmp_path, content, box="10,20,150,90")
    assert reader.calls[0][1]["box"] == (10, 20, 150, 90)
    _, reader = sent(tmp_path, content, box="10,20,900,900")
    assert reader.calls[0][1]["box"] == (10, 20, 300, 200)
    answer, reader = sent(tmp_path, content, box="300,0,400,90")
    assert (answer.status_code, answer.json()["code"], reader.calls) == (422, "invalid_option", [])


def test_patches_are_passed_on_and_bounded(tmp_path: Path) -> None:
    """Each patch is a pass of the vision encoder: a thousand of them are somebody's whole afternoon."""
    content = encoded(noise(300, 200))
    _, reader = sent(tmp_path, content, crop_to_patches="true", max_patches="6")
    options = reader.calls[0][1]
    assert (options["crop_to_patches"], options["max_patches"]) == (True, 6)
    _, reader = sent(tmp_path, content)
    assert not reader.calls[0][1]["crop_to_patches"]
    for wrong in ("0", "13", "many"):
        answer, reader = sent(tmp_path, content, crop_to_patches="true", max_patches=wrong)
        assert (answer.status_code, answer.json()["code"], reader.calls) == (422, "invalid_option", [])
    assert "max_patches" in answer.json()["detail"]


def test_patches_are_in_the_contract() -> None:
    """A field that OpenAPI does not name is one that nobody finds."""
    named = ocr.UPLOAD["requestBody"]["content"]["multipart/form-data"]["schema"]["properties"]
    assert set(named) == {"file"} | set(ocr.OcrOptions.model_fields)


def test_boxes_of_a_fax_are_in_its_own_pixels_though_it_is_read_with_square_ones(tmp_path: Path) -> None:
    """Guards against a box that cuts the upper half of what the client chose: 204 x 98 dots per inch."""
    buffer = io.BytesIO()
    noise(408, 196).save(buffer, "TIFF", dpi=(204, 98))
    answer, reader = sent(tmp_path, buffer.getvalue(), box="40,44,200,90")
    picture, options = reader.calls[0]
    assert picture.shape == (408, 408, 3)
    stretch = 408 / 196
    assert options["box"] == pytest.approx((40, 44 * stretch, 200, 90 * stretch))
    box = answer.json()["lines"][0]["box"]
    assert [box[edge] for edge in ("x0", "y0", "x1", "y1")] == pytest.approx([10, 20 / stretch, 30, 40 / stretch])


@pytest.mark.parametrize("stream", ["true", "false"])
def test_a_damaged_image_is_refused_before_the_answer_begins(tmp_path: Path, stream: str) -> None:
    """Guards against a stream of status 200 whose first event says that there is nothing to read."""
    content = encoded(noise(300, 200))
    answer, reader = sent(tmp_path, content[: len(content) // 2], stream=stream)
    assert (answer.status_code, answer.json()["code"], reader.calls) == (422, "unreadable_document", [])
