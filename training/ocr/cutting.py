"""A drawn line as the server would cut it out of a page: its ink alone on white, without rules, at the usual size."""

from __future__ import annotations

import cv2
import numpy as np

from documents.ocr_input.strip_folding import MARGIN
from documents.ocr_input.text_ink import text_ink

USUAL = 30  # pixels of an em: a smaller line is enlarged first, as pictures of small print are
EDGE = 4  # pixels around ink that are its grey edge
AROUND = 24  # pixels of paper about the line, so that its margins are no rules
DARKEST = 2  # percent of the ink that is black
FAINT_PAPER = 250  # what is lighter is paper
LEAST_KEPT = 0.7  # of the columns of its ink, that must still be there
SPECK = 0.0015  # of the square of an em: smaller ink is not looked at when the line's edges are found
WHITE = 255


def as_cut(line: np.ndarray, size: int, clean: np.ndarray) -> tuple[np.ndarray, float, float] | None:
    """The line (uint8) of `size` pixels per em, its left column and its scale; None if too little of it would be left.

    `clean`, bool of the same shape, is where its ink was before it was worn.
    """
    zoom = max(1.0, USUAL / size)
    if zoom > 1.0:
        wide, high = round(line.shape[1] * zoom), round(line.shape[0] * zoom)
        line = cv2.resize(line, (wide, high), interpolation=cv2.INTER_CUBIC)
    around = np.pad(line, AROUND, constant_values=int(np.median(line)))
    of_text = text_ink(around)
    even, ink = (part[AROUND:-AROUND, AROUND:-AROUND] for part in (of_text.even, of_text.ink))
    ink = _without_specks(ink, SPECK * (size * zoom) ** 2)
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if not len(rows) or not _is_kept(ink, clean):
        return None
    near = cv2.dilate(ink.astype(np.uint8), np.ones((2 * EDGE + 1, 2 * EDGE + 1), np.uint8)).astype(bool)
    darkest = float(np.percentile(even[ink], DARKEST))
    grey = (np.where(near, even, WHITE).astype(np.float32) - darkest) / max(1.0, FAINT_PAPER - darkest)
    grey = (WHITE * np.clip(grey, 0.0, 1.0)).astype(np.uint8)
    y0, y1, x0, x1 = int(rows[0]), int(rows[-1]) + 1, int(columns[0]), int(columns[-1]) + 1
    pad = max(1, round(MARGIN * (y1 - y0)))
    return np.pad(grey[y0:y1, x0:x1], pad, constant_values=WHITE), x0 - pad, zoom


def _without_specks(ink: np.ndarray, least: float) -> np.ndarray:
    """Ink, bool, but for what is smaller than `least` pixels."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(ink.astype(np.uint8), connectivity=8)
    keep = np.asarray(stats)[:, cv2.CC_STAT_AREA] >= least
    keep[0] = False
    return keep[np.asarray(labels, np.int32)]


def _is_kept(ink: np.ndarray, clean: np.ndarray) -> bool:
    """Whether most columns of the line still hold ink."""
    worn = ink.any(axis=0)
    size = (ink.shape[1], 1)
    columns = np.asarray(clean.any(axis=0, keepdims=True), np.uint8)
    before = np.asarray(cv2.resize(columns, size, interpolation=cv2.INTER_NEAREST)).ravel() > 0
    return bool(before.any()) and int((worn & before).sum()) >= LEAST_KEPT * int(before.sum())
