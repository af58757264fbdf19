"""Finds the columns of a table without vertical rules: stretches that its rows fill and never bridge."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from documents.boxes import BoundingBox
from documents.inspection import Ruling
from documents.tables.cells import PlacedWord, is_leader
from documents.tables.parting_rows import num_parting

BLANK = 0.75  # of the type's size: a wider gap parts two cells
MEET = 1.0  # points between rules that look like one
UNDER = 1.0  # points of a segment that another one must stand over
BRIDGED = 0.2  # of the rows: how many must part a stretch before what bridges it is taken to span columns

Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Segment:
    """Words of one printed row that stand together."""

    words: list[PlacedWord]
    box: BoundingBox


def segments(row: Sequence[PlacedWord], uprights: Sequence[Ruling]) -> list[Segment]:
    """A printed row, parted where gaps are wide and where an upright rule crosses it; `uprights` are from the left."""
    groups: list[list[PlacedWord]] = []
    for one in row:
        last = groups[-1][-1] if groups else None
        if last is None or _parted(last, one, uprights):
            groups.append([one])
        else:
            groups[-1].append(one)
    return [segment_of(group) for group in groups]


def segment_of(group: list[PlacedWord]) -> Segment:
    """Dots at its end are no part of its box."""
    words = [one for one in group if not is_leader(one)] or group
    return Segment(group, BoundingBox.around([one.box for one in words]))


def columns(rows: Sequence[Sequence[Segment]], rules: Sequence[Ruling] = ()) -> list[Span]:
    """The left and right edge of each column, from the left."""
    spanning = {id(segment) for segment in [*_spanning(rows), *_ruled_heads(rows, rules)]}
    spans = sorted((s.box.x0, s.box.x1) for row in rows for s in row if id(s) not in spanning)
    merged: list[Span] = []
    for low, high in spans:
        if merged and low <= merged[-1][1] + 0.5:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return merged


def _parted(a: PlacedWord, b: PlacedWord, uprights: Sequence[Ruling]) -> bool:
    """`uprights` stand from the left."""
    if is_leader(a) and not is_leader(b):
        return True
    gap = b.box.x0 - a.box.x1
    if gap >= BLANK * max(a.word.font_size, b.word.font_size):
        return True
    if gap <= 0 or not uprights:
        return False
    middle = (a.box.center[1] + b.box.center[1]) / 2
    low = bisect_right(uprights, a.box.center[0], key=across)
    high = bisect_left(uprights, b.box.center[0], key=across)
    return any(rule.box.y0 <= middle <= rule.box.y1 for rule in uprights[low:high])


def across(rule: Ruling) -> float:
    """Where an upright rule stands."""
    return rule.box.center[0]


def _spanning(rows: Sequence[Sequence[Segment]]) -> list[Segment]:
    """Segments over what several other rows part into columns."""
    least = max(2.0, BRIDGED * len(rows)) if len(rows) > 3 else 1.0
    spans = [[(s.box.x0, s.box.x1) for s in row] for row in rows]
    stretches = [(k, segment) for k, row in enumerate(rows) for segment in row]
    counts = num_parting([(s.box.x0, s.box.x1) for _, s in stretches], spans, UNDER)
    return [
        segment
        for (k, segment), count in zip(stretches, counts, strict=True)
        if count >= least and count - (_num_under(segment, rows[k]) >= 2) >= least
    ]


def _ruled_heads(rows: Sequence[Sequence[Segment]], rules: Sequence[Ruling]) -> list[Segment]:
    """Segments over a rule that others stand below, as a short heading between two columns."""
    width = max((row[-1].box.x1 for row in rows), default=0.0) - min((row[0].box.x0 for row in rows), default=0.0)
    short = RulingsBelow([rule for rule in rules if rule.level and rule.box.width < 0.8 * width])
    heads: list[Segment] = []
    for row, following in pairwise(rows):
        middles = sorted(s.box.center[0] for s in following)
        for segment in row:
            under = short.of(segment.box)
            if any(bisect_right(middles, box.x1 + 2) - bisect_left(middles, box.x0 - 2) >= 2 for box in under):
                heads.append(segment)
    return heads


def _num_under(segment: Segment, row: Sequence[Segment]) -> int:
    return sum(min(s.box.x1, segment.box.x1) - max(s.box.x0, segment.box.x0) > UNDER for s in row)


def joined_levels(rulings: Iterable[Ruling]) -> list[BoundingBox]:
    """Level rulings as they look: those that meet end to end are one, as where each cell draws its own border."""
    level_lines: list[BoundingBox] = []
    for box in sorted((ruling.box for ruling in rulings), key=lambda box: (round(box.center[1]), box.x0)):
        last = level_lines[-1] if level_lines else None
        if last is not None and abs(box.center[1] - last.center[1]) <= MEET and box.x0 <= last.x1 + MEET:
            level_lines[-1] = last.union(box)
        else:
            level_lines.append(box)
    return level_lines


class RulingsBelow:
    """Level rulings from the top, so that few are looked at to find those below a box."""

    def __init__(self, rulings: Sequence[Ruling]) -> None:
        self._boxes = sorted((rule.box for rule in rulings), key=lambda box: box.y0)
        self._tops = [box.y0 for box in self._boxes]

    def of(self, box: BoundingBox) -> list[BoundingBox]:
        """Those that run closely below a box, along all of it, from the top."""
        low, high = bisect_left(self._tops, box.y1 - 3), bisect_right(self._tops, box.y1 + 0.6 * box.height + 1)
        return [rule for rule in self._boxes[low:high] if _is_below(rule, box)]


def _is_below(rule: BoundingBox, box: BoundingBox) -> bool:
    """Whether a rule runs closely below a box, along all of it."""
    return -2 <= rule.y0 - box.y1 <= 0.6 * box.height and rule.x0 <= box.x0 + 2 and rule.x1 >= box.x1 - 2
