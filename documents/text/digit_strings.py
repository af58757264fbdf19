"""Digit strings of a text: which of them other readings of the same print say, and how the others are marked.

A string goes on over points, commas and apostrophes, which readings confuse: `1,234.50` is 123450.
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
_DIGITS = re.compile(r"(?:</?(?:table|thead|tbody|tfoot|tr|td|th)\b[^<>]*>)|(\d+(?:[.,'’]\d+)*)")  # not those of spans

_CHARACTERS = "0123456789.,'’"  # of a marked string, as its reader wrote it
_DIGIT = re.compile(r"\d")
_DIGIT_TWINS = str.maketrans("OoIl", "0011")


class DigitString(NamedTuple):
    """`text[start:end]`; `value` has its digits alone, in ASCII."""

    start: int
    end: int
    value: str


def digit_strings(text: str) -> Iterator[DigitString]:
    """All of them, from the left."""
    for match in _DIGITS.finditer(text):
        digits = match[1]
        if digits is None:
            continue
        if not (digits.isascii() and digits.isdecimal()):
            digits = "".join(str(unicodedata.decimal(digit)) for digit in digits if digit.isdecimal())
        yield DigitString(match.start(), match.end(), digits)


def counted(texts: Iterable[str]) -> Counter[str]:
    """How often each digit string occurs."""
    return Counter(digits.value for text in texts for digits in digit_strings(text))


def counted_as_read(text: str) -> Counter[str]:
    """How often a look at print says each string: letters that are drawn like digits may be such, beside a digit."""
    alike = " ".join(word.translate(_DIGIT_TWINS) if _DIGIT.search(word) else word for word in text.split(" "))
    return counted([text]) | counted([alike])


def most_said(looks: Iterable[Counter[str]]) -> Counter[str]:
    """How often each string is printed at most, by several looks at one print."""
    union: Counter[str] = Counter()
    for look in looks:
        union |= look
    return union


def ranges_of(text: str, values: Mapping[str, int]) -> tuple[TextRange, ...]:
    """Where any of these strings stand; all places of one that stands there once too often."""
    if not values:
        return ()
    return tuple(TextRange(start=one.start, end=one.end) for one in digit_strings(text) if one.value in values)


def without_marked(text: str) -> str:
    """The text without the digits that a MARK follows."""
    *marked, last = text.split(MARK)
    return " ".join([*(part.rstrip(_CHARACTERS) for part in marked), last])


def marked_text(text: str, unproved: Sequence[TextRange]) -> str:
    """The text with MARK behind what is not proved."""
    ends = [0, *(digits.end for digits in unproved), len(text)]
    return MARK.join(text[start:end] for start, end in pairwise(ends))
