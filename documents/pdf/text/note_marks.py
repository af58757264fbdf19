"""Puts raised and lowered signs that MuPDF gives as lines of their own on the line that they touch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from documents.pdf.text.line_words import MAX_SCRIPT_SIZE, MIN_SCRIPT_RISE

MAX_MARK_CHARACTERS = 4  # maximum length of a mark
MAX_MARKS = 500  # maximum number of marks per page: each is compared with all lines
MAX_GAP = 0.3  # sizes of the line's type, between the mark and the line
MAX_RISE = 0.7  # of that size: what stands further off the baseline is of another printed row
ROW_TOLERANCE = 0.05  # maximum difference of baselines and sizes in one printed row, in sizes of the mark
SYMBOLS = frozenset("*†‡§¶")  # are marks in any size, where they touch the line
SYMBOL_GAP = 0.12  # maximum gap between a symbol and the line, in sizes of the line's type

_Line = dict[str, Any]  # as MuPDF's rawdict has it


def with_note_marks(lines: Sequence[_Line]) -> list[_Line]:
    """The lines in their order; a mark at the beginning or end of another line is a span of that one."""
    short = [
        k
        for k, line in enumerate(lines)
        if 0 < sum(len(span["chars"]) for span in line["spans"]) <= MAX_MARK_CHARACTERS
    ]
    if not short:
        return list(lines)
    places = _Places(lines)
    marks = [k for k in short if _is_symbol(lines[k]) or places.size[k] <= MAX_SCRIPT_SIZE * places.size.max()]
    is_longer = np.ones(len(lines), bool)
    is_longer[short] = False
    for k in sorted(marks[:MAX_MARKS], key=lambda k: float(places.begin[k])):
        if not places.is_beside(k, is_longer):
            places.attach(k)
    return [line for line, taken in zip(places.lines, places.taken.tolist(), strict=True) if not taken]


class _Places:
    """Where lines begin and end along their own direction, how far down their baselines are, and their types' sizes."""

    def __init__(self, lines: Sequence[_Line]) -> None:
        self.lines = [dict(line) for line in lines]
        self.taken = np.zeros(len(lines), bool)
        self.size = np.array([max([span["size"] for span in line["spans"]], default=0.0) for line in lines])
        self._along = np.array([line["dir"] for line in lines], float)
        corners = np.array([line["bbox"] for line in lines], float)
        across, down = corners[:, 0::2] * self._along[:, :1], corners[:, 1::2] * self._along[:, 1:]
        self.begin = across.min(1) + down.min(1)
        self._end = across.max(1) + down.max(1)
        origins = np.array([_main_origin(line) for line in lines])
        self._down = origins[:, 1] * self._along[:, 0] - origins[:, 0] * self._along[:, 1]

    def is_beside(self, k: int, others: np.ndarray) -> bool:
        """Whether one of the others stands on the baseline of line `k` in type of its size: both are cells of a row."""
        tolerance = ROW_TOLERANCE * self.size[k]
        level = np.abs(self._down - self._down[k]) <= tolerance
        alike = np.abs(self.size - self.size[k]) <= tolerance
        return bool((others & level & alike & (np.abs(self._along - self._along[k]).max(1) < 0.01)).any())

    def attach(self, k: int) -> None:
        """Make line `k` a part of the nearest line that it is a mark of, if there is one."""
        size = np.maximum(self.size, 0.1)
        after, before = (self.begin[k] - self._end) / size, (self.begin - self._end[k]) / size
        gap = np.minimum(np.abs(after), np.abs(before))
        off = np.abs(self._down - self._down[k]) / size
        fits = (
            (self.size[k] <= MAX_SCRIPT_SIZE * self.size)
            & (off > MIN_SCRIPT_RISE)
            & (off <= MAX_RISE)
            & (gap <= MAX_GAP)
        )
        if _is_symbol(self.lines[k]):
            fits |= (self.size[k] <= self.size) & (off <= MAX_RISE) & (gap <= SYMBOL_GAP)
        fits &= ~self.taken & (np.abs(self._along - self._along[k]).max(1) < 0.01)
        fits[k] = False
        if not fits.any():
            return
        host = int(np.where(fits, gap, np.inf).argmin())
        mark, line = self.lines[k], self.lines[host]
        parts = (line, mark) if abs(after[host]) <= abs(before[host]) else (mark, line)
        line["spans"] = [span for part in parts for span in part["spans"]]
        self.begin[host], self._end[host] = min(self.begin[[k, host]]), max(self._end[[k, host]])
        edges = list(zip(mark["bbox"], line["bbox"], strict=True))
        line["bbox"] = (*map(min, edges[:2]), *map(max, edges[2:]))
        self.taken[k] = True


def _is_symbol(line: _Line) -> bool:
    return all(char["c"] in SYMBOLS for span in line["spans"] for char in span["chars"])


def _main_origin(line: _Line) -> tuple[float, float]:
    """Where the first sign of the line's main type stands; a line without any stands at its corner."""
    spans = [span for span in line["spans"] if span["chars"]]
    if not spans:
        return line["bbox"][0], line["bbox"][3]
    return max(spans, key=lambda span: len(span["chars"]) * span["size"] ** 2)["chars"][0]["origin"]
