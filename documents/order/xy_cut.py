"""Sorts boxes into reading order by recursive cuts along white space, whatever order they are listed in."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from documents.boxes import BoundingBox
from documents.order.column_gaps import GrowingColumns

MAX_OVERLAP = 1.5  # boxes that overlap by up to this many points may still be separated
MAX_EDGE_ERROR = 5.0  # maximum error of a column's edge, in points
MIN_GUTTER = 4.0  # minimum width of a gutter between columns, in points
MIN_NUMPY_SPANS = 64  # from this number of spans on, NumPy is faster
MAX_DEPTH = 200  # maximum depth of nested cuts; deeper boxes are read from the top
# maximum number of tests for bands that one gutter runs through: enough for a page of 600 bands
MAX_BAND_TESTS = 200_000


class _Box(NamedTuple):
    """A box with what is asked of it again and again."""

    x0: float
    y0: float
    x1: float
    y1: float
    height: float
    center: tuple[float, float]

    @classmethod
    def of(cls, box: BoundingBox) -> _Box:
        return cls(box.x0, box.y0, box.x1, box.y1, box.height, box.center)


class _Cut(NamedTuple):
    at: float
    width: float


def reading_order(boxes: Sequence[BoundingBox]) -> list[int]:
    """Indices of the boxes in reading order, by recursive XY-cut (after Nagy and Seth, 1984).

    Columns are parted at the widest gap and read from the left. Where a title spans them, the page is cut into
    rows first, and rows that one gutter runs through stay together; so do labels in the margin with the rows beside
    them.
    """
    placed = [_Box.of(box) for box in boxes]
    listed = sorted(range(len(placed)), key=lambda i: (placed[i].y0, placed[i].x0, placed[i].y1, placed[i].x1, i))
    return _ordered(listed, placed, 0)


def _ordered(items: list[int], boxes: Sequence[_Box], depth: int) -> list[int]:
    if len(items) < 2 or depth == MAX_DEPTH:
        return items
    parts = _parts(items, boxes)
    if len(parts) == 1:
        return items
    return [i for part in parts for i in _ordered(part, boxes, depth + 1)]


def _parts(items: list[int], boxes: Sequence[_Box]) -> list[list[int]]:
    """The pieces of a page from the first read to the last; one if nothing parts them."""
    gutters = _gutters(items, boxes)
    across = max(gutters, key=_by_width, default=None) or _rough_gutter(items, boxes)
    if len(gutters) > 1 and _is_one_row(items, boxes):
        return _bands(items, [boxes[i].center[0] for i in items], [gutter.at for gutter in gutters])
    for touch in (MAX_OVERLAP, 4 * MAX_OVERLAP, 12 * MAX_OVERLAP):
        gaps = _gaps([(boxes[i].y0, boxes[i].y1) for i in items], touch)
        if across is not None and (not gaps or _are_columns(items, boxes, across)):
            return list(_split(items, [boxes[i].center[0] for i in items], across.at))
        if gaps:
            bands = _bands(items, [boxes[i].center[1] for i in items], [gap.at for gap in gaps])
            runs = _runs(bands, boxes)
            return runs if len(runs) > 1 else bands
    return [items]


def _bands(items: list[int], middles: list[float], cuts: list[float]) -> list[list[int]]:
    """What lies between the cuts, from the top."""
    bands: list[list[int]] = [[] for _ in range(len(cuts) + 1)]
    for i, middle in zip(items, middles, strict=True):
        bands[bisect(cuts, middle)].append(i)
    return [band for band in bands if band]


def _runs(bands: list[list[int]], boxes: Sequence[_Box]) -> list[list[int]]:
    """Bands that one gutter runs through are made one, as below a title that spans the columns."""
    runs: list[list[int]] = []
    first, looks = 0, 0
    while first < len(bands):
        last = first
        rough = _rough_gutter(bands[first], boxes) is not None
        union = _Union(bands[first], boxes, rough=rough)
        for k in range(first + 1, min(len(bands), first + 1 + MAX_BAND_TESTS - looks)):
            looks += 1
            union.add(bands[k], boxes)
            height = union.height_of_columns()
            if height is None:
                break
            if height:
                last = k
        while last > first and last + 1 < len(bands) and _leads_on(bands[last - 1 : last + 2], boxes):
            last -= 1
        runs.append([i for band in bands[first : last + 1] for i in band])
        first = last + 1
    return runs


class _Union:
    """Bands as one, and the columns that they make."""

    def __init__(self, band: Iterable[int], boxes: Sequence[_Box], *, rough: bool) -> None:
        self._clear = GrowingColumns(MAX_OVERLAP)
        self._rough = GrowingColumns(MAX_EDGE_ERROR) if rough else None
        self.add(band, boxes)

    def add(self, band: Iterable[int], boxes: Sequence[_Box]) -> None:
        for i in band:
            self._clear.add(boxes[i])
            if self._rough is not None:
                self._rough.add(boxes[i])

    def height_of_columns(self) -> float | None:
        """The height, in points, along which the two columns stand beside each other; None without a gutter."""
        gap = self._clear.widest()
        if gap is not None and gap.width >= MIN_GUTTER + 2 * MAX_OVERLAP:
            return self._clear.sides(gap).shared_height()
        gap = self._rough.widest() if self._rough is not None else None
        if self._rough is None or gap is None:
            return None
        sides = self._rough.sides(gap)
        height = sides.shared_height()
        return height if height > 0 and sides.are_full(height) else None


def _leads_on(bands: list[list[int]], boxes: Sequence[_Box]) -> bool:
    """Whether the last band but one is the last one's title: alone in its row, and nearer to it than to others."""
    above, band, below = bands[-3:]
    if len(band) > 1:
        return False
    box = boxes[band[0]]
    return min(boxes[i].y0 for i in below) - box.y1 < box.y0 - max(boxes[i].y1 for i in above)


