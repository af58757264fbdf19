"""Evens out shadows and uneven light on photographed pages."""

from __future__ import annotations

import cv2
import numpy as np

TILES = 24  # along the longer side
PAPER = 85  # percentile of a tile that is taken for its paper
MIN_LIGHT_RATIO = 1.35  # ratio of the light of two places of the paper from which on it is corrected
WHITE_LEVEL = 240.0
MAX_GAIN = 4.0  # maximum factor by which a place is brightened


def paper_light(grey: np.ndarray) -> np.ndarray:
    """How bright the paper is, float32 (rows, columns) of large tiles, for a picture uint8 (height, width).

    Dark fields and pictures take the light of the paper around them.
    """
    height, width = grey.shape
    side = max(1, round(max(height, width) / TILES))
    rows, columns = max(1, round(height / side)), max(1, round(width / side))
    whole = cv2.resize(grey, (columns * 8, rows * 8), interpolation=cv2.INTER_AREA)
    tiles = whole.reshape(rows, 8, columns, 8).transpose(0, 2, 1, 3).reshape(rows, columns, 64)
    light = np.percentile(tiles, PAPER, axis=2).astype(np.float32)
    return cv2.GaussianBlur(_without_dark_fields(light), (0, 0), 1.0)


def is_uneven(light: np.ndarray) -> bool:
    """Whether the paper is much brighter in one place than in another."""
    low, high = np.percentile(light, (4, 96))
    return bool(high > MIN_LIGHT_RATIO * max(1.0, low))


def evened(picture: np.ndarray, light: np.ndarray) -> np.ndarray:
    """The picture, uint8, grey (height, width) or RGB (height, width, 3), under even light."""
    gain = np.clip(WHITE_LEVEL / np.maximum(light, 1.0), 1.0, MAX_GAIN)
    over = cv2.resize(gain, picture.shape[1::-1], interpolation=cv2.INTER_LINEAR)
    over = over if picture.ndim == 2 else cv2.merge([over] * 3)
    return np.asarray(cv2.multiply(picture, over, dtype=cv2.CV_8U), np.uint8)


def _without_dark_fields(light: np.ndarray) -> np.ndarray:
    """Tiles far darker than a smooth surface through the brighter ones get the surface's light."""
    rows, columns = light.shape
    y, x = np.mgrid[-1 : 1 : rows * 1j, -1 : 1 : columns * 1j]
    terms = np.stack([np.ones_like(x), x, y, x * y, x * x, y * y], axis=-1).reshape(-1, 6)
    flat, is_paper = light.ravel().astype(float), np.ones(light.size, bool)
    surface = flat
    for _ in range(6):
        if is_paper.sum() < 12:
            break
        surface = terms @ np.linalg.lstsq(terms[is_paper], flat[is_paper], rcond=None)[0]
        is_paper = flat > 0.88 * surface
    return np.where(is_paper, flat, np.maximum(surface, flat)).reshape(light.shape).astype(np.float32)
