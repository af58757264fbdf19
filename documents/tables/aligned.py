"""Tables that alignment alone makes: columns by gaps, rows by level rules, blank stretches and what each line fills."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from math import inf
from statistics import median

from documents.inspection import Ruling
from documents.tables.cells import Cut, PlacedWord, Slot, baselines, is_number, is_value
from documents.tables.columns import (
    RulingsBelow,
    Segment,
    across,
    column_range,
    columns,
    parted_by_columns,
    segments,
)
from documents.tables.rivers import river_columns
from documents.tables.settings import TableSettings

WIDE = 0.6  # of the table's width: a level rule that parts rows
ROOMY = 1.3  # times the usual pitch of lines: more parts two rows
MAX_HEADER_LINES = 8
INTO = 0.75  # of the usual distance of lines: nearer, one stands beside the middle of two


@dataclass(frozen=True, slots=True)
class _Line:
    """A printed row: what it puts in which columns, and whether a rule runs above it."""

    places: list[tuple[int, int, Segment]]  # first column, last column
    top: float
    bottom: float
    ruled: bool  # a rule runs between it and the line before
    num_rows: int = 1  # of rows beside whose middle it stands

    @property
    def filled(self) -> set[int]:
        return {column for first, last, _ in self.places for column in range(first, last + 1)}

    @property
    def spans(self) -> bool:
        return any(last > first for first, last, _ in self.places)

    @property
    def values(self) -> set[int]:
        """The columns behind the first in which it has a number: no cell of a row has two."""
        return {first for first, _, segment in self.places if first > 0 and is_value(_text(segment))}

    @property
    def figures(self) -> bool:
        return all(is_number(_text(segment)) for _, _, segment in self.places)


def cut_by_alignment(
    words: Sequence[PlacedWord], rules: Sequence[Ruling], settings: TableSettings | None = None
) -> Cut | None:
    """The table that words stand in, or None if there are no two rows and columns; boxes of both are upright.

    Columns part where gaps are wide in each row, or, with `settings`, where narrow ones stand below one another.
    """
    uprights = sorted((rule for rule in rules if not rule.level), key=across)
    printed = baselines(words)
    rows = [segments(row, uprights) for row in printed]
    if settings is None:
        found = columns(rows, rules)
    else:
        found = river_columns(printed, settings)
        rows = [parted_by_columns(row, found) for row in rows]
    found = _with_shifted_heads(found, rows)
    if len(found) < 2 or len(rows) < 2 or _num_level(rows) < max(2, 0.35 * len(rows)):
        return None
    width = found[-1][1] - found[0][0]
    levels = [rule for rule in rules if rule.level]
    wide = sorted(rule.box.center[1] for rule in levels if rule.box.width >= WIDE * width)
    header = _num_header_lines(rows, wide)
    below = RulingsBelow(levels)
    middles = [-inf, *accumulate((_middle(row) for row in rows), max)]  # of the lowest row before each
    lines = [_line(row, middles[k], found, below, wide, k < header) for k, row in enumerate(rows)]
    heads = _header_groups(lines[:header])
    groups = heads + [group for chain in _chains(lines[header:]) for group in chain]
    slots = [slot for k, group in enumerate(groups) for slot in _slots(group, k)]
    slots = _raised(slots, len(heads))
    return Cut(len(groups), len(found), slots, len(heads) or None)


def _num_level(rows: Sequence[Sequence[Segment]]) -> int:
    """Rows with something beside their first cell: level with it, or reaching into it from the row below."""
    num_level = sum(len(row) >= 2 for row in rows)
    for above, below in pairwise(rows):
        if len(above) == len(below) == 1:
            num_level += below[0].box.y0 < above[0].box.y1 and below[0].box.x0 > above[0].box.x1
    return num_level


def _with_shifted_heads(
    found: Sequence[tuple[float, float]], rows: Sequence[Sequence[Segment]]
) -> list[tuple[float, float]]:
    """Columns that only the first row fills are those beside them that it leaves empty: its cells stand otherwise."""
    firsts = [bisect_right(found, (segment.box.center[0], inf)) - 1 for segment in rows[0]] if rows else []
    below = {bisect_right(found, (segment.box.center[0], inf)) - 1 for row in rows[1:] for segment in row}
    joined: list[tuple[float, float]] = []
    alone: bool | None = None  # of the column before: filled by the first row alone, or by all rows but the first
    for k, column in enumerate(found):
        own = None if (k in firsts) == (k in below) else k in firsts
        if own is not None and alone is not None and own != alone:
            joined[-1] = (joined[-1][0], column[1])
            alone = None
        else:
            joined.append(column)
            alone = own
    return joined


def _num_header_lines(rows: Sequence[Sequence[Segment]], wide: Sequence[float]) -> int:
    """The printed rows above the first rule below which values stand, or above the first if there are none.

    `wide` are the middles of rules, ascending.
    """
    first = 0
    for k, (above, below) in enumerate(pairwise(rows[: MAX_HEADER_LINES + 1]), 1):
        low, high = max(s.box.y0 for s in above), min(s.box.y1 for s in below)
        if bisect_right(wide, low) < bisect_left(wide, high):
            if _holds_values(below):
                return k
            first = first or k
    return first


def _holds_values(row: Sequence[Segment]) -> bool:
    """Whether most of what stands behind the first cell is numbers."""
    behind = [is_number(_text(segment)) for segment in row[1:]]
    return len(behind) > 0 and sum(behind) >= 0.5 * len(behind)


def _line(
    row: Sequence[Segment],
    before: float,
    found: Sequence[tuple[float, float]],
    levels: RulingsBelow,
    wide: Sequence[float],
    header: bool,
) -> _Line:
    """`before` is the middle of what is printed above; `wide` are the middles of wide rulings, ascending."""
    places = [(*column_range(segment, found, levels, header), segment) for segment in row]
    top, bottom = min(s.box.y0 for s in row), max(s.box.y1 for s in row)
    between = bisect_right(wide, before) < bisect_left(wide, (top + bottom) / 2)
    return _Line(places, top, bottom, ruled=before > -inf and between)


def _middle(row: Sequence[Segment]) -> float:
    return sum((s.box.y0 + s.box.y1) / 2 for s in row) / len(row)


def _header_groups(lines: Sequence[_Line]) -> list[list[_Line]]:
    """Lines of a header by row: one that spans columns is a row by itself, the others are cells of several lines."""
    groups: list[list[_Line]] = []
    for line in lines:
        if groups and not line.spans and not groups[-1][0].spans and not line.ruled:
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _body_groups(lines: Sequence[_Line]) -> list[list[_Line]]:
    """Lines by row."""
    if not lines:
        return []
    pitches = [b.top - a.top for a, b in pairwise(lines)]
    tight = median(sorted(pitches)[: max(1, len(pitches) // 2)]) if pitches else 0.0
    ruled_rows = sum(line.ruled for line in lines) >= max(2, 0.2 * len(lines))
    spaced_rows = sum(pitch > ROOMY * tight for pitch in pitches) >= max(1, 0.25 * len(lines))
    groups = [[lines[0]]]
    for pitch, line in zip(pitches, lines[1:], strict=True):
        roomy = line.ruled or pitch > ROOMY * tight
        if not roomy and _continues(groups[-1][0], line, ruled_rows or spaced_rows):
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _chains(lines: Sequence[_Line]) -> Iterator[list[list[_Line]]]:
    """Rows of the body, in runs: lines that reach into one another stand beside the middle of several lines."""
    plain: list[_Line] = []
    pitch = _pitch(lines)
    k = 0
    while k < len(lines):
        end = k + 1
        while end < len(lines) and _reaches_into(lines[end - 1], lines[end], pitch):
            end += 1
        if end - k < 3:
            plain += lines[k:end]
        else:
            yield _body_groups(plain)
            plain = []
            yield _interleaved(lines[k:end])
        k = end
    yield _body_groups(plain)


def _pitch(lines: Sequence[_Line]) -> float:
    """The usual distance between lines one below the other that have a cell in the same column."""
    pitches = [b.top - a.top for a, b in pairwise(lines) if a.filled & b.filled]
    return median(pitches) if pitches else 0.0


def _reaches_into(above: _Line, below: _Line, pitch: float) -> bool:
    """Whether two lines share no column, and are nearer than lines of one cell or rows are."""
    return not below.ruled and below.top - above.top < INTO * pitch and not above.filled & below.filled


def _interleaved(lines: Sequence[_Line]) -> list[list[_Line]]:
    """One row, unless a column has several values: then those are rows, and what stands between spans them."""
    values = Counter(column for line in lines for column in line.values)
    rows = [line for line in lines if any(values[column] > 1 for column in line.values)]
    if not rows:
        return [list(lines)]
    held = {id(line) for line in rows}
    beside = [replace(line, num_rows=len(rows)) for line in lines if id(line) not in held]
    return [[rows[0], *beside], *([row] for row in rows[1:])]


def _continues(first: _Line, line: _Line, parted: bool) -> bool:
    """Whether a line goes on in the cells of the row above it; `parted`: rows of this table are set apart.

    What goes on fills no other cells than the `first` line of the row does.
    """
    if line.spans or not line.filled <= first.filled or line.values & first.values:
        return False
    if parted:
        return len(line.filled) < len(first.filled) or not line.figures
    if 0 in line.filled:
        starts = _text(line.places[0][2])[:1]
        return line.filled == {0} and len(first.filled) > 1 and starts.islower()
    return not line.figures and len(line.filled) < len(first.filled)


def _slots(group: Sequence[_Line], row: int) -> list[Slot]:
    slots: dict[tuple[int, int], Slot] = {}
    taken: dict[int, tuple[int, int]] = {}
    for line in group:
        for first, last, segment in line.places:
            key = next((taken[c] for c in range(first, last + 1) if c in taken), (first, last))
            if key not in slots:
                slots[key] = Slot(row, key[0], line.num_rows, key[1] - key[0] + 1)
                taken |= dict.fromkeys(range(key[0], key[1] + 1), key)
            slots[key].words.extend(segment.words)
    return list(slots.values())


def _raised(slots: Sequence[Slot], num_header_rows: int) -> list[Slot]:
    """Header cells reach up as far as nothing is above them: the name of a column stands beside those of groups."""
    taken: dict[int, int] = {}  # by column the first row that is not reached from above
    raised: list[Slot] = []
    for slot in slots:
        columns = range(slot.column, slot.column + slot.num_columns)
        top = max(taken.get(column, 0) for column in columns)
        if slot.row < num_header_rows:
            taken.update(dict.fromkeys(columns, slot.row + 1))
            raised.append(replace(slot, row=top, num_rows=slot.row + 1 - top))
        else:
            raised.append(slot)
    return raised


def _text(segment: Segment) -> str:
    return "".join(one.word.text for one in segment.words)
