"""Parts a printed row of a table where its gaps are wide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from documents.boxes import BoundingBox
from documents.tables.cells import PlacedWord, is_leader

MIN_CELL_GAP = 0.75  # minimum gap between two cells, in type sizes


@dataclass(frozen=True, slots=True)
class Segment:
    """Words of one printed row that stand together."""

    words: list[PlacedWord]
    box: BoundingBox


def segments(row: Sequence[PlacedWord]) -> list[Segment]:
    """From the left; dots at the end of one are no part of its box."""
    groups: list[list[PlacedWord]] = []
    for one in row:
        last = groups[-1][-1] if groups else None
        if last is None or _is_apart(last, one):
            groups.append([one])
        else:
            groups[-1].append(one)
    return [_segment(group) for group in groups]


def _segment(group: list[PlacedWord]) -> Segment:
    words = [one for one in group if not is_leader(one)] or group
    return Segment(group, BoundingBox.around([one.box for one in words]))


def _is_apart(a: PlacedWord, b: PlacedWord) -> bool:
    if is_leader(a) and not is_leader(b):
        return True
    return b.box.x0 - a.box.x1 >= MIN_CELL_GAP * max(a.word.font_size, b.word.font_size)
