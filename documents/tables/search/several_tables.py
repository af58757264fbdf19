"""Parts rows of cells that several tables share: one table above another, or two side by side."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from documents.boxes import BoundingBox
from documents.tables.cells import PlacedWord, baselines, is_value
from documents.tables.table_columns import Segment, segments

NO_VALUE = frozenset("-\u2010\u2011\u2012\u2013\u2014\u2212.\u2026*()[]")  # what a cell without one holds
Row = Sequence[Segment]
Span = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeveralTables:
    """What says that rows are of two tables. Lengths are in sizes of the type."""

    apart: float = 1.4  # times the usual distance between rows: where one table may end and another begin
    alike: float = 0.9  # of such a distance: others are no less
    max_gaps: int = 3  # as wide as that: names of groups part the rows of one table
    full: float = 0.7  # of the most cells that a row has: rows with as many show the columns
    min_full: int = 2  # of such rows, on both sides
    values: float = 0.7  # of the cells behind the first, that hold figures: their names hold none
    gutter: float = 1.5  # the least width of a gap between two tables side by side
    max_gutters: int = 4  # the widest, that are looked at
    level: float = 0.15  # between the lower edges of what stands level
    min_level: float = 0.5  # of the lines with values, that stand level with one on the other side of a gutter
    min_lines: int = 3  # of such lines, on both sides
    wide: float = 0.8  # of the width of one side, that a table or rule has that belongs to it alone
    over: float = 0.1  # of the narrower side, by which it may reach into the other
    min_rules: int = 2  # as wide as a side


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the page shows besides words: tables and titles that the network saw, and level rules."""

    known: Sequence[BoundingBox]
    levels: Sequence[BoundingBox]
    titles: Sequence[BoundingBox] = ()


def several_tables(rows: Sequence[Row], around: Surroundings, limits: SeveralTables) -> list[list[Row]]:
    """The rows of each table."""
    return [
        side
        for part in _one_above_another([row for row in rows if row], limits)
        for side in _side_by_side(part, around, limits)
    ]


def _one_above_another(rows: Sequence[Row], limits: SeveralTables) -> list[list[Row]]:
    """Parted where rows of cells stand further apart than elsewhere, if another table begins there.

    The columns above and below cannot be the same, or columns of values have names once more.
    """
    several = [k for k, row in enumerate(rows) if len(row) > 1]
    if len(several) < 2 * limits.min_full:
        return [list(rows)]
    middles = [_middle(rows[k]) for k in several]
    pitches = [below - above for above, below in pairwise(middles)]
    least = limits.apart * median(pitches)
    ordered = sorted(pitches)
    parts: list[list[Row]] = []
    start = 0
    num_alike = [len(ordered) - bisect_left(ordered, limits.alike * pitch) for pitch in pitches]
    gaps = [at for at, pitch in enumerate(pitches) if pitch > least and num_alike[at] <= limits.max_gaps]
    for at, end in pairwise([*gaps, len(several) - 1]):
        above = [rows[k] for k in several[start : at + 1]]
        below = [rows[k] for k in several[at + 1 : end + 1]]
        if _differ(above, below, limits) or _is_named_anew(above, below, limits):
            parts.append(list(rows[several[start] : several[at] + 1]))
            start = at + 1
    return [*parts, list(rows[several[start] if parts else 0 :])]


def _differ(above: Sequence[Row], below: Sequence[Row], limits: SeveralTables) -> bool:
    """Whether cells of the one stand over gaps between columns of the other; names of columns are left aside."""
    full = [_full(rows, limits) for rows in (above, below)]
    valued = [[row for row in rows if any(map(_is_value, row))] for rows in full]
    if any(valued):
        full = valued
    if min(map(len, full)) < limits.min_full:
        return False
    return len(_columns([*full[0], *full[1]])) < max(len(_columns(rows)) for rows in full)


def _is_named_anew(above: Sequence[Row], below: Sequence[Row], limits: SeveralTables) -> bool:
    """Whether a row of names of columns is followed by rows of values, as the rows above are."""
    names, *valued = below
    if len(names) < max(2.0, limits.full * max(map(len, below))) or any(map(_has_digit, names)):
        return False
    if _are_missing_values([_text(segment) for segment in names[1:]]):
        return False
    return all(
        len(rows) >= limits.min_full
        and sum(map(_has_digit, cells := [s for row in rows for s in row[1:]])) >= limits.values * len(cells) > 0
        for rows in (above[1:], valued)
    )


def _are_missing_values(texts: Sequence[str]) -> bool:
    """Whether cells behind a label say that there is no value: a dash or dots, or `n/a` in all of them."""
    if any(set(text) <= NO_VALUE for text in texts):
        return True
    return len(texts) > 1 and len(set(texts)) == 1


