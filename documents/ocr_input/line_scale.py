"""Enlarges or shrinks a picture so that its letters have a good size for OCR, and finds its lines."""

from __future__ import annotations

import math
from typing import NamedTuple

import cv2
import numpy as np

from documents.ocr_input.line_finder import find_lines
from documents.ocr_input.text_ink import TextInk, text_ink
from documents.ocr_input.text_line import TextLine

SMALL_LETTER_HEIGHT = 11  # a picture of lower letters (pixels) is enlarged first
LARGE_LETTER_HEIGHT = 56  # a picture of taller letters (pixels) is reduced first
TARGET_LETTER_HEIGHT = 20.0  # letters are scaled to this height, in pixels
MAX_ENLARGEMENT = 3.0
MAX_PIXELS = 16_000_000  # maximum number of pixels of an enlarged picture


class PictureLines(NamedTuple):
    """Ink and lines in pixels of the picture scaled by `zoom`."""

    ink: TextInk
    lines: list[TextLine]
    zoom: float

    def boxes(self) -> np.ndarray:
        """Upright boxes around the lines, float (n, 4): x0, y0, x1, y1 in pixels of the picture as it came."""
        rows = [
            (line.x0, line.top - abs(line.shift(line.x1)), line.x1, line.bottom + abs(line.shift(line.x1)))
            for line in self.lines
        ]
        return np.array(rows, float).reshape(-1, 4) / self.zoom


def lines_of(grey: np.ndarray) -> PictureLines:
    """Of a picture, uint8 (height, width)."""
    ink = text_ink(grey)
    lines = find_lines(ink)
    zoom = _zoom(grey.size, lines)
    if zoom == 1.0:
        return PictureLines(ink, lines, zoom)
    size = max(2, round(grey.shape[1] * zoom)), max(2, round(grey.shape[0] * zoom))
    scaled = cv2.resize(grey, size, interpolation=cv2.INTER_CUBIC if zoom > 1 else cv2.INTER_AREA)
    ink = text_ink(scaled)
    return PictureLines(ink, find_lines(ink), zoom)


def _zoom(num_pixels: int, lines: list[TextLine]) -> float:
    """By how much a picture is to be scaled, so that most letters are of a good size."""
    if not lines:
        return 1.0
    usual = float(np.median(np.repeat([line.letter for line in lines], [line.num_letters for line in lines])))
    if SMALL_LETTER_HEIGHT <= usual <= LARGE_LETTER_HEIGHT:
        return 1.0
    return min(TARGET_LETTER_HEIGHT / usual, MAX_ENLARGEMENT, math.sqrt(MAX_PIXELS / num_pixels))
