"""Cuts the picture of a region into the squares that a small OCR model reads: a strip a line, folded into rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from PIL import Image

from documents.ocr_input.folding import HEIGHT, MARGIN, fold, levels, parts, square
from documents.values import BoundingBox

FAR = 2.5  # heights of a line: a wider gap is none between words
RULE = 0.6  # of a region's width or height that a rule covers at least
THICKEST = 6  # pixels of a rule
CLOSEST, FARTHEST = 1.4, 4.0  # heights of a letter from line to line, where lines touch
MANY = 2.6  # heights of a letter: less is one line
ALIKE = 0.35  # of a run's variance, that it repeats from line to line
INK = 140  # levelled grey below which a pixel is ink


@dataclass(frozen=True, slots=True)
class Strip:
    """One printed line; the texts of its squares, joined by a blank, are its text."""

    box: BoundingBox  # pixels of the picture
    squares: tuple[np.ndarray, ...]  # uint8 (256, 256, 3), from the left
    gaps: tuple[tuple[int, int], ...] = ()  # x where columns without ink begin and end, between its letters

    def words(self, text: str) -> tuple[BoundingBox, ...]:
        """The boxes of the parts between blanks of its text: its widest gaps are the blanks. None if it has too few."""
        wanted = len(text.split()) - 1
        if wanted < 0 or wanted > len(self.gaps):
            return ()
        blanks = sorted(sorted(self.gaps, key=lambda gap: (gap[0] - gap[1], gap))[:wanted])
        starts = [self.box.x0, *(end for _, end in blanks)]
        ends = [*(start for start, _ in blanks), self.box.x1]
        return tuple(
            BoundingBox(x0=x0, y0=self.box.y0, x1=x1, y1=self.box.y1) for x0, x1 in zip(starts, ends, strict=True)
        )


def cut(picture: np.ndarray) -> list[Strip]:
    """The lines of a region, uint8 (height, width, 3) or (height, width), from the top."""
    from documents.ocr_input.drop_capital import drop_capital  # they load OpenCV, which only who cuts needs
    from documents.ocr_input.slope import levelled

    if picture.shape[0] < 2 or picture.shape[1] < 2:
        return []
    sheet = levels(_grey(picture))
    level = levelled(sheet, sheet < INK)
    grey = without_rules(level.grey)
    if capital := drop_capital(grey, grey < INK):
        grey = capital.rest
    found: list[Strip] = []
    for x0, y0, x1, y1 in line_boxes(grey):
        pad = max(1, round(MARGIN * (y1 - y0)))
        left, right = max(0, x0 - pad), min(grey.shape[1], x1 + pad)
        line, box = grey[y0:y1, left:right], level.box_before(x0, y0, x1, y1)
        if capital and x0 >= capital.corners[2] - pad and y1 > capital.corners[1]:  # the first line beside it
            line, box = capital.before(line), box.union(level.box_before(*capital.corners))
            capital = None
        strip = np.pad(line, ((pad, pad), (0, 0)), constant_values=255)
        squares = tuple(square(fold(part)) for part in parts(strip))
        found.append(Strip(box=box, squares=squares, gaps=_gaps(grey[y0:y1, x0:x1], x0)))
    return found


def without_rules(grey: np.ndarray) -> np.ndarray:
    """A levelled region without the rules of a table, which would join its rows into one line; others as they are."""
    ink = grey < INK
    across = _thin_runs(ink.mean(axis=1) >= RULE)
    if len(across) < 2 or grey.shape[0] < 3 * HEIGHT:
        return grey
    cleared = grey.copy()
    for top, end in across:
        cleared[max(0, top - 1) : end + 1] = 255
    for left, end in _thin_runs(ink.mean(axis=0) >= RULE):
        cleared[:, max(0, left - 1) : end + 1] = 255
    return cleared


def line_boxes(grey: np.ndarray) -> list[tuple[int, int, int, int]]:
    """x0, y0, x1, y1 of each line's ink in a levelled region, by the horizontal projection profile.

    What stands far apart in one line, like the cells of a table, makes boxes of its own.
    """
    ink = grey < INK
    on = np.concatenate(([False], ink.any(axis=1), [False]))
    runs = [(int(top), int(end)) for top, end in np.flatnonzero(on[1:] != on[:-1]).reshape(-1, 2)]
    usual = float(np.median([end - top for top, end in runs if end - top >= 5] or [1]))
    lines: list[tuple[int, int]] = []
    for top, end in runs:  # a dot, an accent or a rule belongs to the line that it nearly touches
        if lines and top - lines[-1][1] <= usual / 4 and min(end - top, lines[-1][1] - lines[-1][0]) < 0.4 * usual:
            lines[-1] = (lines[-1][0], end)
        else:
            lines.append((top, end))
    boxes: list[tuple[int, int, int, int]] = []
    letter = _letter_height(ink) if len(lines) and max(end - top for top, end in lines) > HEIGHT else 0.0
    for top, end in (part for line in lines for part in _unstuck(ink.sum(axis=1), *line, usual, letter)):
        columns = np.flatnonzero(ink[top:end].any(axis=0))
        wide = np.flatnonzero(np.diff(columns) > FAR * max(usual, end - top)) + 1
        parts_of_line = [part for part in np.split(columns, wide) if len(part)]
        boxes.extend((int(part[0]), top, int(part[-1]) + 1, end) for part in parts_of_line)
    return boxes


def _thin_runs(full: np.ndarray) -> list[tuple[int, int]]:
    """Where a rule starts and ends, as a pair of indices; thicker bars are none."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], full, [False])).astype(np.int8)))
    return [(int(start), int(end)) for start, end in edges.reshape(-1, 2) if end - start <= THICKEST]


