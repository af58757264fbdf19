"""Headings among cells that are of the page, not names of groups: each begins another table, or other text."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence

from documents.boxes import BoundingBox
from documents.inspection import TextLine
from documents.segments.blocks import HEADINGS, SegmentBlock

# Roles of lines that part no table: names of groups look like headings, rows of a label and one number like the others.
TABLE_PART_ROLES = (*HEADINGS, "table", "stamp", "contents", "label", "value")


def page_headings(lines: Sequence[TextLine], blocks: Sequence[SegmentBlock]) -> frozenset[int]:
    """The lines of headings of the page, by their index: what looks as no cell does, and as a sure heading does.

    A sure one is read before something else than cells, or stands over a head that the page has twice. A heading right
    over a table may be the name of its first group.
    """
    headings = {k: place for place, block in enumerate(blocks) if block.role in HEADINGS for k in block.segments}
    tables: defaultdict[int, list[TextLine]] = defaultdict(list)
    for block in blocks:
        if block.table is not None:
            tables[block.table] += (lines[k] for k in block.segments)
    if not headings or not tables:
        return frozenset(headings)
    rows = _Rows(tables.values())
    sure = (k for k, place in headings.items() if _is_over_text(place, blocks) or rows.begin_again_below(lines[k].box))
    styles = {_style(lines[k]) for k in sure} - {_style(cell) for cells in tables.values() for cell in cells}
    return frozenset(k for k in headings if _style(lines[k]) in styles)


def _is_over_text(place: int, blocks: Sequence[SegmentBlock]) -> bool:
    """Whether the block that is read next is none that a table may hold."""
    return any(block.table is None and block.role not in TABLE_PART_ROLES for block in blocks[place + 1 : place + 2])


class _Rows:
    """The cells of a page by levels, from the top, of whatever table, and what the first rows of its tables say."""

    def __init__(self, tables: Collection[Sequence[TextLine]]) -> None:
        self._rows: list[list[TextLine]] = []
        for cell in sorted((cell for cells in tables for cell in cells), key=_level):
            if not self._rows or _level(cell) > self._rows[-1][0].box.y1:
                self._rows.append([])
            self._rows[-1].append(cell)
        self._levels = [_level(row[0]) for row in self._rows]
        tops = {min(map(_level, cells)) for cells in tables}
        counts = Counter(map(_texts, self._rows))
        self._heads = {head for top in tops if counts[head := _texts(self._below(top))] > 1}

    def begin_again_below(self, box: BoundingBox) -> bool:
        """Whether the next row below a box is a head of several cells that the page has twice."""
        row = self._below(box.y1)
        return len(row) > 1 and _texts(row) in self._heads

    def _below(self, level: float) -> Sequence[TextLine]:
        number = bisect_left(self._levels, level)
        return self._rows[number] if number < len(self._rows) else ()


def _level(line: TextLine) -> float:
    return line.box.center[1]


def _texts(row: Sequence[TextLine]) -> tuple[str, ...]:
    return tuple(line.text for line in sorted(row, key=lambda line: line.box.x0))


def _style(line: TextLine) -> tuple[object, ...]:
    return line.fonts, round(line.font_size, 1), line.bold
