"""Looks up the boxes of a page by where they stand, so that many are not compared with all of them in Python."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from documents.boxes import BoundingBox


class PageIndex:
    """Boxes have numbers, which count from 0 in the order in which they came; all answers are ascending.

    Each question looks at all boxes at once, so that its cost is the same wherever they stand: some 20
    microseconds for 20,000.
    """

    def __init__(self, boxes: Iterable[BoundingBox] = ()) -> None:
        edges = [(box.x0, box.y0, box.x1, box.y1) for box in boxes]
        self._num_boxes = len(edges)
        self._edges = np.ascontiguousarray(np.array(edges, float).reshape(-1, 4).T)  # (4, at least the boxes)

    def add(self, box: BoundingBox) -> int:
        """The number of the box, which is found from now on."""
        number = self._num_boxes
        if number == self._edges.shape[1]:
            larger = np.empty((4, 2 * number + 8))
            larger[:, :number] = self._edges
            self._edges = larger
        self._edges[:, number] = box.x0, box.y0, box.x1, box.y1
        self._num_boxes += 1
        return number

    def holding(self, x: float, y: float) -> list[int]:
        """The boxes that hold a point."""
        x0, y0, x1, y1 = self._edges[:, : self._num_boxes]
        return np.flatnonzero((y0 <= y) & (y1 >= y) & (x0 <= x) & (x1 >= x)).tolist()

    def level_with(self, top: float, bottom: float, most: int | None = None) -> list[int]:
        """The boxes that reach into the height from `top` to `bottom`, the first `most` of them."""
        _, y0, _, y1 = self._edges[:, : self._num_boxes]
        return np.flatnonzero((y0 <= bottom) & (y1 >= top))[:most].tolist()

    def meeting(self, box: BoundingBox, room: float | np.ndarray = 0.0) -> list[int]:
        """The boxes that touch one, or stand as near to it as `room`; it may differ from box to box."""
        x0, y0, x1, y1 = self._edges[:, : self._num_boxes]
        down = (y0 <= box.y1 + room) & (y1 >= box.y0 - room)
        return np.flatnonzero(down & (x0 <= box.x1 + room) & (x1 >= box.x0 - room)).tolist()

    def with_middle_in(self, box: BoundingBox) -> list[int]:
        """The boxes whose middle a box holds."""
        x0, y0, x1, y1 = self._edges[:, : self._num_boxes]
        x, y = x0 / 2 + x1 / 2, y0 / 2 + y1 / 2
        return np.flatnonzero((box.y0 <= y) & (y <= box.y1) & (box.x0 <= x) & (x <= box.x1)).tolist()
