"""Numbers in the margin that count the lines of a page make no table of the lines that they stand beside."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from documents.inspection import TextLine
from documents.values import BoundingBox

EDGE = 14.0  # points by which the numbers' left edges differ: figures are set to the right
LEAST = 8  # numbers of a page, before they are taken to count its lines
BEYOND = 2  # numbers that go on outside of the table


def counts_lines(box: BoundingBox, lines: Sequence[TextLine]) -> bool:
    """Whether the first column of `box` is a part of numbers that run down the page, one up from line to line."""
    numbers = [(line, int(first)) for line in lines if (first := line.text.split()[0]).isdigit() and len(first) <= 3]
    inside = [line.box.x0 for line, _ in numbers if box.contains(*line.box.center)]
    if not inside:
        return False
    column = sorted((line.box.center[1], value) for line, value in numbers if abs(line.box.x0 - min(inside)) <= EDGE)
    rising = all(b == a + 1 for (_, a), (_, b) in pairwise(column))
    beyond = sum(not box.y0 <= y <= box.y1 for y, _ in column)
    return rising and len(column) >= LEAST and beyond >= BEYOND
