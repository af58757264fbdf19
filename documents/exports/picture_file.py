"""Pictures as files: PNG or JPEG."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Literal

import numpy as np
from PIL import Image

PictureForm = Literal["PNG", "JPEG"]
PNG_LEVEL = 3  # of 9: faster than the usual 6, and a little larger
JPEG_QUALITY = 90


@dataclass(frozen=True, slots=True)
class PictureFile:
    """A picture as it is delivered."""

    content: bytes
    size: tuple[int, int]  # width, height in pixels


def encoded(
    picture: np.ndarray,
    form: PictureForm = "PNG",
    *,
    dpi: float | None = None,
    scale: tuple[float, float] = (1.0, 1.0),
) -> PictureFile:
    """Pixels (uint8, height x width x 3, RGB) as a file that knows its resolution `dpi`, scaled along x and y."""
    image = Image.fromarray(np.ascontiguousarray(picture))
    size = max(1, round(image.width * scale[0])), max(1, round(image.height * scale[1]))
    if size != image.size:
        image = image.resize(size, Image.Resampling.BICUBIC)
    resolution = {} if dpi is None else {"dpi": (dpi, dpi)}
    buffer = io.BytesIO()
    if form == "PNG":
        image.save(buffer, form, compress_level=PNG_LEVEL, **resolution)
    else:
        image.save(buffer, form, quality=JPEG_QUALITY)
    return PictureFile(buffer.getvalue(), size)
