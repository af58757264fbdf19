"""Finds a drop capital (initial as tall as several lines) and joins it to its first line."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np

from documents.ocr_input.text_ink import TextInk

MIN_CAPITAL_LINES = 1.7  # minimum height of a drop capital, in line heights
MAX_CAPITAL_WIDTH = 0.3  # maximum width of a drop capital, as a share of the crop's width
MIN_ASPECT = 0.25  # minimum width per height: a bracket or a rule is narrower
MAX_ASPECT = 1.6  # maximum width per height
MIN_TEXT_WIDTHS = 2  # minimum width of the lines beside it, in widths of the drop capital
MAX_START_OFFSET = 0.6  # maximum offset between the tops of the drop capital and of the first line, in line heights
CAPITAL_HEIGHT = 0.77  # height of a capital, as a share of the height of a line with ascenders and descenders
CAPITAL_GAP = 0.12  # gap between the drop capital and the rest of its word, in line heights
MIN_LINE_PIXELS = 6  # a component of less height is no line
WHITE_LEVEL = 255


class DropCapital(NamedTuple):
    """The crop without the capital, its picture, and where it stood."""

    rest: np.ndarray
    picture: np.ndarray
    corners: tuple[int, int, int, int]  # x0, y0, x1, y1 in pixels of the crop

    def before(self, line: np.ndarray) -> np.ndarray:
        """The picture of its line, of levelled ink, with the capital before it, as tall as a capital of the line."""
        height = line.shape[0]
        high = max(2, round(CAPITAL_HEIGHT * height))
        wide = max(2, round(self.picture.shape[1] * high / self.picture.shape[0]))
        small = cv2.resize(self.picture, (wide, high), interpolation=cv2.INTER_AREA)
        gap = max(1, round(CAPITAL_GAP * height))
        canvas = np.full((height, wide + gap), WHITE_LEVEL, np.uint8)
        canvas[:high, :wide] = small
        return np.concatenate((canvas, line), axis=1)


def drop_capital(text_ink: TextInk) -> DropCapital | None:
    """The capital of a crop; None if it has none."""
    grey, ink = text_ink.even, text_ink.ink
    width = ink.shape[1]
    columns = np.flatnonzero(ink.any(axis=0))
    if not len(columns):
        return None
    labels, stats = text_ink.components
    x, wide, high = (stats[:, k] for k in (cv2.CC_STAT_LEFT, cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT))
    fits = (
        (x <= columns[0] + 0.2 * wide)
        & (wide <= MAX_CAPITAL_WIDTH * width)
        & (wide >= MIN_ASPECT * high)
        & (wide <= MAX_ASPECT * high)
    )
    fits &= width - x - wide >= MIN_TEXT_WIDTHS * wide
    fits &= high >= MIN_CAPITAL_LINES * np.median(high[1:])
    fits[0] = False
    for number in np.flatnonzero(fits).tolist():
        x0, y0, x1, y1 = _corners(stats[number])
        beside = _lines(ink[:, x1:])
        beside = beside[(beside[:, 1] > y0) & (beside[:, 0] < y1)]
        usual = float(np.median(beside[:, 1] - beside[:, 0])) if len(beside) >= 2 else np.inf
        if y1 - y0 < MIN_CAPITAL_LINES * usual or abs(beside[0, 0] - y0) > MAX_START_OFFSET * usual:
            continue
        part = np.s_[y0:y1, x0:x1]
        of_it = _grown(labels[part] == number)
        rest, picture = grey.copy(), np.where(of_it, grey[part], np.uint8(WHITE_LEVEL))
        rest[part][of_it] = WHITE_LEVEL
        return DropCapital(rest, picture, (x0, y0, x1, y1))
    return None


def _grown(shape: np.ndarray) -> np.ndarray:
    """A pixel more all round: the edge of a letter is grey."""
    return cv2.dilate(shape.astype(np.uint8), np.ones((3, 3), np.uint8)).astype(bool)


def _corners(stats: np.ndarray) -> tuple[int, int, int, int]:
    x, y, wide, high = (int(value) for value in stats[:4])
    return x, y, x + wide, y + high


def _lines(ink: np.ndarray) -> np.ndarray:
    """Where lines begin and end, (n, 2): runs of rows with ink that are no specks."""
    on = np.concatenate(([False], ink.any(axis=1), [False]))
    edges = np.flatnonzero(on[1:] != on[:-1]).reshape(-1, 2)
    return edges[edges[:, 1] - edges[:, 0] >= MIN_LINE_PIXELS]
