"""Finds the widest gap between the columns of boxes while boxes are added one by one."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import NamedTuple, Protocol


class _Box(Protocol):
    """In points."""

    @property
    def x0(self) -> float: ...
    @property
    def y0(self) -> float: ...
    @property
    def x1(self) -> float: ...
    @property
    def y1(self) -> float: ...
    @property
    def height(self) -> float: ...


class Gap(NamedTuple):
    """From `low` to `high`, which no box covers."""

    low: float
    high: float

    @property
    def width(self) -> float:
        return self.high - self.low


@dataclass(slots=True)
class _Side:
    """How far boxes reach down a page, and how high they are together."""

    top: float = math.inf
    bottom: float = -math.inf
    height: float = 0.0

    def add(self, top: float, bottom: float, height: float) -> None:
        self.top = min(self.top, top)
        self.bottom = max(self.bottom, bottom)
        self.height += height


class Sides(NamedTuple):
    """What stands left and right of a gap."""

    left: _Side
    right: _Side

    def shared_height(self) -> float:
        """Along which both stand beside each other; 0 if that is less than half of either."""
        height = min(self.left.bottom, self.right.bottom) - max(self.left.top, self.right.top)
        shorter = min(self.left.bottom - self.left.top, self.right.bottom - self.right.top)
        return height if height >= 0.5 * shorter else 0.0

    def are_full(self, height: float) -> bool:
        """Whether on either side boxes fill more than half of a height."""
        return self.left.height > 0.5 * height and self.right.height > 0.5 * height


class GrowingColumns:
    """Columns never overlap and stand from the left; a box costs the logarithm of their number, not of the boxes'."""

    def __init__(self, touch: float) -> None:
        self._touch = touch  # points by which each box is shortened at both ends, a tiny one to its middle
        self._lows: list[float] = []
        self._highs: list[float] = []
        self._columns: list[_Side] = []
        self._gaps: list[tuple[float, float, Gap]] = []  # a heap, the widest first; some are closed by now
        self._cut: tuple[Gap, Sides] | None = None

    def add(self, box: _Box) -> None:
        by = min(self._touch, (box.x1 - box.x0) / 2)
        high = box.x1 - by
        low = min(box.x0 + by, high)
        first, end = bisect_left(self._highs, low), bisect_right(self._lows, high)
        column = self._columns[first] if first < end else _Side()
        column.add(box.y0, box.y1, box.height)
        if self._cut is not None:
            gap, sides = self._cut
            (sides.left if high <= gap.low else sides.right).add(box.y0, box.y1, box.height)
        if end == first + 1 and self._lows[first] <= low and high <= self._highs[first]:
            return
        for other in self._columns[first + 1 : end]:
            column.add(other.top, other.bottom, other.height)
        if first < end:
            low, high = min(low, self._lows[first]), max(high, self._highs[end - 1])
        self._lows[first:end] = [low]
        self._highs[first:end] = [high]
        self._columns[first:end] = [column]
        for k in range(max(1, first), min(first + 2, len(self._lows))):
            gap = Gap(self._highs[k - 1], self._lows[k])
            heappush(self._gaps, (-gap.width, (gap.low + gap.high) / 2, gap))

    def widest(self) -> Gap | None:
        """Of gaps that are as wide, the one on the left; None if one column holds all."""
        while self._gaps and not self._is_open(self._gaps[0][2]):
            heappop(self._gaps)
        return self._gaps[0][2] if self._gaps else None

    def _is_open(self, gap: Gap) -> bool:
        k = bisect_left(self._lows, gap.high)
        return 0 < k < len(self._lows) and self._lows[k] == gap.high and self._highs[k - 1] == gap.low

    def sides(self, gap: Gap) -> Sides:
        """Of a gap that is open."""
        if self._cut is None or self._cut[0] != gap:
            sides = Sides(_Side(), _Side())
            for k, column in enumerate(self._columns):
                (sides.left if self._highs[k] <= gap.low else sides.right).add(column.top, column.bottom, column.height)
            self._cut = gap, sides
        return self._cut[1]
