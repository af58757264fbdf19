"""Finds where a page's picture has ink (contrast), and rotates pictures upright."""

from __future__ import annotations

import numpy as np
from PIL import Image

PIXELS = 6  # a cell's side in the picture that ink is looked for in
MIN_INK_CONTRAST = 40  # a smaller contrast (of 255) is paper, shade or noise


def ink_cells(picture: np.ndarray) -> np.ndarray:
    """bool (rows, columns): which squares of PIXELS by PIXELS of a grey or RGB picture hold contrast."""
    picture = np.atleast_3d(picture)
    height, width, depth = picture.shape
    rows, columns = -(-height // PIXELS), -(-width // PIXELS)
    padded = np.pad(picture, ((0, rows * PIXELS - height), (0, columns * PIXELS - width), (0, 0)), mode="edge")
    strips = padded.reshape(
        rows, PIXELS, columns * PIXELS * depth
    )  # an axis at a time: both at once take ten times as long
    most, least = (
        extreme.reshape(rows, columns, PIXELS, depth) for extreme in (strips.max(axis=1), strips.min(axis=1))
    )
    highest, lowest = most[:, :, 0], least[:, :, 0]
    for k in range(1, PIXELS):  # a short axis by hand: numpy's own takes four times as long
        highest, lowest = np.maximum(highest, most[:, :, k]), np.minimum(lowest, least[:, :, k])
    return (highest - lowest >= MIN_INK_CONTRAST).any(axis=2)


def in_colour(picture: np.ndarray) -> np.ndarray:
    """A picture, uint8 (height, width) if it is grey, as RGB (height, width, 3)."""
    return np.asarray(Image.fromarray(picture).convert("RGB")) if picture.ndim == 2 else picture


def has_ink(picture: np.ndarray, x0: float, y0: float, x1: float, y1: float) -> bool:
    """Whether the part of the picture (pixels) holds contrast."""
    part = picture[max(0, int(y0)) : max(0, int(np.ceil(y1))), max(0, int(x0)) : max(0, int(np.ceil(x1)))]
    if part.size == 0:
        return False
    most, least = part.max(axis=0).max(axis=0), part.min(axis=0).min(axis=0)  # an axis at a time, as above
    return bool((most.astype(np.int16) - least >= MIN_INK_CONTRAST // 2).any())


def turned_back(picture: np.ndarray, angle: float) -> np.ndarray:
    """Undo a clockwise turn by `angle` degrees; what comes in at the corners is white."""
    if angle % 90 == 0:
        return np.rot90(picture, int(angle // 90) % 4)
    turned = Image.fromarray(picture).rotate(angle, Image.Resampling.BICUBIC, expand=True, fillcolor=(255, 255, 255))
    return np.asarray(turned)
