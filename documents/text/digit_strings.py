"""Digit strings of a text: which of them other readings of the same print say, and how the others are marked.

Signs between digits are left to typography: `1,234.50` is three strings, of which each must be said.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from documents.region_values import TextRange

MARK = "[?]"  # stands behind digits that nothing proves, in every text that is delivered
_DIGITS = re.compile(r"(?:</?(?:table|thead|tbody|tfoot|tr|td|th)\b[^<>]*>)|(\d+)")  # not those of spans


class DigitString(NamedTuple):
    """`text[start:end]`; `value` says it in ASCII."""

    start: int
    end: int
    value: str


def digit_strings(text: str) -> Iterator[DigitString]:
    """All of them, from the left."""
    for match in _DIGITS.finditer(text):
        digits = match[1]
        if digits is None:
            continue
        if not digits.isascii():
            digits = "".join(str(unicodedata.decimal(digit)) for digit in digits)
        yield DigitString(match.start(), match.end(), digits)


def counted(texts: Iterable[str]) -> Counter[str]:
    """How often each digit string is said."""
    return Counter(digits.value for text in texts for digits in digit_strings(text))


def most_said(looks: Iterable[Counter[str]]) -> Counter[str]:
    """How often each string is printed at most, by several looks at one print."""
    union: Counter[str] = Counter()
    for look in looks:
        union |= look
    return union


def ranges_of(text: str, values: Mapping[str, int]) -> tuple[TextRange, ...]:
    """Where any of these strings stand; all places of one that is said once too often: nobody knows which is wrong."""
    if not values:
        return ()
    return tuple(TextRange(start=one.start, end=one.end) for one in digit_strings(text) if one.value in values)


def marked_text(text: str, unproved: Sequence[TextRange]) -> str:
    """The text with MARK behind what is not proved."""
    ends = [0, *(digits.end for digits in unproved), len(text)]
    return MARK.join(text[start:end] for start, end in pairwise(ends))
