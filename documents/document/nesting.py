"""Decides the levels of nested list items over a whole document, by indentation and by the series of their markers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from documents.boxes import BoundingBox
from documents.region_values import ListItem, Region, TextRegion
from documents.rotated_boxes import unrotate
from documents.text.list_markers import Label, follows, marker_readings
from documents.values import Page

MAX_LEVEL_OFFSET = 0.6  # maximum horizontal offset between marks of one level, in heights of the mark
MIN_LEVEL_OFFSET = 2.0  # lower bound of that offset, in points


@dataclass(slots=True)
class _Level:
    """An open list: where its last mark stands (upright), and what that mark is."""

    name: int
    box: BoundingBox
    label: Label


def with_levels(pages: Sequence[Page]) -> list[Page]:
    """The pages, each item of their text regions at its level; letters without a second one are no items."""
    nest = _Nest()
    levelled = [[nest.region(region) for region in page.regions] for page in pages]
    pages_with_levels: list[Page] = []
    for page, placed in zip(pages, levelled, strict=True):
        regions = tuple(
            region.model_copy(update={"items": nest.kept(items)})
            if isinstance(region, TextRegion) and region.items
            else region
            for region, items in zip(page.regions, placed, strict=True)
        )
        pages_with_levels.append(page.model_copy(update={"regions": regions}))
    return pages_with_levels


class _Nest:
    """The lists that are open where the reader is, outermost first; what ends them all is a title, or text beside."""

    def __init__(self) -> None:
        self._open: list[_Level] = []
        self._column: BoundingBox | None = None  # the region that the last item stands in
        self._sizes: Counter[int] = Counter()  # items by the list that they are of

    def region(self, region: Region) -> list[tuple[int, ListItem]]:
        """The region's items at their levels, each with the name of its list."""
        column = unrotate(region.box, region.angle)
        if region.kind == "title" or self._ends(region, column):
            self._open.clear()
        items: list[tuple[int, ListItem]] = []
        for item in region.items if isinstance(region, TextRegion) and region.note is None else ():
            level = self._place(unrotate(item.box, region.angle), marker_readings(item.marker), column)
            self._sizes[level.name] += 1
            self._column = column
            items.append((level.name, item.model_copy(update={"level": len(self._open)})))
        return items

    def kept(self, items: Sequence[tuple[int, ListItem]]) -> tuple[ListItem, ...]:
        """Without what is the only one of its list and may be anything: an initial, a year's end, a dash."""
        return tuple(item for name, item in items if self._sizes[name] > 1 or _is_sure(item))

    def _ends(self, region: Region, column: BoundingBox) -> bool:
        """Whether a text begins that is no part of an item: it does not stand further in than the outermost mark."""
        if not self._open or not isinstance(region, TextRegion) or region.note is not None or not region.text.strip():
            return False
        begins = not any(item.line == 0 for item in region.items)
        return begins and not region.continues and column.x0 <= self._open[0].box.x0 + _slack(self._open[0].box)

    def _place(self, box: BoundingBox, readings: Sequence[Label], column: BoundingBox) -> _Level:
        """Open, go on or close lists so that the last open one is the item's."""
        if self._column is not None and not _one_above_the_other(self._column, column):
            self._move(box, readings)
        while self._open and self._open[-1].box.x0 > box.x0 + _slack(box) and not _level(self._open[-1].box, box):
            self._open.pop()
        beside = [k for k, level in enumerate(self._open) if _level(level.box, box)]
        for k in reversed(beside):
            own = next((label for label in readings if follows(self._open[k].label, label)), None)
            own = own or next((label for label in readings if label.series == self._open[k].label.series), None)
            if own is not None:
                del self._open[k + 1 :]
                self._open[k].box = box
                self._open[k].label = own
                return self._open[k]
        self._open.append(_Level(len(self._sizes) + 1, box, readings[0]))
        return self._open[-1]

    def _move(self, box: BoundingBox, readings: Sequence[Label]) -> None:
        """In another column: the open lists stand where the one that goes on stands, or are all at an end."""
        at = next((k for k in range(len(self._open) - 1, -1, -1) if self._goes_on(k, readings)), None)
        if at is None:
            self._open.clear()
            return
        by = box.x0 - self._open[at].box.x0
        for level in self._open:
            level.box = level.box.shifted(by, 0.0)

    def _goes_on(self, k: int, readings: Sequence[Label]) -> bool:
        return any(follows(self._open[k].label, label) for label in readings)


def _is_sure(item: ListItem) -> bool:
    """Whether a mark is one without a second: a bullet, the first of a series, or a number that begins a region."""
    first = marker_readings(item.marker)[0]
    if first.number == 0:
        return first.series != "-" or item.line == 0
    if item.marker.strip("().").isalpha():
        return first.number == 1 and (item.marker.endswith(")") or (item.marker.islower() and item.line == 0))
    return first.number == 1 or item.line == 0


def _slack(box: BoundingBox) -> float:
    return max(MIN_LEVEL_OFFSET, MAX_LEVEL_OFFSET * box.height)


def _level(a: BoundingBox, b: BoundingBox) -> bool:
    """Whether two marks stand equally far in: numbers are set to the left or to the right."""
    slack = _slack(b)
    return abs(a.x0 - b.x0) <= slack or abs(a.x1 - b.x1) <= min(slack, MIN_LEVEL_OFFSET)


def _one_above_the_other(a: BoundingBox, b: BoundingBox) -> bool:
    return a.overlap_x(b) > 0.3 * min(a.width, b.width)
