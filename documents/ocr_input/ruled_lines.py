"""Takes straight thin lines out of ink, but for what letters cross."""

from __future__ import annotations

import cv2
import numpy as np

from documents.ocr_input.components import around
from documents.ocr_input.ink_runs import InkRuns

MIN_LEVEL_RULE = 56  # minimum length of a horizontal rule, in pixels
MIN_UPRIGHT_RULE = 72  # minimum length of a vertical rule, in pixels
MAX_RULE_STROKE = 6  # maximum thickness of a rule, in pixels
MIN_SOLID_PIXELS = 15  # minimum length of an unbroken piece of a rule
MAX_BREAK_PIXELS = 8  # maximum length of a break in a rule
RULE_NEIGHBOURHOOD = 2 * MAX_RULE_STROKE  # pixels above and below a rule whose ink is compared with it
MAX_CROSSED_SHARE = 0.35  # a run with more of its ink crossed by ink above or below is no rule
MIN_RULE_PIXELS = 300  # a run of this length is a rule: no letters are so long


def without_rules(ink: np.ndarray) -> np.ndarray:
    """Ink, bool (height, width), without straight thin lines, but where letters cross them."""
    # a low stem is a rule if what lies outside the picture is taken for ink
    margin = max(MIN_LEVEL_RULE, MIN_UPRIGHT_RULE)
    pixels = np.pad(ink.view(np.uint8), margin)
    level = _rules(pixels, MIN_LEVEL_RULE)
    upright = _rules(_transposed(pixels), MIN_UPRIGHT_RULE)
    if level is None and upright is None:
        return ink
    level = np.zeros_like(pixels) if level is None else level
    upright = np.zeros_like(pixels) if upright is None else _transposed(upright)
    rules = level | upright
    letters = pixels & ~rules
    rest = letters.copy()
    across = np.ones((MAX_RULE_STROKE + 3, 1), np.uint8)
    for own, other, kernel in ((level, upright, across), (upright, level, across.T)):
        part = around(own, RULE_NEIGHBOURHOOD)
        closed = np.asarray(cv2.morphologyEx(rest[part], cv2.MORPH_CLOSE, kernel), np.uint8)
        letters[part] |= closed & own[part] & ~other[part] & pixels[part]
    return letters[margin:-margin, margin:-margin].view(bool)


def _rules(pixels: np.ndarray, shortest: int) -> np.ndarray | None:
    """Level runs of ink that are long and thin, uint8, with the ragged edge of their strokes; None if there are none.

    `pixels` has a margin wider than RULE_NEIGHBOURHOOD.
    """
    starts, ends = InkRuns.of(pixels).long(MIN_SOLID_PIXELS).closed(MAX_BREAK_PIXELS).long(shortest)
    if not len(starts):
        return None
    # a pixel to the right, where an opening of even length by OpenCV has them
    runs = InkRuns(starts + 1, ends + 1).drawn(pixels.shape)
    part = around(runs, RULE_NEIGHBOURHOOD)  # most pages have few rules
    runs = runs[part]
    thick = cv2.morphologyEx(runs, cv2.MORPH_OPEN, np.ones((MAX_RULE_STROKE + 1, 1), np.uint8))
    thin = runs & ~np.asarray(cv2.dilate(thick, np.ones((3, 3), np.uint8)), np.uint8)
    rules = np.zeros_like(pixels)
    rules[part] = cv2.dilate(_bare(thin, pixels[part]), np.ones((3, 1), np.uint8))
    return rules


def _transposed(pixels: np.ndarray) -> np.ndarray:
    """Contiguous; OpenCV takes a tenth of numpy's time."""
    return np.asarray(cv2.transpose(pixels), np.uint8)


def _bare(thin: np.ndarray, pixels: np.ndarray) -> np.ndarray:
    """The runs at which no row of letters hangs: bold letters that touch make runs, too."""
    runs = InkRuns.of(thin)
    edge, beyond = (np.asarray(cv2.dilate(thin, np.ones((rows, 1), np.uint8)), np.uint8) for rows in (3, 5))
    hanging = cv2.dilate(pixels & beyond & ~edge, np.ones((2 * MAX_RULE_STROKE + 3, 1), np.uint8)) & thin
    pieces = runs.pieces(thin.shape[1])
    crossed = pieces[np.searchsorted(runs.starts, np.flatnonzero(hanging), side="right") - 1]
    share = np.bincount(crossed, minlength=len(pieces)) / np.maximum(
        np.bincount(pieces, runs.ends - runs.starts, len(pieces)), 1
    )
    left, right = np.full(len(pieces), thin.shape[1]), np.zeros(len(pieces), int)
    np.minimum.at(left, pieces, runs.starts % thin.shape[1])
    np.maximum.at(right, pieces, runs.ends % thin.shape[1])
    keep = ((share < MAX_CROSSED_SHARE) | (right - left > MIN_RULE_PIXELS))[pieces]
    return InkRuns(runs.starts[keep], runs.ends[keep]).drawn(thin.shape)
