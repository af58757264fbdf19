"""Grows a table to the columns beside it, and to the rows above and below that stand in its columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from documents.boxes import BoundingBox
from documents.tables.cells import count_words
from documents.tables.search.aligned_rows import AlignedTables, Row
from documents.tables.search.tables_between_rules import is_heading
from documents.tables.table_columns import Segment, columns

APART = 0.8  # sizes of the type of white between two tables, one of which is ruled
COVERED = 0.3  # of what a table would grow by, that figures and other tables may cover
RULED = 0.3  # of its width, that a rule below its header takes

Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """What stands around one table."""

    barred: Sequence[BoundingBox]  # figures and other tables, that it does not grow into
    ruled: Sequence[BoundingBox]  # other tables whose cells are ruled
    levels: Sequence[BoundingBox]  # rules
    titles: Sequence[BoundingBox]  # headings and captions that the network saw


@dataclass(frozen=True, slots=True)
class _Print:
    """How a table is printed."""

    column_spans: Sequence[Span]
    size: float  # of its type
    pitch: float  # points from row to row


def grown(box: BoundingBox, rows: Sequence[Row], around: Neighbours, limits: AlignedTables) -> BoundingBox:
    """The table with the columns beside it and the rows above and below that stand in its columns."""
    inside = [k for k, row in enumerate(rows) if box.y0 <= row.middle <= box.y1 and row.within(box.x0, box.x1)]
    if len(inside) < 2:
        return box
    size = median(one.word.font_size for k in inside for s in rows[k].segments for one in s.words)
    box = _widened(box, [rows[k] for k in inside], size, around.barred, limits)
    rows_within = [rows[k].within(box.x0, box.x1) for k in inside]
    column_spans = columns([row for row in rows_within if row])
    if len(column_spans) < 2:
        return box
    box = _with_head(box, rows[inside[0]], len(column_spans), size, limits)
    # a tall word puts the middle of its row above that of the row before
    pitch = max(0.5 * size, median([rows[b].middle - rows[a].middle for a, b in pairwise(inside)]))
    own = _Print(column_spans, size, pitch)
    box = _with_rows(box, rows[inside[0] :: -1], own, around, limits, upward=True)
    return _with_rows(box, rows[inside[-1] :], own, around, limits, upward=False)


def _with_rows(
    box: BoundingBox, rows: Sequence[Row], own: _Print, around: Neighbours, limits: AlignedTables, *, upward: bool
) -> BoundingBox:
    """With the rows beyond its own outermost one, the first of `rows`, as far as they belong to it."""
    size = own.size
    waiting = 0  # names of groups, until a row of the table follows
    for before, row in pairwise(rows):
        part = [s for s in row.segments if s.box.x1 > box.x0 - size and s.box.x0 < box.x1 + size]
        far = abs(row.middle - before.middle) / own.pitch
        near = far <= limits.pitch or (
            far <= limits.head_pitch and upward and _is_ruled(row, before, around.levels, box)
        )
        if not part or not near or waiting > 1 or is_heading(part, around.titles):
            break
        new = BoundingBox.around([segment.box for segment in part])
        if _is_covered(new, around.barred) or any(_is_apart(new, before, other, size) for other in around.ruled):
            break
        if _stands_in(part, own.column_spans, box, size, limits) or (upward and _heads(part, box, size, limits)):
            box = box.union(new)
            waiting = 0
        elif len(part) == 1 and _may_wait(part[0], box, before, own.column_spans[0][0], size, upward=upward):
            waiting += 1
        else:
            break
    return box


def _is_covered(new: BoundingBox, barred: Sequence[BoundingBox]) -> bool:
    return any(other.intersection(new) > COVERED * new.area for other in barred)


def _is_apart(new: BoundingBox, before: Row, ruled: BoundingBox, size: float) -> bool:
    """Whether a row stands in a ruled table, with white between this and the row before: its header touches a table."""
    if not ruled.contains(*new.center) or ruled.contains(new.center[0], before.middle):
        return False
    return max(ruled.y0 - before.bottom, before.top - ruled.y1) > APART * size


def _may_wait(one: Segment, box: BoundingBox, before: Row, left: float, size: float, *, upward: bool) -> bool:
    """Whether a lone cell may be the name of a group below the table's rows, or a part of a header right above them."""
    if not upward:
        return abs(one.box.x0 - left) <= 2 * size
    return one.box.x0 >= box.x0 and one.box.x1 <= box.x1 and before.middle - one.box.center[1] <= 1.5 * size


