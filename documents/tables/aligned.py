"""Cuts tables without grid lines into cells: columns from white gaps, rows from rules and text."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import inf
from statistics import median

from documents.inspection import Ruling
from documents.tables.cells import Cut, PlacedWord, Slot, baselines
from documents.tables.columns import (
    RulingsBelow,
    Segment,
    across,
    joined_levels,
    parted_as_below,
    parted_by_columns,
    segments,
)
from documents.tables.headers import MAX_HEADER_LINES, header_slots, num_above_values, num_header_lines
from documents.tables.rivers import river_columns
from documents.tables.settings import DEFAULT, TableSettings
from documents.tables.table_lines import TableLine, segment_text, table_lines

WIDE = 0.6  # of the table's width: a level rule that parts rows
ROOMY = 1.3  # times the usual pitch of lines: more parts two rows
NEAR = 1.0  # points by which a cell may reach over the edge of its column
INTO = 0.75  # of the usual distance of lines: nearer, one stands beside the middle of two


def cut_by_alignment(
    words: Sequence[PlacedWord], rules: Sequence[Ruling], settings: TableSettings = DEFAULT
) -> Cut | None:
    """The table that words stand in, or None if there are no two rows and columns; boxes of both are upright."""
    uprights = sorted((rule for rule in rules if not rule.level), key=across)
    printed = baselines(words)
    rows = [segments(row, uprights) for row in printed]
    column_spans = river_columns(printed, settings)
    rows = [parted_by_columns(row, column_spans) for row in rows]
    column_spans = _with_shifted_heads(column_spans, rows)
    if len(column_spans) < 2 or len(rows) < 2 or _num_level(rows) < max(2, 0.35 * len(rows)):
        return None
    width = column_spans[-1][1] - column_spans[0][0]
    levels = [rule for rule in rules if rule.level]
    wide = sorted(box.center[1] for box in joined_levels(levels) if box.width >= WIDE * width)
    rulings = RulingsBelow(levels)
    above = max(num_header_lines(rows, wide), num_above_values(rows))
    body = _body_edges(rows[above:], column_spans)
    short = RulingsBelow([rule for rule in levels if rule.box.width < WIDE * width])
    rows[:above] = [parted_as_below(row, column_spans, body, short) for row in rows[:above]]
    header = num_header_lines(rows, wide)
    lines = table_lines(rows, column_spans, rulings, wide, header)
    slots, num_heads = header_slots(lines[:header])
    groups = [group for chain in _chains(lines[header:]) for group in chain]
    slots += [slot for k, group in enumerate(groups, num_heads) for slot in _slots(group, k)]
    return Cut(num_heads + len(groups), len(column_spans), slots, num_heads or None)


def _num_level(rows: Sequence[Sequence[Segment]]) -> int:
    """Rows with something beside their first cell: level with it, or reaching into it from the row below."""
    num_level = sum(len(row) >= 2 for row in rows)
    for above, below in pairwise(rows):
        if len(above) == len(below) == 1:
            num_level += below[0].box.y0 < above[0].box.y1 and below[0].box.x0 > above[0].box.x1
    return num_level


def _with_shifted_heads(
    columns: Sequence[tuple[float, float]], rows: Sequence[Sequence[Segment]]
) -> list[tuple[float, float]]:
    """The columns; one that only rows at the top fill and one beside it that only rows below them fill are the same."""
    most = min(MAX_HEADER_LINES, len(rows) // 2)
    shifted: list[tuple[float, float]] = []
    last: list[int] | None = None  # rows that fill the column before, unless it was joined already
    for column, filled in zip(columns, _filling_rows(columns, rows), strict=True):
        if last and filled and any(a[-1] < min(b[0], most) for a, b in ((last, filled), (filled, last))):
            shifted[-1] = (shifted[-1][0], column[1])
            last = None
        else:
            shifted.append(column)
            last = filled
    return shifted


def _body_edges(
    rows: Sequence[Sequence[Segment]], columns: Sequence[tuple[float, float]]
) -> list[tuple[float, float] | None]:
    """For each column the left and right edge of the segments that stand in it alone, or None if there are none."""
    edges: list[tuple[float, float] | None] = [None] * len(columns)
    for segment in (segment for row in rows for segment in row):
        first, last = (
            bisect_right(columns, (edge, inf)) - 1 for edge in (segment.box.x0 + NEAR, segment.box.x1 - NEAR)
        )
        if first == last and first >= 0:
            low, high = edges[first] or (inf, -inf)
            edges[first] = min(low, segment.box.x0), max(high, segment.box.x1)
    return edges


def _filling_rows(columns: Sequence[tuple[float, float]], rows: Sequence[Sequence[Segment]]) -> list[list[int]]:
    """For each column the rows with the middle of a segment in it, from the top."""
    filling: list[list[int]] = [[] for _ in columns]
    for k, row in enumerate(rows):
        columns_before = {bisect_right(columns, (segment.box.center[0], inf)) for segment in row}
        for num_before in columns_before - {0}:
            filling[num_before - 1].append(k)
    return filling


def _body_groups(lines: Sequence[TableLine]) -> list[list[TableLine]]:
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
        if not roomy and (
            _continues(groups[-1][0], line, ruled_rows or spaced_rows) or _label_goes_on(groups[-1][-1], line)
        ):
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _chains(lines: Sequence[TableLine]) -> Iterator[list[list[TableLine]]]:
    """Rows of the body, in runs: lines that reach into one another stand beside the middle of several lines."""
    plain: list[TableLine] = []
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


def _pitch(lines: Sequence[TableLine]) -> float:
    """The usual distance between lines one below the other that have a cell in the same column."""
    pitches = [b.top - a.top for a, b in pairwise(lines) if a.filled & b.filled]
    return median(pitches) if pitches else 0.0


def _reaches_into(above: TableLine, below: TableLine, pitch: float) -> bool:
    """Whether two lines share no column, and are nearer than lines of one cell or rows are."""
    return not below.ruled and below.top - above.top < INTO * pitch and not above.filled & below.filled


def _interleaved(lines: Sequence[TableLine]) -> list[list[TableLine]]:
    """One row, unless a column has several values: then those are rows, and what stands between spans them."""
    values = Counter(column for line in lines for column in line.values)
    rows = [line for line in lines if any(values[column] > 1 for column in line.values)]
    if not rows:
        return [list(lines)]
    row_ids = {id(line) for line in rows}
    beside = [replace(line, num_rows=len(rows)) for line in lines if id(line) not in row_ids]
    return [[rows[0], *beside], *([row] for row in rows[1:])]


def _continues(first: TableLine, line: TableLine, parted: bool) -> bool:
    """Whether a line goes on in the cells of the row above it; `parted`: rows of this table are set apart.

    What goes on fills no other cells than the `first` line of the row does.
    """
    if line.spans or not line.filled <= first.filled or line.values & first.values:
        return False
    if parted:
        return len(line.filled) < len(first.filled) or not line.figures
    if 0 in line.filled:
        starts = segment_text(line.places[0][2])[:1]
        return line.filled == {0} and len(first.filled) > 1 and starts.islower()
    return not line.figures and len(line.filled) < len(first.filled)


def _label_goes_on(above: TableLine, line: TableLine) -> bool:
    """Whether a line above holds nothing but the beginning of the label that a line with values ends."""
    if above.filled != {0} or len(line.filled) < 2 or not line.label:
        return False
    return line.label[0].islower() or above.label.endswith((",", "-", "(", "/", "&"))


def _slots(group: Sequence[TableLine], row: int) -> list[Slot]:
    slots: dict[tuple[int, int], Slot] = {}
    slot_of: dict[int, tuple[int, int]] = {}
    for line in group:
        for first, last, segment in line.places:
            key = next((slot_of[c] for c in range(first, last + 1) if c in slot_of), (first, last))
            if key not in slots:
                slots[key] = Slot(row, key[0], line.num_rows, key[1] - key[0] + 1)
                slot_of |= dict.fromkeys(range(key[0], key[1] + 1), key)
            slots[key].words.extend(segment.words)
    return list(slots.values())
