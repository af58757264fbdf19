"""Finds columns by narrow vertical white gaps that nearly all rows leave free."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from documents.tables.cells import PlacedWord, is_leader
from documents.tables.columns import BLANK
from documents.tables.settings import TableSettings

LEAST_PARTED = 3  # rows of several cells that say the columns of a small table: a heading over columns is none

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
    """Those that have words next to them on both sides in enough rows; the worst goes first."""
    rivers = list(rivers)
    enough = max(2.0, settings.least_filled * len(rows))
    middles = [[one.box.center[0] for one in row] for row in _level_rows(rows)]
    while rivers:
        counts = [0] * len(rivers)
        for row in middles:
            places = {bisect_left(rivers, (middle, middle)) for middle in row}
            for k in range(len(rivers)):
                counts[k] += k in places and k + 1 in places
        worst = min(range(len(rivers)), key=counts.__getitem__)
        if counts[worst] >= enough:
            break
        del rivers[worst]
    return rivers


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
