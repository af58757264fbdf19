"""Looks up the lines of a page near a box, so that many boxes are not compared with every line in Python."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from documents.boxes import BoundingBox
from documents.inspection import TextLine
from documents.page_index import PageIndex


class NearLines:
    """The places of lines, in the order of the page."""

    def __init__(self, lines: Sequence[TextLine]) -> None:
        self._lines = lines
        self._index = PageIndex(line.box for line in lines)
        self._sizes = np.array([max([line.font_size, *(word.font_size for word in line.words)]) for line in lines])

    def touching(self, box: BoundingBox, sizes: float = 0.0) -> list[TextLine]:
        """The lines that reach into a box, or stand as near to it as `sizes` of their type."""
        return [self._lines[k] for k in self._index.meeting(box, sizes * self._sizes)]

    def with_middle_in(self, box: BoundingBox) -> list[TextLine]:
        return [self._lines[k] for k in self._index.with_middle_in(box)]
