"""The header of a table without upright rules: which printed rows it has, and what its cells stand over."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from documents.tables.cells import Slot, is_number
from documents.tables.columns import Segment
from documents.tables.table_lines import TableLine, segment_text

MAX_HEADER_LINES = 8
TITLE = 0.3  # of the table's width: what is wider and alone in its row is no name of a column
LEAST_VALUES = 0.6  # of the rows, that hold values where these alone say what the header is


def num_header_lines(rows: Sequence[Sequence[Segment]], wide: Sequence[float]) -> int:
    """The printed rows above the first rule below which values stand, or above the first if there are none.

    Without a rule, those above the first row of values, if most rows have some. `wide` are the middles of rules,
    ascending.
    """
    first = 0
    for k, (above, below) in enumerate(pairwise(rows[: MAX_HEADER_LINES + 1]), 1):
        low, high = max(s.box.y0 for s in above), min(s.box.y1 for s in below)
        if bisect_right(wide, low) < bisect_left(wide, high):
            if _holds_values(below):
                return k
            first = first or k
    return first or _num_above_values(rows)


def _num_above_values(rows: Sequence[Sequence[Segment]]) -> int:
    """The rows without a value above the first row of values, less a label right above that row."""
    with_values = [_holds_values(row) for row in rows]
    if sum(with_values) < LEAST_VALUES * len(rows):
        return 0
    end = with_values.index(True)
    if end > 1 and len(rows[end - 1]) == 1:
        end -= 1
    above = rows[:end]
    if end > MAX_HEADER_LINES or any(is_number(segment_text(segment)) for row in above for segment in row):
        return 0
    apart = (row[0] for k, row in enumerate(above) if len(row) == 1 and not 0 < k < end - 1)
    left = min(row[0].box.x0 for row in rows if row)
    width = max(row[-1].box.x1 for row in rows if row) - left
    if any(one.box.x0 - left < one.box.height or one.box.width > TITLE * width for one in apart):
        return 0
    return end


def _holds_values(row: Sequence[Segment]) -> bool:
    """Whether most of what stands behind the first cell is numbers."""
    behind = [is_number(segment_text(segment)) for segment in row[1:]]
    return len(behind) > 0 and sum(behind) >= 0.5 * len(behind)


def header_groups(lines: Sequence[TableLine]) -> list[list[TableLine]]:
    """Lines of a header by row: one that spans columns is a row by itself, the others are cells of several lines."""
    groups: list[list[TableLine]] = []
    for line in lines:
        if groups and not line.spans and not groups[-1][0].spans and not line.ruled:
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def raised(slots: Sequence[Slot], num_header_rows: int) -> list[Slot]:
    """Header cells reach up as far as nothing is above them: the name of a column stands beside those of groups."""
    free: dict[int, int] = {}  # by column the first row that is not reached from above
    higher: list[Slot] = []
    for slot in slots:
        columns = range(slot.column, slot.column + slot.num_columns)
        top = max(free.get(column, 0) for column in columns)
        if slot.row < num_header_rows:
            free.update(dict.fromkeys(columns, slot.row + 1))
            higher.append(replace(slot, row=top, num_rows=slot.row + 1 - top))
        else:
            higher.append(slot)
    return higher
