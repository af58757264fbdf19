"""Finds boxes by height on the page quickly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import groupby, islice
from statistics import median

from documents.boxes import BoundingBox

MOST_STEPS = 64  # of a step's height that one box is listed under; a higher one is listed apart
SMALLEST_STEP = 0.25  # points


class VerticalIndex:
    """Boxes keep their numbers, which count from 0 in the order in which they came."""

    def __init__(self, boxes: Sequence[BoundingBox] = (), *, step: float | None = None) -> None:
        usual = median(box.height for box in boxes) if boxes else 0.0
        self._step = max(SMALLEST_STEP, usual if step is None else step)
        self._boxes: list[BoundingBox] = []
        self._rows: dict[int, list[int]] = {}
        self._high: list[int] = []  # boxes of many steps
        for box in boxes:
            self.add(box)

    def add(self, box: BoundingBox) -> int:
        """The number of the box, which is found from now on."""
        number = len(self._boxes)
        self._boxes.append(box)
        first, last = self._row(box.y0), self._row(box.y1)
        if last - first > MOST_STEPS:
            self._high.append(number)
        else:
            for row in range(first, last + 1):
                self._rows.setdefault(row, []).append(number)
        return number

    def crossing(self, top: float, bottom: float, most: int | None = None) -> Iterator[int]:
        """Numbers of the boxes that reach into [top, bottom], ascending; `most`: of no more than so many."""
        first, last = self._row(top), self._row(bottom)
        if last - first > MOST_STEPS:
            numbers = range(len(self._boxes))
            return islice((n for n in numbers if self._reaches(n, top, bottom)), most)
        listed = merge(self._high, *(self._rows.get(row, ()) for row in range(first, last + 1)))
        return islice((n for n, _ in groupby(listed) if self._reaches(n, top, bottom)), most)

    def _reaches(self, number: int, top: float, bottom: float) -> bool:
        box = self._boxes[number]
        return box.y0 <= bottom and box.y1 >= top

    def _row(self, y: float) -> int:
        return int(max(-1e9, min(1e9, y / self._step)) // 1)
