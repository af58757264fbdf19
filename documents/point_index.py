"""Looks up boxes by a point inside them, so that many points are not compared with all boxes."""

from __future__ import annotations

from collections.abc import Iterable
from math import frexp

from documents.boxes import BoundingBox

SMALLEST_STEP = -2  # a power of two, points

_Steps = tuple[float, float]


class PointIndex:
    """Boxes of like size share a lattice whose steps are no smaller: each box is listed in four places at most."""

    def __init__(self, boxes: Iterable[BoundingBox] = ()) -> None:
        self._boxes: list[BoundingBox] = []
        self._lattices: dict[_Steps, dict[tuple[float, float], list[int]]] = {}
        for box in boxes:
            self.add(box)

    def add(self, box: BoundingBox) -> int:
        """The number of the box, which is found from now on."""
        number = len(self._boxes)
        self._boxes.append(box)
        wide, high = steps = _step(box.width), _step(box.height)
        lattice = self._lattices.setdefault(steps, {})
        for column in {box.x0 // wide, box.x1 // wide}:
            for row in {box.y0 // high, box.y1 // high}:
                lattice.setdefault((column, row), []).append(number)
        return number

    def holding(self, x: float, y: float) -> list[int]:
        """Numbers of the boxes that hold the point, ascending; they count from 0."""
        return sorted(
            number
            for (wide, high), lattice in self._lattices.items()
            for number in lattice.get((x // wide, y // high), ())
            if self._boxes[number].contains(x, y)
        )


def _step(length: float) -> float:
    """The power of two above a length."""
    return 2.0 ** max(SMALLEST_STEP, frexp(length)[1])
