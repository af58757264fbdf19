"""Tells which upright rules stand above a level one, for many level ones at once."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from documents.values import BoundingBox


def places_above(
    levels: Sequence[BoundingBox], uprights: Sequence[BoundingBox], meet: float, most: int
) -> list[list[float]]:
    """For each level box the middles of the upright ones that end at it, or cross it, from the left.

    None for a box with `most` of them or more. Boxes that are nearer than `meet` touch.
    """
    middles = sorted({box.center[0] for box in uprights})
    number = {middle: k for k, middle in enumerate(middles)}
    begins = sorted((box.y0, number[box.center[0]]) for box in uprights)
    ends = sorted((box.y1 + meet, number[box.center[0]]) for box in uprights)
    counts = [0] * len(middles)
    standing = 0  # a bit for each middle, from the left
    begun = ended = 0
    places: list[list[float]] = [[] for _ in levels]
    for at in sorted(range(len(levels)), key=lambda k: levels[k].y0):
        level = levels[at]
        while begun < len(begins) and begins[begun][0] < level.y0 - meet:
            k = begins[begun][1]
            counts[k] += 1
            standing |= 1 << k
            begun += 1
        while ended < begun and ends[ended][0] < level.y0 - meet:
            k = ends[ended][1]
            counts[k] -= 1
            if not counts[k]:
                standing &= ~(1 << k)
            ended += 1
        places[at] = _within(standing, middles, level.x0 + meet, level.x1 - meet, most)
    return places


def _within(standing: int, middles: Sequence[float], left: float, right: float, most: int) -> list[float]:
    """The middles between two edges whose bits are set, or none if they are too many."""
    low, high = bisect_right(middles, left), bisect_left(middles, right)
    bits = (standing >> low) & ((1 << max(0, high - low)) - 1)
    if bits.bit_count() >= most:
        return []
    within: list[float] = []
    while bits:
        within.append(middles[low + (bits & -bits).bit_length() - 1])
        bits &= bits - 1
    return within
