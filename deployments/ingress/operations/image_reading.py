"""Reads one image: its own pixels, decoded in the renderer's sandbox, to text; leaving frees its decode slots."""

from __future__ import annotations

import contextlib
import math
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, field_validator

from deployments.calls.cancellable_calls import call, stream
from deployments.calls.remote_method import Response
from deployments.ingress.errors import UnknownOption
from deployments.ingress.operations.services import Services
from deployments.ingress.operations.submission import Upload
from documents.errors import UnsupportedMedia
from documents.values import OcrMode, Opened, Reading, Source

MAX_PATCHES = 12  # GOT-OCR2 was trained with this limit
BOX = {"type": "string", "description": "x0,y0,x1,y1 in pixels of the image", "example": "0,0,400,120"}


class OcrOptions(BaseModel):
    """The fields of the form beside the image."""

    model_config = ConfigDict(frozen=True)

    mode: OcrMode = "plain"
    box: Annotated[tuple[float, float, float, float] | None, WithJsonSchema(BOX)] = None
    color: Literal["red", "green", "blue"] | None = None
    crop_to_patches: bool = Field(
        default=False, description="read tiles of the image and the whole of it, for dense pages"
    )
    max_patches: int = Field(
        default=MAX_PATCHES, ge=1, le=MAX_PATCHES, description="maximum tiles, the whole not counted"
    )
    max_tokens: int | None = Field(None, ge=1, description="no further line is read after this many tokens")
    stream: bool = False

    @field_validator("box", mode="before")
    @classmethod
    def _parted(cls, box: str | None) -> list[str] | None:
        return box.strip("[] ").split(",") if box else None

    @field_validator("box")
    @classmethod
    def _has_area(cls, box: tuple[float, ...] | None) -> tuple[float, ...] | None:
        if box is not None and not (0 <= box[0] < box[2] < math.inf and 0 <= box[1] < box[3] < math.inf):
            raise ValueError("must be x0,y0,x1,y1 with x0 < x1 and y0 < y1, none below 0")
        return box


@dataclass(frozen=True, slots=True)
class Drawn:
    """An image as it is read."""

    picture: Response[Any]  # pixels, which go from Renderer to Ocr: nobody awaits them here
    options: OcrOptions  # the box in those pixels
    per_own: tuple[float, float]  # such pixels per pixel of the file, along x and y


@contextlib.asynccontextmanager
async def opened_image(services: Services, upload: Upload, namespace: str) -> AsyncIterator[tuple[Source, Opened]]:
    """An image as Renderer finds it, and what opening it, which decodes it, says; it is gone when the block is left.

    Raises:
        IngestError: the file cannot be decoded.
    """
    async with services.blobs.staged(upload.content) as staged:
        source = Source(path=staged.address, media_type=upload.media_type, namespace=namespace, attachments="none")
        yield source, await call(services.renderer.open.remote(source))


@contextlib.asynccontextmanager
async def drawn(services: Services, upload: Upload, options: OcrOptions, namespace: str) -> AsyncIterator[Drawn]:
    """The image's own pixels as the renderer's child decodes them, and the options for it; to be read in the block.

    Raises:
        UnsupportedMedia: no image.
        UnknownOption: a box outside of it.
        IngestError: the file cannot be decoded.
    """
    if upload.media_type == "application/pdf":
        raise UnsupportedMedia("this call reads images; send a PDF to /v1/documents")
    async with opened_image(services, upload, namespace) as (source, opened):
        assert opened.pixel_size is not None
        assert opened.picture_size is not None
        width, height = opened.pixel_size
        per_own = opened.picture_size[0] / width, opened.picture_size[1] / height  # 1 but for a fax
        options = _within(options, width, height, per_own)
        yield Drawn(services.renderer.picture.remote(source, 1), options, per_own)


async def read(services: Services, image: Drawn) -> Reading:
    """The whole text of an image; boxes in the image's own pixels."""
    options = image.options.model_dump(exclude={"stream"})
    _, reading = await call(services.ocr.read.remote(image.picture, **options), image.picture)
    return _in_own_pixels(reading, image)


def _in_own_pixels(reading: Reading, image: Drawn) -> Reading:
    x, y = 1 / image.per_own[0], 1 / image.per_own[1]
    lines, unreadable, *looks = (
        tuple(line.scaled(x, y) for line in group)
        for group in (reading.lines, reading.unreadable, *(reading.looks or ()))
    )
    return reading.model_copy(
        update={"lines": lines, "unreadable": unreadable, "looks": reading.looks and tuple(looks)}
    )


async def pieces_of(services: Services, image: Drawn) -> AsyncIterator[str | Reading]:
    """The text of an image as it is decoded, and last the whole reading; raises what is wrong from the start."""
    pieces = _pieces(services, image)
    first = await anext(pieces, None)

    async def from_the_first() -> AsyncIterator[str | Reading]:
        if first is not None:
            yield first
        async for piece in pieces:
            yield piece

    return from_the_first()


async def _pieces(services: Services, image: Drawn) -> AsyncIterator[str | Reading]:
    options = image.options.model_dump(exclude={"stream"})
    generator = services.ocr.options(stream=True).stream.remote(image.picture, **options)
    async with stream(generator, image.picture) as pieces:
        async for piece in pieces:
            yield _in_own_pixels(piece, image) if isinstance(piece, Reading) else piece


def _within(options: OcrOptions, width: int, height: int, per_own: tuple[float, float]) -> OcrOptions:
    """With the part of the box that lies in the picture, in the pixels that are read."""
    if options.box is None:
        return options
    x0, y0, x1, y1 = options.box
    if x0 >= width or y0 >= height:
        raise UnknownOption(f"box: lies outside the image of {width} x {height} pixels")
    x, y = per_own
    return options.model_copy(update={"box": (x * x0, y * y0, x * min(x1, width), y * min(y1, height))})
