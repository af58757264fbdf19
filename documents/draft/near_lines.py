"""Looks up the lines of a page near a box, so that many boxes are not compared with every line in Python."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from documents.boxes import BoundingBox
from documents.inspection import TextLine


class NearLines:
    """The places of lines, in the order of the page."""

    def __init__(self, lines: Sequence[TextLine]) -> None:
        self._lines = lines
        edges = [(line.box.x0, line.box.y0, line.box.x1, line.box.y1) for line in lines]
        self._left, self._top, self._right, self._bottom = np.array(edges, float).reshape(-1, 4).T
        sizes = [max([line.font_size, *(word.font_size for word in line.words)]) for line in lines]
        self._sizes = np.array(sizes, float)

    def touching(self, box: BoundingBox, sizes: float = 0.0) -> list[TextLine]:
        """The lines that reach into a box, or stand as near to it as `sizes` of their type."""
        room = sizes * self._sizes
        across = (self._right >= box.x0 - room) & (self._left <= box.x1 + room)
        down = (self._bottom >= box.y0 - room) & (self._top <= box.y1 + room)
        return [self._lines[k] for k in np.flatnonzero(across & down).tolist()]

    def with_middle_in(self, box: BoundingBox) -> list[TextLine]:
        return [line for line in self.touching(box) if box.contains(*line.box.center)]
