"""`documents.layout.doclayout.letterbox`: any picture fits, or says why not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from documents.errors import PageFailed
from documents.layout.doclayout.letterbox import PADDING_GREY, fit, letterbox


@pytest.mark.parametrize("shape", [(1, 1, 3), (1, 20000, 3), (20000, 1, 3), (640, 640, 3), (3, 20000, 3)])
def test_any_layout_picture_fits_the_square(shape):
    """Guards against strips and threads of pages that shrink to nothing, or grow memory with their length."""
    square, scale, x, y = letterbox(np.zeros(shape, np.uint8), 640)
    assert square.shape == (640, 640, 3)
    assert min(x, y) >= 0
    assert scale > 0


def test_a_picture_lies_in_the_middle_on_grey():
    """Guards against a letterbox that depends on the batch's other shapes."""
    square = fit(np.zeros((320, 640, 3), np.uint8), 640, (720.0, 360.0))
    assert square.corner == (0, 160)
    assert (square.pixels[:160] == PADDING_GREY).all()
    assert (square.pixels[160:480] == 0).all()
    assert square.unit == (720 / 640, 360 / 320)


@pytest.mark.parametrize(
    "picture",
    [
        np.zeros((4, 4), np.uint8),
        np.zeros((0, 5, 3), np.uint8),
        np.zeros((4, 4, 4), np.uint8),
        np.zeros((4, 4, 3), np.uint16),
    ],
    ids=["grey", "empty", "alpha", "16 bit"],
)
def test_what_is_no_rgb_picture_is_refused(picture):
    """Guards against channels or depths that are silently taken for others."""
    with pytest.raises(PageFailed, match="cannot use the page"):
        fit(picture, 640)


@pytest.mark.parametrize("size", [(0.0, 792.0), (-1.0, 5.0), (math.nan, 5.0), (612.0, math.inf)])
def test_a_page_without_a_size_is_refused(size):
    """Guards against regions without a place: a page of 0 points, or of none."""
    with pytest.raises(PageFailed, match="size is invalid"):
        fit(np.zeros((4, 4, 3), np.uint8), 640, size)