def _gaps(line: np.ndarray, x: int) -> tuple[tuple[int, int], ...]:
    empty = np.concatenate(([False], ~(line < INK).any(axis=0), [False]))
    edges = np.flatnonzero(empty[1:] != empty[:-1]).reshape(-1, 2)
    return tuple((int(start) + x, int(end) + x) for start, end in edges if start > 0 and end < line.shape[1])


def _grey(picture: np.ndarray) -> np.ndarray:
    return picture if picture.ndim == 2 else np.asarray(Image.fromarray(np.ascontiguousarray(picture)).convert("L"))


def _letter_height(ink: np.ndarray) -> float:
    """The usual height of a letter in pixels, by what hangs together; dots and accents apart."""
    import cv2

    _, _, stats, _ = cv2.connectedComponentsWithStats(ink.astype(np.uint8), connectivity=8)
    heights = stats[1:, cv2.CC_STAT_HEIGHT]
    return float(np.median(heights[heights >= 0.35 * np.percentile(heights, 90)])) if len(heights) else 0.0


def _pitch(profile: np.ndarray, letter: float) -> float | None:
    """Rows from line to line in a run of rows, if it repeats itself as lines of such letters do."""
    lags = range(math.ceil(CLOSEST * letter), min(int(0.67 * len(profile)), int(FARTHEST * letter)) + 1)
    if not letter or len(profile) < MANY * letter or not lags:
        return None
    wave = profile - profile.mean()
    alike = [float((wave[:-lag] * wave[lag:]).mean()) for lag in lags]
    best = int(np.argmax(alike))
    return lags[best] if alike[best] >= ALIKE * float((wave**2).mean()) else None


def _unstuck(profile: np.ndarray, top: int, end: int, usual: float, letter: float) -> Iterator[tuple[int, int]]:
    """Split a run of lines that touch, at the emptiest row near each border to be expected."""
    count = round((end - top) / usual) if end - top > 1.7 * usual else 1
    if (lag := _pitch(profile[top:end], letter)) is not None:
        count = max(1, round((end - top - min(lag, 1.9 * letter)) / lag) + 1)
    pitch, borders = (end - top) / count, [top]
    for k in range(1, count):
        low = round(top + (k - 0.3) * pitch)
        high = max(low + 1, round(top + (k + 0.3) * pitch))
        borders.append(low + int(np.argmin(profile[low:high])))
    yield from zip(borders, [*borders[1:], end], strict=True)
