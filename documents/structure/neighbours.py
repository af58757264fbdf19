"""Which lines of a page may touch: looked up in squares of the page, so that many lines are not compared with all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from documents.inspection import TextLine

SIDE = 12.0  # points of a square
FAR = 200.0  # points from a mark in the margin to its line
MARK = 3  # letters of a mark in the margin, at most
MOST = 400  # squares by which a line is looked for to its right and below: a page has about a hundred


class Neighbours:
    """All lines stay where they are; two are neighbours if their boxes, each widened by its type, share a square."""

    def __init__(self, lines: Sequence[TextLine]) -> None:
        self._lines = tuple(lines)
        self._places = {id(line): k for k, line in enumerate(self._lines)}
        reaches = np.array([_reach(line) for line in self._lines], float).reshape(-1, 4)
        squares = np.floor_divide(reaches, SIDE).clip(-MOST * MOST, MOST * MOST)
        self._left, self._top = squares[:, 0], squares[:, 1]
        self._right, self._bottom = np.minimum(squares[:, 2:], squares[:, :2] + MOST).T

    def of(self, line: TextLine) -> list[TextLine]:
        """The lines near one that was given at the start, itself left out, each once."""
        k = self._places[id(line)]
        near = (self._left <= self._right[k]) & (self._right >= self._left[k])
        near &= (self._top <= self._bottom[k]) & (self._bottom >= self._top[k])
        return [other for j in np.flatnonzero(near).tolist() if (other := self._lines[j]) is not line]


def _reach(line: TextLine) -> tuple[float, float, float, float]:
    box, room = line.box, line.font_size
    right = FAR if len(line.text) <= MARK and not any(map(str.isalpha, line.text)) else room
    return box.x0 - room, box.y0 - room, box.x1 + right, box.y1 + room
