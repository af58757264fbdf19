"""Writes superscripts, subscripts and fractions of a text in Unicode, for all formats."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from documents.inspection import Rise, TextLine, Word
from documents.values import Link

_RAISED = str.maketrans("0123456789+-−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ")
_LOWERED = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
_SEPARATORS = ",;.:–*†‡§"  # between or after figures of a raised word
_WORD = re.compile(r"\S+")
_LEVEL = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "01234567890123456789")
FRACTION = re.compile(
    r"(?<![^\W_])(?<![)\]])([⁰¹²³⁴⁵⁶⁷⁸⁹]+)[⁄/]([₀-₉]+|[^\W_])"
)  # small figures before a slash, after no sign


def set_words(words: Sequence[Word]) -> str:
    """The words of one printed row, blanks where they are printed."""
    text = ""
    for word in words:
        text += (" " if word.spaced and text else "") + risen(word.text, word.rise)
    return with_fractions(text)


def with_fractions(text: str) -> str:
    """The text with small figures around a slash as plain ones: `1/2`."""
    return FRACTION.sub(lambda match: f"{match[1].translate(_LEVEL)}/{match[2].translate(_LEVEL)}", text)


def risen(text: str, rise: Rise | None) -> str:
    """A raised or lowered text, word by word: in Unicode's characters if there are such for all of the word.

    Without them, a word with figures is told apart from what stands before it (`10^(2k)`, `x_(i+1)`), so that no value
    changes; brackets do so already (`[1]`), and letters alone stay as they are (`4th`).
    """
    return text if rise is None else _WORD.sub(lambda word: _risen(word[0], rise), text)


def _risen(word: str, rise: Rise) -> str:
    signs, mark = (_RAISED, "^") if rise == "super" else (_LOWERED, "_")
    if all(ord(sign) in signs or sign in _SEPARATORS for sign in word):
        return word.translate(signs)
    if not any(map(str.isdecimal, word)) or word[0] == "[":
        return word
    return mark + (word if len(word) == 1 or word[0] == "(" else f"({word})")


def links_in(lines: Sequence[TextLine]) -> tuple[Link, ...]:
    """The links of printed lines, one for each line that a link runs over."""
    return tuple(
        Link(text=set_words(words), uri=uri)
        for line in lines
        for uri, group in groupby(line.words, key=lambda word: word.link)
        if uri is not None and set_words(words := list(group)).strip()
    )
