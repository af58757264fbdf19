"""Pictures as files, read back by Pillow."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from documents.exports.picture_file import encoded

PIXELS = np.random.default_rng(1).integers(0, 255, (40, 60, 3), np.uint8)


def test_a_png_has_every_pixel_and_its_resolution() -> None:
    file = encoded(PIXELS[:, ::-1], dpi=144)
    with Image.open(io.BytesIO(file.content)) as image:
        assert image.format == "PNG"
        assert file.size == image.size == (60, 40)
        assert image.info["dpi"] == pytest.approx((144, 144), abs=0.1)
        assert np.array_equal(np.asarray(image), PIXELS[:, ::-1])


@pytest.mark.parametrize(("scale", "size"), [((1, 1), (60, 40)), ((0.5, 1), (30, 40)), ((0.001, 0.25), (1, 10))])
def test_a_jpeg_has_the_size_that_is_asked_for_and_at_least_a_pixel(scale: tuple, size: tuple) -> None:
    file = encoded(PIXELS, "JPEG", scale=scale)
    with Image.open(io.BytesIO(file.content)) as image:
        assert (image.format, image.size, file.size) == ("JPEG", size, size)
