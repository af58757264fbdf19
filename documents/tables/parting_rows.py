"""Counts how many rows leave each vertical gap of a table free."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

Span = tuple[float, float]  # left and right edge, points


def num_parting(stretches: Sequence[Span], rows: Sequence[Sequence[Span]], least: float) -> list[int]:
    """For each stretch the rows of which at least two spans lie in it, each by more than `least` points.

    Spans of a row stand by their left edges.
    """
    orderly: list[Sequence[Span]] = []
    others: list[Sequence[Span]] = []  # rows whose spans lie over one another
    for row in rows:
        wide = [span for span in row if span[1] - span[0] > least]
        (orderly if all(a[1] <= b[1] for a, b in pairwise(wide)) else others).append(wide)
    counts = _num_orderly(stretches, orderly, least)
    return [
        count + sum(sum(min(high, b) - max(low, a) > least for a, b in row) >= 2 for row in others)
        for count, (low, high) in zip(counts, stretches, strict=True)
    ]


def _num_orderly(stretches: Sequence[Span], rows: Sequence[Sequence[Span]], least: float) -> list[int]:
    """A row counts if of its spans the first that ends far enough in the stretch has one behind it that begins there.

    Stretches are taken from the left; each row then has one such pair, whose second span is listed by its beginning.
    """
    pairs = sorted((one[1], number, k) for number, row in enumerate(rows) for k, one in enumerate(row[:-1]))
    starts = sorted(two[0] for row in rows for two in row[1:])
    listed = _Counts(len(starts))
    for row in rows:
        if len(row) > 1:
            listed.add(bisect_left(starts, row[1][0]), 1)
    counts = [0] * len(stretches)
    passed = 0
    for at in sorted(range(len(stretches)), key=lambda k: stretches[k][0]):
        low, high = stretches[at]
        while passed < len(pairs) and not pairs[passed][0] - low > least:
            _, number, k = pairs[passed]
            listed.add(bisect_left(starts, rows[number][k + 1][0]), -1)
            if k + 2 < len(rows[number]):
                listed.add(bisect_left(starts, rows[number][k + 2][0]), 1)
            passed += 1
        if high - low > least:
            within = bisect_left(starts, True, key=lambda start, high=high: not high - start > least)
            counts[at] = listed.before(within)
    return counts


class _Counts:
    """Counts by place, and how many there are before any place, in logarithmic time (Fenwick, 1994)."""

    def __init__(self, num_places: int) -> None:
        self._sums = [0] * (num_places + 1)

    def add(self, place: int, count: int) -> None:
        place += 1
        while place < len(self._sums):
            self._sums[place] += count
            place += place & -place

    def before(self, place: int) -> int:
        total = 0
        while place:
            total += self._sums[place]
            place -= place & -place
        return total