def _gutters(items: list[int], boxes: Sequence[_Box]) -> list[_Cut]:
    """From the left."""
    gaps = _gaps([(boxes[i].x0, boxes[i].x1) for i in items], MAX_OVERLAP)
    return [gap for gap in gaps if gap.width >= MIN_GUTTER + 2 * MAX_OVERLAP]


def _is_one_row(items: list[int], boxes: Sequence[_Box]) -> bool:
    """Whether one level line runs through all boxes, so that no gap between rows parts any of them."""
    lows, highs = zip(*(_shortened(boxes[i].y0, boxes[i].y1, MAX_OVERLAP) for i in items), strict=True)
    return max(lows) <= min(highs)


def _by_width(gap: _Cut) -> tuple[float, float]:
    """Of gaps that are as wide, the one on the left counts."""
    return gap.width, -gap.at


def _shortened(low: float, high: float, touch: float) -> tuple[float, float]:
    by = min(touch, (high - low) / 2)
    return low + by, high - by


def _side_by_side(sides: tuple[list[int], list[int]], boxes: Sequence[_Box]) -> float:
    """The height, in points, along which two sides stand beside each other; 0 if that is less than half of either."""
    if not all(sides):  # a box that is upside down, or as thin as its coordinates are exact, may stand on either
        return 0.0
    tops = [min(boxes[i].y0 for i in side) for side in sides]
    ends = [max(boxes[i].y1 for i in side) for side in sides]
    height = min(ends) - max(tops)
    return height if height >= 0.5 * min(end - top for top, end in zip(tops, ends, strict=True)) else 0.0


def _rough_gutter(items: list[int], boxes: Sequence[_Box]) -> _Cut | None:
    """A gap that rough edges close, between two columns that stand side by side beyond doubt."""
    across = _widest([(boxes[i].x0, boxes[i].x1) for i in items], MAX_EDGE_ERROR)
    if across is None:
        return None
    sides = _split(items, [boxes[i].center[0] for i in items], across.at)
    height = _side_by_side(sides, boxes)
    full = all(sum(boxes[i].height for i in side) > 0.5 * height for side in sides)
    return _Cut(across.at, MIN_GUTTER + 2 * MAX_OVERLAP) if height > 0 and full else None


def _widest(spans: list[tuple[float, float]], touch: float) -> _Cut | None:
    return max(_gaps(spans, touch), key=_by_width, default=None)


def _gaps(spans: list[tuple[float, float]], touch: float) -> list[_Cut]:
    """The stretches that no span covers, each being shortened by `touch` (a tiny one to its middle)."""
    if len(spans) >= MIN_NUMPY_SPANS:
        return _many_gaps(np.array(spans), touch)
    short = sorted(_shortened(low, high, touch) for low, high in spans)
    cuts: list[_Cut] = []
    end = short[0][1]
    for low, high in short[1:]:
        if low > end:
            cuts.append(_Cut((low + end) / 2, low - end))
        end = max(end, high)
    return cuts


def _many_gaps(spans: np.ndarray, touch: float) -> list[_Cut]:
    """As `_gaps`, of float (n, 2): many times as fast for thousands."""
    by = np.minimum(touch, (spans[:, 1] - spans[:, 0]) / 2)
    lows, highs = spans[:, 0] + by, spans[:, 1] - by
    order = np.lexsort((highs, lows))
    lows, ends = lows[order][1:], np.maximum.accumulate(highs[order])[:-1]
    at = np.flatnonzero(lows > ends)
    return [_Cut((low + end) / 2, low - end) for low, end in zip(lows[at].tolist(), ends[at].tolist(), strict=True)]


def _split(items: list[int], middles: list[float], at: float) -> tuple[list[int], list[int]]:
    before = [i for i, middle in zip(items, middles, strict=True) if middle < at]
    return before, [i for i, middle in zip(items, middles, strict=True) if middle >= at]


def _are_columns(items: list[int], boxes: Sequence[_Box], across: _Cut) -> bool:
    """Whether to read left and right of a gap one after the other, though gaps between rows would part them too."""
    left, right = _split(items, [boxes[i].center[0] for i in items], across.at)
    if not _side_by_side((left, right), boxes):
        return False
    return not (_are_labels(left, right, boxes) or _are_labels(right, left, boxes))


def _are_labels(side: list[int], other: list[int], boxes: Sequence[_Box]) -> bool:
    """Whether a narrow column holds short labels, each level with the start of something in the other column."""
    if len(side) < 2:
        return False
    width = max(boxes[i].x1 for i in side) - min(boxes[i].x0 for i in side)
    other_width = max(boxes[i].x1 for i in other) - min(boxes[i].x0 for i in other)
    height = sum(boxes[i].height for i in side)
    if width > 0.4 * other_width or height > 0.6 * sum(boxes[i].height for i in other):
        return False
    tops = sorted(boxes[j].y0 for j in other)
    level = [_nearest(tops, boxes[i].y0) <= 6.0 for i in side]
    return sum(level) >= 0.7 * len(level)


def _nearest(tops: list[float], y: float) -> float:
    """The distance to the nearest of ascending `tops`."""
    at = bisect(tops, y)
    return min(abs(top - y) for top in tops[max(0, at - 1) : at + 1])
