"""Decides which columns a group name in a table header spans where no rule below it shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from documents.tables.table_columns import Segment
from documents.tables.table_lines import TableLine, segment_text

MAX_COLUMNS = 8  # of a group that no rule shows
MAX_TABLE_COLUMNS = 60  # the work grows with the cube of the columns

Place = tuple[int, int, Segment]  # first column, last column


def with_group_names(lines: Sequence[TableLine]) -> list[TableLine]:
    """The lines of a header; a name above names of columns that repeat below each such name spans these."""
    if any(last >= MAX_TABLE_COLUMNS for line in lines for _, last, _ in line.places):
        return list(lines)
    spread = list(lines)
    for k, line in enumerate(lines[:-1]):
        names = _names(lines[k + 1 :])
        if lines[k + 1].ruled and line.spans:
            continue  # a rule parts this line from the next, and its pieces decided what each name spans
        places = _by_repeats(line.places, names)
        if places is not None:
            spread[k] = replace(line, places=places)
    return spread


def _names(lines: Sequence[TableLine]) -> dict[int, str]:
    """The text in each column from the top; a name over several columns is in each of them."""
    names: dict[int, str] = {}
    for line in lines:
        for first, last, segment in line.places:
            for column in range(first, last + 1):
                names[column] = f"{names.get(column, '')} {segment_text(segment)}"
    return names


def _by_repeats(places: Sequence[Place], names: Mapping[int, str]) -> list[Place] | None:
    """Each over as many columns as the names below repeat after, if they do below several of them."""
    above = [place for place in places if place[0] > 0 and place[0] in names]
    for num in range(len(above), 1, -1):
        for at in range(len(above) - num + 1):
            groups = above[at : at + num]
            spans = _repeating(groups, names)
            if not spans:
                continue
            first = min(start for start, _ in spans.values())
            last = max(end for _, end in spans.values())
            if sum(first <= b and a <= last for a, b, _ in places) == num:
                return [(*spans.get(id(segment), (a, b)), segment) for a, b, segment in places]
    return None


def _repeating(groups: Sequence[Place], names: Mapping[int, str]) -> dict[int, tuple[int, int]]:
    """The first and last column of each group by the identity of its segment; none where the names do not repeat."""
    last = max(names)
    for width in range(min(MAX_COLUMNS, last // len(groups)), 1, -1):
        for first in range(max(1, groups[0][1] - width + 1), groups[0][0] + 1):
            starts = [first + k * width for k in range(len(groups))]
            if (
                starts[-1] + width - 1 <= last
                and all(start <= a and b < start + width for start, (a, b, _) in zip(starts, groups, strict=True))
                and _repeat(names, starts, width)
            ):
                return {id(p[2]): (start, start + width - 1) for start, p in zip(starts, groups, strict=True)}
    return {}


def _repeat(names: Mapping[int, str], starts: Sequence[int], width: int) -> bool:
    first = [names.get(starts[0] + k) for k in range(width)]
    if None in first or len(set(first)) < width:
        return False
    return all([names.get(start + k) for k in range(width)] == first for start in starts[1:])
