"""Looks up which lines of a page may touch, by their height on the page, so that not all are compared with all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from documents.inspection import TextLine

STEP = 12.0  # points of height under which lines are listed together
FAR = 200.0  # points from a mark in the margin to its line
MARK = 3  # letters of a mark in the margin, at most
MOST_STEPS = 400  # by which a line is looked for below: a page has less than a hundred
MOST_LISTED = 512  # lines of one step that are looked at: the nearest in the file
MOST_NEAR = 64  # neighbours of a line: the nearest in the file, where hundreds lie over one another


class Neighbours:
    """All lines stay where they are; two are neighbours if their boxes, each widened by its type, meet."""

    def __init__(self, lines: Sequence[TextLine]) -> None:
        self._lines = tuple(lines)
        self._places = {id(line): k for k, line in enumerate(self._lines)}
        reaches = np.array([_reach(line) for line in self._lines], float).reshape(-1, 4)
        self._left, self._top, self._right, self._bottom = reaches.T
        steps = np.floor_divide(reaches[:, 1::2], STEP).clip(-(2.0**40), 2.0**40).astype(np.int64)
        self._first = steps.min(axis=1)  # a file may turn a box upside down
        self._last = np.minimum(steps.max(axis=1), self._first + MOST_STEPS)
        listed: dict[int, list[int]] = {}
        for k, (first, last) in enumerate(zip(self._first.tolist(), self._last.tolist(), strict=True)):
            for step in range(first, last + 1):
                listed.setdefault(step, []).append(k)
        self._listed = {step: np.array(numbers) for step, numbers in listed.items()}

    def of(self, line: TextLine) -> list[TextLine]:
        """The lines near one that was given at the start, itself left out, each once, in the order of the file."""
        k = self._places[id(line)]
        first, last = int(self._first[k]), int(self._last[k])
        most = max(8, MOST_LISTED // (last - first + 1))
        parts = [_around(self._listed[step], k, most) for step in range(first, last + 1)]
        numbers = parts[0] if len(parts) == 1 else _once(np.concatenate(parts))
        near = (self._left[numbers] <= self._right[k]) & (self._right[numbers] >= self._left[k])
        near &= (self._top[numbers] <= self._bottom[k]) & (self._bottom[numbers] >= self._top[k])
        neighbours = _around(numbers[near & (numbers != k)], k, MOST_NEAR // 2)
        return [self._lines[j] for j in neighbours.tolist()]


def _once(numbers: np.ndarray) -> np.ndarray:
    """Ascending, each once: for some hundreds many times as fast as np.unique."""
    numbers.sort()
    return numbers[np.diff(numbers, prepend=-1) > 0]


def _around(numbers: np.ndarray, k: int, most: int) -> np.ndarray:
    """Of ascending numbers, `most` before k and as many behind it."""
    if len(numbers) <= 2 * most:
        return numbers
    at = int(np.searchsorted(numbers, k))
    return numbers[max(0, at - most) : at + most]


def _reach(line: TextLine) -> tuple[float, float, float, float]:
    box, room = line.box, line.font_size
    right = FAR if len(line.text) <= MARK and not any(map(str.isalpha, line.text)) else room
    return box.x0 - room, box.y0 - room, box.x1 + right, box.y1 + room