def _stands_in(
    part: Sequence[Segment], column_spans: Sequence[Span], box: BoundingBox, size: float, limits: AlignedTables
) -> bool:
    """Whether the segments are cells: each in one column of the table, most of these filled, none of them long."""
    if len(part) < max(2, 0.5 * len(column_spans)) or part[0].box.x0 < box.x0 - size or part[-1].box.x1 > box.x1 + size:
        return False
    if sum(count_words(segment.words) for segment in part) > 2 * limits.max_words * len(part):
        return False
    ends = [(low - size, high + size) for low, high in column_spans]
    return all(any(low <= s.box.x0 and s.box.x1 <= high for low, high in ends) for s in part)


def _with_head(box: BoundingBox, row: Row, num_columns: int, size: float, limits: AlignedTables) -> BoundingBox:
    """With all of its first row, if that has a short cell for each column: the network saw but a part of it."""
    around = BoundingBox(x0=box.x0 - limits.reach * size, y0=box.y0, x1=box.x1 + limits.reach * size, y1=box.y1)
    part = row.within(around.x0, around.x1)
    if len(part) != num_columns or not _heads(part, around, 0.0, limits):
        return box
    return box.union(BoundingBox.around([segment.box for segment in part]))


def _is_ruled(above: Row, below: Row, levels: Sequence[BoundingBox], box: BoundingBox) -> bool:
    """Whether a rule is drawn between two rows, along a good part of the table; it may be in pieces."""
    between = (rule for rule in levels if above.middle < rule.center[1] < below.middle)
    return sum(max(0.0, min(rule.x1, box.x1) - max(rule.x0, box.x0)) for rule in between) > RULED * box.width


def _heads(part: Sequence[Segment], box: BoundingBox, size: float, limits: AlignedTables) -> bool:
    """Whether the segments may be a line of a header: several short ones, none beyond the sides of the table."""
    return (
        len(part) > 1
        and part[0].box.x0 >= box.x0 - size
        and part[-1].box.x1 <= box.x1 + size
        and all(count_words(segment.words) <= 2 * limits.max_words for segment in part)
    )


def _widened(
    box: BoundingBox, rows: Sequence[Row], size: float, barred: Sequence[BoundingBox], limits: AlignedTables
) -> BoundingBox:
    """With the cells beside most rows, if they are shorter than lines of text are."""
    for side in (-1, 1):
        beside: list[Segment] = []
        boxes = [segment.box for row in rows for segment in row.within(box.x0, box.x1)]
        for row in rows:
            out = [s for s in row.segments if (s.box.center[0] - (box.x0 if side < 0 else box.x1)) * side > 0]
            beside += out[-1:] if side < 0 else out[:1]
        if not beside:
            continue
        gap = min(box.x0, *(one.x0 for one in boxes)) - max(s.box.x1 for s in beside)
        if side > 0:
            gap = min(s.box.x0 for s in beside) - max(box.x1, *(one.x1 for one in boxes))
        if gap > limits.reach * size:
            continue
        if len(beside) < limits.label * len(rows):
            continue
        if sum(count_words(s.words) for s in beside) > limits.max_words * len(beside):
            continue
        new = BoundingBox.around([segment.box for segment in beside])
        if not _is_covered(new, barred):
            box = box.union(new)
    return box
