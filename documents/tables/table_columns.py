"""Finds the columns of a table without vertical rules: stretches that its rows fill and never bridge."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from documents.inspection import Ruling
from documents.tables.cells import PlacedWord, is_leader, is_number
from documents.tables.crossing_rules import places_above
from documents.tables.parting_rows import num_parting
from documents.values import BoundingBox

BLANK = 0.75  # of the type's size: a wider gap parts two cells
ROOM = 0.4  # of the type's size: less is a space between words
ROOMIER = 1.4  # times the spaces within a cell, that the gap between two is wide
LEVEL = 0.5  # of the type's size: by how much a name may stand beside the edge, or middle, of its column
MAX_PIECES = 60  # of a level ruling; each name in a header is compared with all of them
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


def parted_by_columns(row: Sequence[Segment], columns: Sequence[Span]) -> list[Segment]:
    """A printed row whose segments are parted between columns where they hold numbers, or have more room there.

    A heading or a note over several columns has spaces where columns part, too.
    """
    parts: list[Segment] = []
    for segment in row:
        groups: list[list[PlacedWord]] = []
        last = -1
        for one in segment.words:
            at = bisect_right(columns, one.box.center[0], key=_left) - 1
            if not groups or (at != last and not is_leader(one)):
                groups.append([])
            last = max(at, last)
            groups[-1].append(one)
        numbers = all(is_number("".join(one.word.text for one in group)) for group in groups[1:])
        parts += map(segment_of, groups) if len(groups) > 1 and (numbers or _have_room(groups)) else [segment]
    return parts


def parted_as_below(
    row: Sequence[Segment], columns: Sequence[Span], body: Sequence[Span | None], rules: RulingsBelow
) -> list[Segment]:
    """A row of a header whose segments are parted where each part stands level with the cells below it.

    `body` holds, for each column, the left and right edge of what stands below the header, or None. Names of columns
    may have no more room between them than words have; words of a heading over columns do not stand over their middles.
    """
    parts: list[Segment] = []
    for segment in row:
        groups: dict[int, list[PlacedWord]] = {}
        for one in segment.words:
            groups.setdefault(max(0, bisect_right(columns, one.box.center[0], key=_left) - 1), []).append(one)
        separate = [segment_of(group) for group in groups.values()]
        level = len(groups) > 1 and not rules.of(segment.box) and _are_level(separate, [body[k] for k in groups])
        parts += separate if level else [segment]
    return parts


def _are_level(parts: Sequence[Segment], below: Sequence[Span | None]) -> bool:
    """Whether each begins, ends or has its middle where the cells below do; two do so alike, for they may by chance."""
    near = LEVEL * parts[0].words[0].word.font_size
    level: list[set[str]] = []
    for part, cells in zip(parts, below, strict=True):
        if cells is None:
            return False
        left, right = part.box.x0 - cells[0], part.box.x1 - cells[1]
        distances = {"left": left, "right": right, "middle": (left + right) / 2}
        level.append({side for side, distance in distances.items() if abs(distance) <= near})
    return all(level) and (len(parts) > 2 or bool(set[str].intersection(*level)))


def _have_room(groups: Sequence[Sequence[PlacedWord]]) -> bool:
    """Whether the gaps between groups are wider than those within."""
    between = min(b[0].box.x0 - a[-1].box.x1 for a, b in pairwise(groups))
    within = [b.box.x0 - a.box.x1 for group in groups for a, b in pairwise(group)]
    size = groups[0][0].word.font_size
    return between > max(ROOM * size, ROOMIER * max(within, default=0.0))


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


def column_range(segment: Segment, bounds: Sequence[Span], below: Sequence[BoundingBox]) -> tuple[int, int]:
    """The first and last column that a segment stands over; the rules right `below` the name of a group tell."""
    box = segment.box
    near = range(bisect_left(bounds, box.x0, key=_right), bisect_right(bounds, box.x1, key=_left))
    touched = [k for k in near if min(bounds[k][1], box.x1) - max(bounds[k][0], box.x0) > 0.5]
    if below:
        under = min(below, key=lambda rule: (rule.y0, rule.width))
        ruled = range(
            bisect_left(bounds, under.x0 - 2, key=_column_middle),
            bisect_right(bounds, under.x1 + 2, key=_column_middle),
        )
        if len(ruled) < len(bounds):
            touched += ruled
    if not touched:
        middle = box.center[0]
        at = bisect_left(bounds, middle, key=_left)
        touched = [
            min(
                range(max(0, at - 2), min(len(bounds), at + 2)),
                key=lambda k: min(abs(bounds[k][0] - middle), abs(bounds[k][1] - middle)),
            )
        ]
    return min(touched), max(touched)


def _left(column: Span) -> float:
    return column[0]


def _right(column: Span) -> float:
    return column[1]


def _column_middle(column: Span) -> float:
    return (column[0] + column[1]) / 2


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


def joined_between(levels: Iterable[Ruling], uprights: Sequence[Ruling]) -> list[Ruling]:
    """Level rulings as they look, parted where an upright one ends at them from above: below each cell is its own.

    One that would be more than MAX_PIECES stays whole.
    """
    boxes = joined_levels(levels)
    parts: list[Ruling] = []
    for box, ends in zip(boxes, places_above(boxes, [rule.box for rule in uprights], MEET, MAX_PIECES), strict=True):
        parts += (Ruling(box=box.model_copy(update={"x0": a, "x1": b})) for a, b in pairwise([box.x0, *ends, box.x1]))
    return parts


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
