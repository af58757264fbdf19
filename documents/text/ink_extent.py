"""How far the ink of a printed line reaches above and below its baseline, and the type size that follows from it."""

from __future__ import annotations

ASCENDING = frozenset("bdfhijkltβδζθλξφψбфёй!?|/\\()[]{}'\"‘’“”%&#$€£@†‡§¶*")
DESCENDING = frozenset("gjpqyQçşβγζημξρςφχψрфуцщд,;|/\\()[]{}§¶µ")
HIGH, LOW, BELOW = 0.72, 0.5, 0.21  # of the type's size: capitals, small letters without ascenders, descenders


def ink_extent(text: str) -> tuple[float, float]:
    """Above and below the baseline, in sizes of the type; of scripts without capitals as of a line that has both."""
    letters = [sign for sign in text if sign.isalpha()]
    if any(sign.upper() == sign.lower() for sign in letters):
        return HIGH, BELOW
    is_high = any(sign in ASCENDING or sign.isupper() or sign.isdigit() for sign in text)
    return HIGH if is_high else LOW, BELOW if any(sign in DESCENDING for sign in text) else 0.0


def type_size_of_ink(text: str, height: float) -> float:
    """The type size of a line whose ink is so high, in the unit of `height`."""
    return height / sum(ink_extent(text))
