"""Cuts out one printed line: level, its own ink only, on white."""

from __future__ import annotations

import math
from typing import NamedTuple

import cv2
import numpy as np

from documents.boxes import BoundingBox
from documents.ocr_input.components import Components
from documents.ocr_input.text_ink import TextInk, percentiles
from documents.ocr_input.text_line import TextLine

MARK_REACH = 0.12  # distance above and below a line in which its marks and tails may be, in letter heights
MIN_LINE_SHARE = 0.6  # a component belongs to a line if this share of its height lies on the line
MAX_RULE_HEIGHT = 0.2  # maximum height of the remains of a rule above or below letters, in line heights
MIN_RULE_LENGTH = 0.8  # minimum length of such remains, in line heights
EDGE_PIXELS = 4  # grey edge of ink and faint parts of its strokes
BLACK_PERCENTILE = 2  # percent of the ink that becomes black: with more, small bold letters run together
MIN_PAPER_LEVEL = 250  # a lighter pixel is paper
WHITE_LEVEL = 255


class LinePicture(NamedTuple):
    """`grey`, uint8, ink 0 and paper 255; `box` around it and `gaps`, int (gaps, 2), in pixels of the whole picture."""

    grey: np.ndarray
    box: BoundingBox
    gaps: np.ndarray


def line_picture(ink: TextInk, line: TextLine) -> LinePicture | None:
    """The line of a picture, None if nothing of it is there."""
    reach = max(2.0, MARK_REACH * line.letter)
    top, bottom = math.floor(line.top - reach), math.ceil(line.bottom + reach)
    even, mask, (left, first) = _sheared(ink, line, top, bottom)
    own = _own_ink(mask, line.top - first, line.bottom - first, reach)
    rows, columns = np.flatnonzero(own.any(axis=1)), np.flatnonzero(own.any(axis=0))
    if not len(rows):
        return None
    near = cv2.dilate(own.astype(np.uint8), np.ones((2 * EDGE_PIXELS + 1, 2 * EDGE_PIXELS + 1), np.uint8)).astype(bool)
    grey = _stretched(np.where(near & ((mask == 0) | own), even, WHITE_LEVEL), own)
    y0, y1, x0, x1 = int(rows[0]), int(rows[-1]) + 1, int(columns[0]), int(columns[-1]) + 1
    fall = abs(line.shift(line.x1))
    box = BoundingBox(x0=left + x0, y0=first + y0 - fall, x1=left + x1, y1=first + y1 + fall)
    return LinePicture(grey[y0:y1, x0:x1], box, _gaps(own[y0:y1, x0:x1], left + x0))


def _sheared(ink: TextInk, line: TextLine, top: int, bottom: int) -> tuple[np.ndarray, np.ndarray, tuple[int, int]]:
    """Picture and ink, uint8, of the line made level, and the column and the row where they begin."""
    height, width = ink.even.shape
    left, right = max(0, line.x0 - 1), min(width, line.x1 + 1)
    fall = math.ceil(max(abs(line.shift(left)), abs(line.shift(right))))
    low, high = max(0, top - fall), min(height, bottom + fall)
    even, mask = ink.even[low:high, left:right], ink.ink[low:high, left:right].astype(np.uint8)
    if fall < 1:
        return even, mask, (left, low)
    middle = (line.x0 + line.x1) / 2 - left
    back = np.array([[1, 0, 0], [line.slope, 1, -line.slope * middle]], np.float32)
    size = (even.shape[1], even.shape[0])
    flags = cv2.WARP_INVERSE_MAP | cv2.INTER_LINEAR
    level = cv2.warpAffine(even, back, size, flags=flags, borderMode=cv2.BORDER_CONSTANT, borderValue=WHITE_LEVEL)
    flags = cv2.WARP_INVERSE_MAP | cv2.INTER_NEAREST
    return level, cv2.warpAffine(mask, back, size, flags=flags, borderMode=cv2.BORDER_CONSTANT), (left, low)


def _own_ink(mask: np.ndarray, top: float, bottom: float, reach: float) -> np.ndarray:
    """The ink of a level line between two rows, bool: what lies on it, and of taller things the part that does."""
    labels, stats = Components.of(mask)
    stats = stats.astype(float)
    y, wide, high = (stats[:, k] for k in (cv2.CC_STAT_TOP, cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT))
    middle = y + high / 2
    shared = np.minimum(y + high, bottom + reach) - np.maximum(y, top - reach)
    tall = high > bottom - top + 2 * reach
    flat = (high <= MAX_RULE_HEIGHT * (bottom - top)) & (wide >= MIN_RULE_LENGTH * (bottom - top))
    flat &= (middle < top + MAX_RULE_HEIGHT * (bottom - top)) | (middle > bottom - MAX_RULE_HEIGHT * (bottom - top))
    of_it = (shared >= MIN_LINE_SHARE * high) | (tall & (shared > 0.5 * (bottom - top)))
    of_it &= ~flat
    of_it[0] = False
    own = of_it[labels]
    rows = np.arange(mask.shape[0])[:, None]
    return own & (rows >= top - reach) & (rows < bottom + reach)


def _stretched(even: np.ndarray, own: np.ndarray) -> np.ndarray:
    """Ink made black and paper white."""
    (darkest,) = percentiles(even, (BLACK_PERCENTILE,), own.view(np.uint8))
    scaled = (np.arange(WHITE_LEVEL + 1, dtype=np.float32) - darkest) / max(1.0, MIN_PAPER_LEVEL - darkest)
    levels = (WHITE_LEVEL * np.clip(scaled, 0.0, 1.0)).astype(np.uint8)
    return np.asarray(cv2.LUT(even, levels), np.uint8)


def _gaps(own: np.ndarray, x: int) -> np.ndarray:
    """Where columns without ink start and end, int (gaps, 2)."""
    empty = np.concatenate(([False], ~own.any(axis=0), [False]))
    edges = np.flatnonzero(empty[1:] != empty[:-1]).reshape(-1, 2)
    return edges[(edges[:, 0] > 0) & (edges[:, 1] < own.shape[1])] + x
