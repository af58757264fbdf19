"""Finds columns by rivers: vertical white stretches in nearly all rows, however narrow."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import inf
from statistics import median

from documents.tables.cells import PlacedWord, is_leader, is_value
from documents.tables.settings import TableSettings
from documents.tables.table_columns import BLANK

LEAST_PARTED = 3  # rows of several cells that say the columns of a small table: a heading over columns is none
MAX_NAME_ROWS = 3  # at the top, one of which may name columns that have nothing else
NAMED = 0.6  # of the columns with more than a name, that it names
APART = 1.5  # sizes of the type between two columns of values of which each row has one

Span = tuple[float, float]


def river_columns(rows: Sequence[Sequence[PlacedWord]], settings: TableSettings) -> list[Span]:
    """The left and right edge of each column, from the left; words of a row stand from the left."""
    words = [[one for one in row if not is_leader(one)] for row in rows]
    size = median([one.word.font_size for row in words for one in row] or [0.0])
    least = size * (settings.few_river if len(rows) < settings.few_rows else settings.river)
    num_bridging = int(settings.bridged * len(rows))
    parted = [row for row in words if _has_gap(row)]
    rivers = _rivers(parted if not num_bridging and len(parted) >= LEAST_PARTED else words, num_bridging, least)
    rivers = _parting(words, rivers, settings)
    if not rivers:
        return []
    rivers = sorted([*rivers, *_among_names(words, rivers, BLANK * size)])
    left = min(row[0].box.x0 for row in words if row)
    right = max(one.box.x1 for row in words for one in row)
    edges = [left, *(edge for river in rivers for edge in river), right]
    return list(zip(edges[::2], edges[1::2], strict=True))


def _has_gap(row: Sequence[PlacedWord]) -> bool:
    """Whether a row has several cells without a doubt."""
    return any(b.box.x0 - a.box.x1 >= BLANK * max(a.word.font_size, b.word.font_size) for a, b in pairwise(row))


def _rivers(rows: Sequence[Sequence[PlacedWord]], tolerance: int, least: float) -> list[Span]:
    """One of each stretch that at most `tolerance` rows cover."""
    steps: list[tuple[float, int]] = []
    for row in rows:
        right = float("-inf")
        for one in row:  # words over one another count once
            if one.box.x1 > right:
                steps += ((max(one.box.x0, right), 1), (one.box.x1, -1))
                right = one.box.x1
    steps.sort()
    stretches: list[list[tuple[float, float, int]]] = [[]]
    covering = 0
    for k, (at, step) in enumerate(steps[:-1]):
        covering += step
        following = steps[k + 1][0]
        if covering > tolerance:
            if stretches[-1]:
                stretches.append([])
        elif following > at:
            stretches[-1].append((at, following, covering))
    rivers = (_widest(stretch, tolerance, least) for stretch in stretches if stretch)
    return [river for river in rivers if river is not None]


def _widest(stretch: Sequence[tuple[float, float, int]], tolerance: int, least: float) -> Span | None:
    """The widest part that as few rows as possible cover, if any is wide enough."""
    for level in range(tolerance + 1):
        parts: list[Span] = []
        for low, high, covering in stretch:
            if covering > level:
                continue
            if parts and low <= parts[-1][1]:
                parts[-1] = (parts[-1][0], high)
            else:
                parts.append((low, high))
        if not parts:
            continue
        low, high = max(parts, key=lambda part: part[1] - part[0])
        if high - low >= least:
            return low, high
    return None


def _parting(rows: Sequence[Sequence[PlacedWord]], rivers: Sequence[Span], settings: TableSettings) -> list[Span]:
    """Those that have words next to them on both sides in enough rows; the worst goes first, of several the narrowest.

    One between values that never stand in the same rows, as amounts and their sums, stays if it is wide, and so do one
    between names of columns that are seldom filled in the same rows, and one beside a column that has but its name.
    """
    rivers = list(rivers)
    level = [sorted(row, key=lambda one: one.box.x0) for row in _level_rows(rows)]
    enough = max(2.0, settings.least_filled * len(rows))
    size = median([one.word.font_size for row in rows for one in row] or [0.0])
    while rivers:
        cells = [_by_place(row, rivers) for row in level]
        counts = [sum(k in row and k + 1 in row for row in cells) for k in range(len(rivers))]
        values = [
            sum(all(is_value(one.word.text) for one in row[k]) for row in cells if k in row)
            for k in range(len(rivers) + 1)
        ]
        filled = [sum(k in row for row in cells) for k in range(len(rivers) + 1)]
        named = _beside_empty_columns(cells, len(rivers), BLANK * size)
        for k, (low, high) in enumerate(rivers):
            side = filled if k in cells[0] and k + 1 in cells[0] else values
            if k in named or (high - low >= APART * size and min(side[k : k + 2]) >= enough):
                counts[k] = len(level)
        worst = min(range(len(rivers)), key=lambda k: (counts[k], rivers[k][1] - rivers[k][0]))
        if counts[worst] >= enough:
            break
        del rivers[worst]
    return rivers


def _by_place(row: Sequence[PlacedWord], rivers: Sequence[Span]) -> dict[int, list[PlacedWord]]:
    """The words of a row by how many rivers are left of them."""
    places: dict[int, list[PlacedWord]] = {}
    for one in row:
        middle = one.box.center[0]
        places.setdefault(bisect_left(rivers, (middle, middle)), []).append(one)
    return places


def _beside_empty_columns(rows: Sequence[Mapping[int, Sequence[PlacedWord]]], num_rivers: int, gap: float) -> set[int]:
    """Rivers beside columns in which only a row of names has words, wide apart: it has some in most of the others."""
    num_top = min(MAX_NAME_ROWS, len(rows) // 2)
    others = {place for row in rows[num_top:] for place in row}
    beside: set[int] = set()
    for row in rows[:num_top]:
        empty = row.keys() - others
        if not empty or len(others & row.keys()) < max(2.0, NAMED * len(others)):
            continue
        for k in range(num_rivers):
            if (k in empty or k + 1 in empty) and k in row and k + 1 in row and _gap(row[k], row[k + 1]) >= gap:
                beside.add(k)
    return beside


def _among_names(rows: Sequence[Sequence[PlacedWord]], rivers: Sequence[Span], gap: float) -> Iterator[Span]:
    """The wide gaps between names of columns that have nothing else, where several stand between two rivers.

    A name may reach into a river that some rows bridge: a gap is no part of one.
    """
    cells = [_by_place(row, rivers) for row in rows]
    num_top = min(MAX_NAME_ROWS, len(rows) // 2)
    below = {place for row in cells[num_top:] for place in row}
    for place in {place for row in cells[:num_top] for place in row} - below:
        gaps = [
            [(a.box.x1, b.box.x0) for a, b in pairwise(row.get(place, ())) if b.box.x0 - a.box.x1 >= gap]
            for row in cells[:num_top]
        ]
        left = rivers[place - 1][1] if place > 0 else -inf
        right = rivers[place][0] if place < len(rivers) else inf
        clipped = ((max(low, left), min(high, right)) for low, high in max(gaps, key=len))
        yield from ((low, high) for low, high in clipped if low < high)


def _gap(left: Sequence[PlacedWord], right: Sequence[PlacedWord]) -> float:
    return min(one.box.x0 for one in right) - max(one.box.x1 for one in left)


def _level_rows(rows: Sequence[Sequence[PlacedWord]]) -> list[list[PlacedWord]]:
    """Rows with those that reach into them: values beside the middle of two lines stand beside both."""
    level: list[list[PlacedWord]] = []
    bottom = float("-inf")
    for row in rows:
        if level and row and min(one.box.y0 for one in row) < bottom:
            level[-1].extend(row)
        else:
            level.append(list(row))
        bottom = max((one.box.y1 for one in row), default=bottom)
    return level
