"""Recognizes line numbers in the margin, which are not a table column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from documents.inspection import TextLine
from documents.values import BoundingBox


@dataclass(frozen=True, slots=True)
class LineNumbers:
    """What makes a column of numbers one that counts lines."""

    edge: float = 14.0  # points by which the numbers' left edges differ: digits are set to the right
    min_numbers: int = 8  # of a page
    min_beyond: int = 2  # numbers that go on outside of the table
    max_digits: int = 3


def counts_lines(box: BoundingBox, lines: Sequence[TextLine], limits: LineNumbers) -> bool:
    """Whether the first column of `box` is a part of numbers that run down the page, one up from line to line."""
    firsts = ((line, line.text.split(maxsplit=1)[:1]) for line in lines)
    numbers = [
        (line, int(word))
        for line, first in firsts
        for word in first
        if word.isdecimal() and len(word) <= limits.max_digits
    ]
    inside = [line.box.x0 for line, _ in numbers if box.contains(*line.box.center)]
    if not inside:
        return False
    left = min(inside)
    column = sorted((line.box.center[1], value) for line, value in numbers if abs(line.box.x0 - left) <= limits.edge)
    rising = all(b == a + 1 for (_, a), (_, b) in pairwise(column))
    beyond = sum(not box.y0 <= y <= box.y1 for y, _ in column)
    return rising and len(column) >= limits.min_numbers and beyond >= limits.min_beyond
