"""Fits a picture into the square input of the layout network, and boxes back."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from documents.errors import PageFailed

PADDING_GREY = 114  # the margin around a page in the square has this grey, as in training
NO_PICTURE = "layout detection cannot use the page's picture"
NO_SIZE = "the page's size is invalid"


@dataclass(frozen=True, slots=True, eq=False)
class Square:
    """Pixels for the network, and what leads from them back to the page."""

    pixels: np.ndarray  # uint8 (side, side, 3), RGB
    scale: float  # of the picture in the square
    corner: tuple[int, int]  # (x, y) of the picture in the square
    shape: tuple[int, int]  # (height, width) of the picture
    unit: tuple[float, float]  # points a pixel of the picture, across and down; 1 where no size was told


def fit(picture: np.ndarray, side: int, page_size: tuple[float, float] | None = None) -> Square:
    """An RGB picture, uint8 (height, width, 3), in a square of `side` pixels; nothing larger than that is made.

    `page_size` is (width, height) in points: boxes are then told in points, else in pixels of the picture.

    Raises:
        PageFailed: the picture is none, or the size is none.
    """
    if page_size is not None and not all(math.isfinite(side) and side > 0 for side in page_size):
        raise PageFailed(NO_SIZE)
    try:
        pixels, scale, x, y = letterbox(picture, side)
    except (ValueError, cv2.error) as error:
        raise PageFailed(NO_PICTURE) from error
    height, width = picture.shape[:2]
    unit = (page_size[0] / width, page_size[1] / height) if page_size else (1.0, 1.0)
    return Square(pixels, scale, (x, y), (height, width), unit)


def letterbox(picture: np.ndarray, size: int) -> tuple[np.ndarray, float, int, int]:
    """Fit a picture into the middle of a grey square; with it, the scale and where the picture's corner came to lie."""
    if picture.ndim != 3 or picture.shape[2] != 3 or picture.dtype != np.uint8 or picture.size == 0:
        raise ValueError(f"not an RGB picture: {picture.dtype} {picture.shape}")
    height, width = picture.shape[:2]
    scale = min(size / height, size / width)
    new_height, new_width = max(1, round(height * scale)), max(1, round(width * scale))
    y, x = (size - new_height) // 2, (size - new_width) // 2
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    square = np.full((size, size, 3), PADDING_GREY, np.uint8)
    square[y : y + new_height, x : x + new_width] = cv2.resize(picture, (new_width, new_height), interpolation=how)
    return square, scale, x, y
