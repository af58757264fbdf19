"""Removes level edges between filled boxes of one colour: they are not seen, so they are no rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pymupdf

PIXELS_PER_POINT = 2.0
MAX_SIDE_PIXELS = 2000  # larger pages are painted at a smaller scale
MIN_EDGE_LENGTH = 3.0  # points
COLOURS = 64  # shades of red, green and blue that are told apart

_Path = dict[str, Any]
_Edges = tuple[float, float, float, float]


def with_seen_edges(page: pymupdf.Page, shades: Sequence[_Path], paths: Sequence[_Path]) -> Iterator[_Path]:
    """`shades`, which fill boxes, with edges in place of these: all upright ones, and the level ones that are seen.

    A program shades lines, cells and paragraphs one by one: level edges between equal shades are no rules. `paths` are
    all of the page, which is painted with their boxes in the order in which they are drawn.
    """
    painting = _Painting(page, paths)
    for path in shades:
        edges = [edge for item in path["items"] for edge in painting.edges(_upright(item[1]))]
        yield {**path, "items": [("l", (x0, y0), (x1, y1)) for x0, y0, x1, y1 in edges], "closePath": False}


class _Painting:
    """The page as it is seen with its filled boxes, on white."""

    def __init__(self, page: pymupdf.Page, paths: Sequence[_Path]) -> None:
        self._along = 1 if page.rotation % 180 else 0  # the axis that is level where the page is seen
        sheet = page.rect * page.derotation_matrix
        self._start = sheet.x0, sheet.y0
        self._scale = min(PIXELS_PER_POINT, MAX_SIDE_PIXELS / max(1.0, sheet.width, sheet.height))
        sides = [int(side * self._scale) + 1 for side in (sheet.width, sheet.height)]
        self._colours = np.full((sides[1 - self._along], sides[self._along]), _number((1.0, 1.0, 1.0)), np.int32)
        for path in paths:
            if path.get("fill") is None or "f" not in path["type"] or not path.get("fill_opacity", 1.0):
                continue
            for item in path["items"]:
                if item[0] == "re":
                    left, right, top, bottom = self._pixels(_upright(item[1]))
                    self._colours[top:bottom, left:right] = _number(path["fill"])

    def edges(self, box: _Edges) -> Iterator[_Edges]:
        """The upright edges of a box, and the stretches of its level ones that are seen."""
        left, right, top, bottom = self._pixels(box)
        low, near, high, far = (box[(k + self._along) % 2 + k // 2 * 2] for k in range(4))
        for at, level in ((top, near), (bottom, far)):
            for first, end in self._stretches(left, right, at):
                yield self._turned(
                    max(low, low + first / self._scale), level, min(high, low + end / self._scale), level
                )
        yield self._turned(low, near, low, far)
        yield self._turned(high, near, high, far)

    def _turned(self, x0: float, y0: float, x1: float, y1: float) -> _Edges:
        return (y0, x0, y1, x1) if self._along else (x0, y0, x1, y1)

    def _pixels(self, box: _Edges) -> tuple[int, int, int, int]:
        """Left, right, top and bottom as it is seen, but for turns by half."""
        along, across = self._along, 1 - self._along
        most = {along: self._colours.shape[1], across: self._colours.shape[0]}
        left, right, top, bottom = (
            min(max(0, round((box[axis + end] - self._start[axis]) * self._scale)), most[axis])
            for axis in (along, across)
            for end in (0, 2)
        )
        return left, right, top, bottom

    def _stretches(self, left: int, right: int, at: int) -> Iterator[tuple[int, int]]:
        """Runs of pixels, counted from `left`, whose colour differs from the one above."""
        if 0 < at < len(self._colours):
            differ = self._colours[at - 1, left:right] != self._colours[at, left:right]
        else:
            differ = np.ones(right - left, bool)
        steps = np.flatnonzero(np.diff(differ, prepend=False, append=False))
        for first, end in steps.reshape(-1, 2).tolist():
            if end - first >= MIN_EDGE_LENGTH * self._scale:
                yield first, end


def _number(colour: Sequence[float]) -> int:
    number = 0
    for part in colour:
        number = number * COLOURS + round(part * (COLOURS - 1))
    return number


def _upright(rect: _Edges) -> _Edges:
    x0, y0, x1, y1 = rect
    return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)
