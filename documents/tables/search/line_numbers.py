"""Recognises line numbers in the margin or before lines of a program, which make no table of the lines beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from documents.boxes import BoundingBox
from documents.inspection import TextLine


@dataclass(frozen=True, slots=True)
class LineNumbers:
    """What makes a column of numbers one that counts lines."""

    edge: float = 14.0  # points by which the numbers' left edges differ: digits are set to the right
    min_numbers: int = 8  # of a page
    min_beyond: int = 2  # numbers that go on outside of the table
    max_digits: int = 3
    typed: float = 0.9  # of the lines beside numbers: in one width of letters, as programs are printed


def counts_lines(box: BoundingBox, lines: Sequence[TextLine], limits: LineNumbers) -> bool:
    """Whether the first column of `box` counts lines, one up from line to line.

    It is a part of numbers that run down the page, or stands before lines of a program.
    """
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
    if rising and len(column) >= limits.min_numbers and beyond >= limits.min_beyond:
        return True
    within = [value for y, value in column if box.y0 <= y <= box.y1]
    rising = all(b == a + 1 for a, b in pairwise(within))
    return rising and len(within) >= limits.min_numbers and _is_program(box, lines, limits)


def _is_program(box: BoundingBox, lines: Sequence[TextLine], limits: LineNumbers) -> bool:
    """Whether lines with letters in one width stand one below the other, none beside another."""
    inside = [line for line in lines if box.contains(*line.box.center) and not line.text.strip().isdecimal()]
    inside.sort(key=lambda line: line.box.y0)
    level = sum(below.box.y0 < above.box.center[1] for above, below in pairwise(inside))
    typed = sum(line.monospaced for line in inside)
    return bool(inside) and typed >= limits.typed * len(inside) and level <= (1 - limits.typed) * len(inside)