def _has_digit(segment: Segment) -> bool:
    return any(map(str.isdigit, _text(segment)))


def _is_value(segment: Segment) -> bool:
    return is_value(_text(segment))


def _text(segment: Segment) -> str:
    return "".join(one.word.text for one in segment.words)


def _full(rows: Sequence[Row], limits: SeveralTables) -> list[Row]:
    most = max(map(len, rows))
    return [row for row in rows if len(row) >= max(2.0, limits.full * most)]


def _columns(rows: Sequence[Row]) -> list[Span]:
    merged: list[Span] = []
    for low, high in sorted((segment.box.x0, segment.box.x1) for row in rows for segment in row):
        if merged and low <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], high)
        else:
            merged.append((low, high))
    return merged


def _side_by_side(rows: Sequence[Row], around: Surroundings, limits: SeveralTables) -> Iterator[list[Row]]:
    """Parted at wide gaps that the rules of both sides end at, or beside which lines do not stand level.

    So it is where the network saw a table on both sides.
    """
    words = [one for row in rows for segment in row for one in segment.words]
    if not words:
        return
    size = median(one.word.font_size for one in words)
    spans = _columns([row for row in rows if len(row) > 1])
    gutters = [(a[1], b[0]) for a, b in pairwise(spans) if b[0] - a[1] >= limits.gutter * size]
    gutters.sort(key=lambda gutter: gutter[0] - gutter[1])
    for gutter in gutters[: limits.max_gutters]:
        if _is_between_tables(words, gutter, size, around, limits):
            middle = (gutter[0] + gutter[1]) / 2
            left = [one for one in words if one.box.center[0] < middle]
            right = [one for one in words if one.box.center[0] >= middle]
            for side in (left, right):
                yield from _side_by_side([segments(line, []) for line in baselines(side)], around, limits)
            return
    yield list(rows)


def _is_between_tables(
    words: Sequence[PlacedWord], gutter: Span, size: float, around: Surroundings, limits: SeveralTables
) -> bool:
    box = BoundingBox.around([one.box for one in words])
    sides = (
        BoundingBox(x0=box.x0, y0=box.y0 - size, x1=gutter[0], y1=box.y1 + size),
        BoundingBox(x0=gutter[1], y0=box.y0 - size, x1=box.x1, y1=box.y1 + size),
    )
    return (
        _has_each(around.known, sides, 1, limits)
        or _has_each(around.levels, sides, limits.min_rules, limits)
        or not _are_level(words, gutter, size, limits)
    )


def _has_each(
    boxes: Sequence[BoundingBox], sides: tuple[BoundingBox, BoundingBox], least: int, limits: SeveralTables
) -> bool:
    """Whether `least` boxes are as wide as the one side, as many as the other, and none reaches over both."""
    near = [box for box in boxes if sides[0].y0 <= box.center[1] <= sides[0].y1]
    overlaps = [[min(box.x1, side.x1) - max(box.x0, side.x0) for side in sides] for box in near]
    if any(min(pair) > limits.over * min(side.width for side in sides) for pair in overlaps):
        return False
    return all(sum(pair[k] >= limits.wide * side.width for pair in overlaps) >= least for k, side in enumerate(sides))


def _are_level(words: Sequence[PlacedWord], gutter: Span, size: float, limits: SeveralTables) -> bool:
    """Whether lines with values on one side of a gutter stand level with lines of the other, or too few do to say.

    A line says nothing where nothing stands beside it: the other side of a row may be empty.
    """
    sides = [
        [one for one in words if one.box.center[0] < gutter[0]],
        [one for one in words if one.box.center[0] > gutter[1]],
    ]
    values = [sorted(_value_bottoms(side)) for side in sides]
    lines = [sorted(max(one.box.y1 for one in line) for line in baselines(side)) for side in sides]
    short, others = min((values[0], lines[1]), (values[1], lines[0]), key=lambda pair: len(pair[0]))
    beside = [bottom for bottom in short if _is_near(bottom, others, size)]
    if min(len(beside), *map(len, values)) < limits.min_lines:
        return True
    num_level = sum(_is_near(bottom, others, limits.level * size) for bottom in beside)
    return num_level >= limits.min_level * len(beside)


def _value_bottoms(words: Sequence[PlacedWord]) -> Iterator[float]:
    """The lower edges of the lines that hold a value and something beside it."""
    for line in baselines(words):
        values = [one for one in line if is_value(one.word.text)]
        if values and len(segments(line, [])) > 1:
            yield max(one.box.y1 for one in values)


def _is_near(value: float, ordered: Sequence[float], least: float) -> bool:
    at = bisect_left(ordered, value - least)
    return at < len(ordered) and ordered[at] <= value + least


def _middle(row: Row) -> float:
    return (min(segment.box.y0 for segment in row) + max(segment.box.y1 for segment in row)) / 2
