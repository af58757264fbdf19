"""Decides which end of a scanned page is up, by trying OCR on a few lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np

from documents.ocr_input.components import Components
from documents.ocr_input.strip_folding import fold, levels, square
from documents.straighten.local_ink import local_ink

NUM_SAMPLES = 3  # number of lines that are read of the page as it is
# number of lines read in each orientation if those are not sure: of three, two may be misread or no text
NUM_EXTRA_SAMPLES = 8
MAX_TOKENS = 40  # maximum tokens per line
MAX_SAMPLE_LENGTH = 20.0  # maximum length of a sample, in its heights: it fits one square
MIN_SAMPLE_LENGTH = 4.0  # minimum length of a sample, in its heights
# minimum number of letters read from a sample of text; a line that lies on its side yields none or one
MIN_SAMPLE_LETTERS = 4
MIN_SURE_CONFIDENCE = 0.85  # with this confidence no other orientation is tried
MIN_CONFIDENCE = 0.6  # with less confidence an orientation is guessed, not read
MIN_LEAD = 0.05  # minimum lead in confidence of another orientation over the page as it is
ORIENTATIONS = (0, 180, 90, 270)  # degrees clockwise, in the order in which they are tried
MAX_WORD_GAP = 1.2  # maximum gap between words of one line, in letter heights
MIN_LETTER_HEIGHT = 4  # pixels
MAX_LETTER_HEIGHT = 120  # pixels
WINDOW = 41  # pixels around a pixel whose light is compared with it
MIN_INK_CONTRAST = 24  # ink is darker than its surroundings by at least this much, of 255


def sample_lines(picture: np.ndarray, count: int = NUM_SAMPLES) -> list[np.ndarray]:
    """Squares, uint8 (256, 256, 3), of typical lines that run level in a picture, uint8 (height, width, 3)."""
    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    samples: list[np.ndarray] = []
    for x0, y0, x1, y1 in _lines(grey)[:count]:
        pad = max(1, (y1 - y0) // 12)
        part = grey[max(0, y0 - pad) : y1 + pad, max(0, x0 - pad) : x1 + pad]
        samples.append(square(fold(levels(np.ascontiguousarray(part)))))
    return samples


def legibility(samples: Sequence[tuple[str, float]], num_level: int) -> float:
    """How surely samples are text that stands upright, 0..1, by what each was read as and how probable that is.

    A sample is wide enough for several letters: one that is read as fewer is no text, however sure the reader is. The
    page as it stands has `num_level` samples: a number in its margin is fewer, and turns no page.
    """
    text = [sure for read, sure in samples if sum(map(str.isalnum, read)) >= MIN_SAMPLE_LETTERS]
    return sum(text) / max(1, len(samples), num_level)


def upright_angle(confidences: Mapping[int, float]) -> int:
    """Degrees clockwise that the page stands turned, of those tried; 0 unless another is legible and surer."""
    best = max(confidences, key=lambda way: (confidences[way], -ORIENTATIONS.index(way)), default=0)
    sure = confidences.get(best, 0.0)
    return best if sure >= MIN_CONFIDENCE and sure > confidences.get(0, 0.0) + MIN_LEAD else 0


def _lines(grey: np.ndarray) -> list[tuple[int, int, int, int]]:
    """x0, y0, x1, y1 of parts of lines, most letters first."""
    ink = local_ink(grey, WINDOW, MIN_INK_CONTRAST)
    stats = Components.of(ink).stats[1:]
    wide, high = stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT]
    letters = (high >= MIN_LETTER_HEIGHT) & (high <= MAX_LETTER_HEIGHT) & (wide <= 4 * high) & (high <= 6 * wide)
    if letters.sum() < 2 * MIN_SAMPLE_LENGTH:
        return []
    usual = float(np.median(high[letters]))
    reach = max(3, round(MAX_WORD_GAP * usual))
    closed = cv2.morphologyEx(ink, cv2.MORPH_CLOSE, np.ones((1, reach), np.uint8))
    boxes = Components.of(np.asarray(closed, np.uint8)).stats[1:]
    lines: list[tuple[float, int, int, int, int]] = []
    for x, y, width, height, _ in boxes.tolist():
        if not usual <= height <= 2.5 * usual or width < MIN_SAMPLE_LENGTH * height:
            continue
        width_used = min(width, round(MAX_SAMPLE_LENGTH * height))
        lines.append((-width_used / height, y, x, x + width_used, y + height))
    return [(x0, y0, x1, y1) for _, y0, x0, x1, y1 in sorted(lines)]
