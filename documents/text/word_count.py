"""Counts the words of a text, also in scripts that set no spaces between words."""

from __future__ import annotations

import re

from documents.text.languages import UNSPACED_SCRIPTS

_RUN = re.compile(f"[{UNSPACED_SCRIPTS}]+")
_LETTERS_OR_DIGITS = re.compile(r"\w")
LETTERS_PER_WORD = 2


def num_words(text: str) -> int:
    """What spaces part, and in a run of Han, kana, Thai, Lao, Khmer or Burmese one word for two letters, rounded up.

    Words of running Chinese have about 1.6 characters, Japanese ones about 2 and Thai ones about 3 letters besides
    their vowel and tone marks. Two is near enough to all of them for a limit that was set for English words.
    """
    if text.isascii():
        return len(text.split())
    return sum(_num_in_piece(piece) for piece in text.split())


def _num_in_piece(piece: str) -> int:
    runs = _RUN.findall(piece)
    if not runs:
        return 1
    others = sum(_LETTERS_OR_DIGITS.search(part) is not None for part in _RUN.split(piece))
    return others + sum(-(-sum(map(str.isalpha, run)) // LETTERS_PER_WORD) for run in runs) or 1
