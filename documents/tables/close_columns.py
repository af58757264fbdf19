"""Splits cells of two columns that stand as near as words do, where many rows split alike at a column's edge."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence

from documents.tables.cells import PlacedWord
from documents.tables.table_columns import Segment, segment_of

EDGE = 0.3  # sizes of the type by which a cell may stand beside the edge of its column
LEAST_ROWS = 3  # that part alike
LEAST_SHARE = 0.3  # of all rows

Span = tuple[float, float]


def parted_alike(rows: Sequence[Sequence[Segment]], columns: Sequence[Span]) -> list[list[Segment]]:
    """The rows, with segments over columns parted where many rows have one whose parts stand at their edges.

    A row that is one segment may be a line of text.
    """
    parts = {id(segment): _parts(segment, columns) if len(row) > 1 else {} for row in rows for segment in row}
    edges = Counter(column for at_edges in parts.values() for column in list(at_edges)[1:])
    enough = max(LEAST_ROWS, LEAST_SHARE * len(rows))
    alike = {column for column, num in edges.items() if num >= enough}
    if not alike:
        return [list(row) for row in rows]
    return [[part for segment in row for part in _parted(segment, parts[id(segment)], alike)] for row in rows]


def _parts(segment: Segment, columns: Sequence[Span]) -> dict[int, list[PlacedWord]]:
    """The words by column, or none where a part does not stand at an edge of its column."""
    parts: dict[int, list[PlacedWord]] = {}
    for one in segment.words:
        column = bisect_right(columns, one.box.center[0], key=lambda span: span[0]) - 1
        parts.setdefault(column, []).append(one)
    if len(parts) < 2 or -1 in parts:
        return {}
    near = EDGE * segment.words[0].word.font_size
    for column, words in parts.items():
        low, high = columns[column]
        if min(abs(words[0].box.x0 - low), abs(words[-1].box.x1 - high)) > near:
            return {}
    return parts


def _parted(segment: Segment, parts: dict[int, list[PlacedWord]], alike: set[int]) -> list[Segment]:
    groups: list[list[PlacedWord]] = []
    for column, words in parts.items():
        if groups and column not in alike:
            groups[-1].extend(words)
        else:
            groups.append(list(words))
    return [segment_of(group) for group in groups] if len(groups) > 1 else [segment]
