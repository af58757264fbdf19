"""How far the ink of a printed line reaches above and below its baseline, and the type size that follows from it."""

from __future__ import annotations

import unicodedata

ASCENDING_CHARACTERS = frozenset("bdfhijkltßłđħþðβδζθλξφψбфёіј!?|/\\()[]{}'\"‘’“”%&#$€£@†‡§¶*")
DESCENDING_CHARACTERS = frozenset("gjpqyQβγζημξρςφχψрфуцщд,;|/\\()[]{}§¶µ")
MARKS_ABOVE, MARKS_BELOW = frozenset({230}), frozenset({202, 220})  # Unicode's combining classes
CAPITAL_HEIGHT = 0.72  # all in type sizes: between those of Times, Helvetica and Courier
X_HEIGHT = 0.5
DESCENDER_DEPTH = 0.21


def ink_extent(text: str) -> tuple[float, float]:
    """Above and below the baseline, in sizes of the type; of scripts without capitals as of a line that has both."""
    characters = unicodedata.normalize("NFD", text)
    if any(letter.isalpha() and letter.upper() == letter.lower() for letter in characters):
        return CAPITAL_HEIGHT, DESCENDER_DEPTH
    return CAPITAL_HEIGHT if any(map(_is_high, characters)) else X_HEIGHT, DESCENDER_DEPTH if any(
        map(_is_deep, characters)
    ) else 0.0


def type_size_of_ink(text: str, height: float) -> float:
    """The type size of a line whose ink is so high, in the unit of `height`."""
    return height / sum(ink_extent(text))


def _is_high(character: str) -> bool:
    is_tall = character in ASCENDING_CHARACTERS or character.isupper() or character.isdigit()
    return is_tall or unicodedata.combining(character) in MARKS_ABOVE


def _is_deep(character: str) -> bool:
    return character in DESCENDING_CHARACTERS or unicodedata.combining(character) in MARKS_BELOW
