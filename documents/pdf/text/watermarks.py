"""Tells watermarks from text: large or pale letters set aslant, or large pale ones behind other lines."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

MAX_SKEW = 8.0  # maximum angle off a quarter turn, in degrees: a page may be scanned with some skew
MIN_SIZE = 1.3  # minimum size of a slanted line or of one that crosses others, in type sizes of the body
MIN_PALE_SIZE = 2.5  # minimum size of a line that is only pale
MIN_CROSSING_LIGHTNESS = 0.6  # minimum lightness of a line that crosses others, of 1
MIN_PALE_LIGHTNESS = 0.8  # minimum lightness of a line that is only pale, of 1
MIN_CROSSED_SHARE = 0.3  # minimum share of another line's area that a pale line covers
MAX_WORDS = 5  # maximum number of words of a line that is only pale
MAX_LINES = 50  # pale lines of a page that are compared with the others

_Line = dict[str, Any]  # as MuPDF's rawdict has it


def watermarks(lines: Sequence[_Line]) -> tuple[set[int], set[int]]:
    """The numbers of lines that are watermarks, and of those that are if they stand on paper as light as they."""
    sizes: Counter[float] = Counter()
    for line in lines:
        if not _is_aslant(line):
            for span in line["spans"]:
                sizes[round(2 * span["size"]) / 2] += len(span["chars"])
    if not sizes:
        return set(), set()
    body = sizes.most_common(1)[0][0]
    large = {k for k, line in enumerate(lines) if _size(line) >= MIN_SIZE * body}
    pale = [k for k, line in enumerate(lines) if _lightness(line) >= MIN_CROSSING_LIGHTNESS]
    aslant = {k for k in large if _is_aslant(lines[k])}
    behind = {k for k in pale if k not in large and _is_aslant(lines[k])}
    level = [k for k in pale if k in large and k not in aslant]
    behind |= {k for k in level[:MAX_LINES] if _stands_out(lines[k], body) or _crosses(k, lines, aslant)}
    return aslant, behind


def _is_aslant(line: _Line) -> bool:
    x, y = line["dir"]
    if x == 1.0:
        return False
    degrees = math.degrees(math.atan2(y, x)) % 90
    return min(degrees, 90 - degrees) > MAX_SKEW


def _size(line: _Line) -> float:
    return max(span["size"] for span in line["spans"])


def _lightness(line: _Line) -> float:
    """0..1: how light the darkest letters of a line are on white paper."""
    return min(map(_of_span, line["spans"]))


def _of_span(span: dict[str, Any]) -> float:
    colour = int(span["color"])
    red, green, blue = colour >> 16 & 255, colour >> 8 & 255, colour & 255
    light = (0.3 * red + 0.59 * green + 0.11 * blue) / 255
    return 1 - (1 - light) * span["alpha"] / 255


def _stands_out(line: _Line, body: float) -> bool:
    """Whether a line is so large and pale that it is no heading."""
    if _size(line) < MIN_PALE_SIZE * body or _lightness(line) < MIN_PALE_LIGHTNESS:
        return False
    return len("".join(char["c"] for span in line["spans"] for char in span["chars"]).split()) <= MAX_WORDS


def _crosses(number: int, lines: Sequence[_Line], aslant: set[int]) -> bool:
    """Whether a line covers a good part of a darker, smaller one."""
    x0, y0, x1, y1 = lines[number]["bbox"]
    size, light = _size(lines[number]), _lightness(lines[number])
    for k, line in enumerate(lines):
        a0, b0, a1, b1 = line["bbox"]
        both = (min(x1, a1) - max(x0, a0), min(y1, b1) - max(y0, b0))
        if (
            k == number
            or k in aslant
            or min(both) <= 0
            or both[0] * both[1] < MIN_CROSSED_SHARE * (a1 - a0) * (b1 - b0)
        ):
            continue
        if size >= MIN_SIZE * _size(line) and _lightness(line) < light:
            return True
    return False
