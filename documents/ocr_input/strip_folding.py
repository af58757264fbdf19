"""Folds the picture of a line into the rows of the square that the small OCR model reads."""

from __future__ import annotations

import numpy as np
from PIL import Image

SQUARE_SIDE = 256  # side of the square that the model sees, in pixels
STRIP_HEIGHT = 32  # height of a strip in that square, in pixels
ROWS = SQUARE_SIDE // STRIP_HEIGHT
MAX_STRETCH = 1.05  # maximum stretch of a strip's width: an image token (32 x 32 pixels) holds about 1.7 letters
MARGIN = 0.08  # blank kept above and below the ink, as a share of the ink's height
MAX_STRIP_ASPECT = 32  # maximum length of a strip, in its heights: about 70 letters; a longer strip is read in halves


def levels(grey: np.ndarray) -> np.ndarray:
    """Stretch contrast so that paper is 255 and ink 0, whichever of them was the darker (uint8, height x width)."""
    low, high = np.percentile(grey, (0.5, 99.5))
    if high - low < 24:
        return np.full_like(grey, 255)
    scaled = np.clip((grey - low) / (high - low), 0.0, 1.0)
    if np.median(scaled) < 0.5:
        scaled = 1.0 - scaled
    return (255 * np.clip(scaled / max(np.median(scaled), 0.7), 0.0, 1.0)).astype(np.uint8)


def parts(strip: np.ndarray) -> list[np.ndarray]:
    """A strip, or its halves (again halved if need be), parted between words."""
    height, width = strip.shape
    if width <= MAX_STRIP_ASPECT * height:
        return [strip]
    at = _Gaps(strip).first(2 * width // 5, 3 * width // 5)
    return parts(strip[:, :at]) + parts(strip[:, at:])


def fold(strip: np.ndarray) -> np.ndarray:
    """Fold a levelled strip into rows, broken between words where possible: uint8 (rows, STRIP_HEIGHT, SQUARE_SIDE)."""
    return traced_fold(strip)[0]


def traced_fold(strip: np.ndarray) -> tuple[np.ndarray, list[int], float]:
    """The rows of `fold`; the column of the scaled strip at which each starts; and the scale."""
    picture = Image.fromarray(strip)
    scale = STRIP_HEIGHT / picture.height
    scale *= min(MAX_STRETCH, ROWS * SQUARE_SIDE * 0.97 / (picture.width * scale))
    while True:
        size = (max(8, round(picture.width * scale)), STRIP_HEIGHT)
        tape = np.asarray(picture.resize(size, Image.Resampling.BILINEAR))
        starts, gaps = [0], _Gaps(tape)
        while starts[-1] + SQUARE_SIDE < tape.shape[1]:
            starts.append(gaps.first(starts[-1] + SQUARE_SIDE * 5 // 8, starts[-1] + SQUARE_SIDE + 1))
        if len(starts) <= ROWS:
            break
        scale *= 0.95
    rows = np.full((len(starts), STRIP_HEIGHT, SQUARE_SIDE), 255, np.uint8)
    for row, start, end in zip(rows, starts, [*starts[1:], tape.shape[1]], strict=True):
        row[:, : end - start] = tape[:, start:end]
    return rows, starts, scale


def square(rows: np.ndarray) -> np.ndarray:
    """The rows from the top, the rest white, read-only: uint8 (SQUARE_SIDE, SQUARE_SIDE, 3), three equal channels."""
    full = np.full((ROWS, STRIP_HEIGHT, SQUARE_SIDE), 255, np.uint8)
    full[: len(rows)] = rows
    return np.broadcast_to(full.reshape(SQUARE_SIDE, SQUARE_SIDE, 1), (SQUARE_SIDE, SQUARE_SIDE, 3))


class _Gaps:
    """Where a tape, uint8 (height, width), may be broken, by how dark its columns are."""

    def __init__(self, tape: np.ndarray) -> None:
        height = len(tape)
        dark = (255 * height - tape.sum(axis=0, dtype=np.int32)).astype(np.float32) / np.float32(height)
        self._wide = np.convolve(dark, np.full(7, 1 / 7), "same")
        self._narrow = np.convolve(dark, np.full(2, 1 / 2), "same")

    def first(self, low: int, high: int) -> int:
        """The column in [low, high) at which to break: at the start of a gap between words, else at the clearest."""
        late = np.linspace(0, 3, high - low)  # later columns win ties
        wide, narrow = self._wide[low:high] - late, self._narrow[low:high] - late
        best = int(np.argmin(wide)) - 2 if wide.min() <= narrow.min() + 5 else int(np.argmin(narrow))
        return low + max(1, best)
