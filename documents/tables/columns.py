"""The columns of a table without upright rules: stretches that its printed rows fill and never bridge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from documents.inspection import Ruling
from documents.tables.cells import PlacedWord
from documents.values import BoundingBox

BLANK = 0.75  # of the type's size: a wider gap parts two cells
BRIDGED = 0.2  # of the rows: how many must part a stretch before what bridges it is taken to span columns


@dataclass(frozen=True, slots=True)
class Segment:
    """Words of one printed row that stand together."""

    words: list[PlacedWord]
    box: BoundingBox


def segments(row: Sequence[PlacedWord], uprights: Sequence[Ruling]) -> list[Segment]:
    """A printed row, parted where gaps are wide and where an upright rule crosses it."""
    groups: list[list[PlacedWord]] = []
    for one in row:
        last = groups[-1][-1] if groups else None
        if last is None or _parted(last, one, uprights):
            groups.append([one])
        else:
            groups[-1].append(one)
    return [Segment(group, BoundingBox.around([one.box for one in group])) for group in groups]


def columns(rows: Sequence[Sequence[Segment]], rules: Sequence[Ruling] = ()) -> list[tuple[float, float]]:
    """The left and right edge of each column, from the left."""
    spanning = {id(segment) for segment in [*_spanning(rows), *_ruled_heads(rows, rules)]}
    spans = sorted((s.box.x0, s.box.x1) for row in rows for s in row if id(s) not in spanning)
    found: list[tuple[float, float]] = []
    for low, high in spans:
        if found and low <= found[-1][1] + 0.5:
            found[-1] = (found[-1][0], max(found[-1][1], high))
        else:
            found.append((low, high))
    return found


def column_range(
    segment: Segment, found: Sequence[tuple[float, float]], rules: Sequence[Ruling], header: bool
) -> tuple[int, int]:
    """The first and last column that a segment stands over; in a header, the rule below it tells."""
    touched = [k for k, (low, high) in enumerate(found) if min(high, segment.box.x1) - max(low, segment.box.x0) > 0.5]
    if header:
        below = [rule.box for rule in rules if _is_below(rule.box, segment.box)]
        if below:
            under = min(below, key=lambda box: (box.y0, box.width))
            ruled = [k for k, (low, high) in enumerate(found) if under.x0 - 2 <= (low + high) / 2 <= under.x1 + 2]
            if len(ruled) < len(found):
                touched += ruled
    if not touched:
        middle = segment.box.center[0]
        touched = [min(range(len(found)), key=lambda k: min(abs(found[k][0] - middle), abs(found[k][1] - middle)))]
    return min(touched), max(touched)


def _parted(a: PlacedWord, b: PlacedWord, uprights: Sequence[Ruling]) -> bool:
    gap = b.box.x0 - a.box.x1
    if gap >= BLANK * max(a.word.font_size, b.word.font_size):
        return True
    middle = (a.box.center[1] + b.box.center[1]) / 2
    return gap > 0 and any(
        a.box.center[0] < rule.box.center[0] < b.box.center[0] and rule.box.y0 <= middle <= rule.box.y1
        for rule in uprights
    )


def _spanning(rows: Sequence[Sequence[Segment]]) -> list[Segment]:
    """Segments over what several other rows part into columns."""
    least = max(2.0, BRIDGED * len(rows)) if len(rows) > 3 else 1.0
    found: list[Segment] = []
    for k, row in enumerate(rows):
        for segment in row:
            parting = sum(_num_under(segment, other) >= 2 for j, other in enumerate(rows) if j != k)
            if parting >= least:
                found.append(segment)
    return found


def _ruled_heads(rows: Sequence[Sequence[Segment]], rules: Sequence[Ruling]) -> list[Segment]:
    """Segments over a rule that others stand below, as a short heading between two columns."""
    width = max((row[-1].box.x1 for row in rows), default=0.0) - min((row[0].box.x0 for row in rows), default=0.0)
    short = [rule.box for rule in rules if rule.level and rule.box.width < 0.8 * width]
    found: list[Segment] = []
    for k, row in enumerate(rows[:-1]):
        for segment in row:
            under = [box for box in short if _is_below(box, segment.box)]
            if any(sum(box.x0 - 2 <= s.box.center[0] <= box.x1 + 2 for s in rows[k + 1]) >= 2 for box in under):
                found.append(segment)
    return found


def _num_under(segment: Segment, row: Sequence[Segment]) -> int:
    return sum(min(s.box.x1, segment.box.x1) - max(s.box.x0, segment.box.x0) > 1.0 for s in row)


def _is_below(rule: BoundingBox, box: BoundingBox) -> bool:
    """Whether a rule runs closely below a box, along all of it."""
    return -2 <= rule.y0 - box.y1 <= 0.6 * box.height and rule.x0 <= box.x0 + 2 and rule.x1 >= box.x1 - 2
