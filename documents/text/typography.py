"""Writes superscripts, subscripts and fractions of a line in Unicode."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from documents.inspection import TextLine, Word
from documents.values import Link

_RAISED = str.maketrans("0123456789+-−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ")
_RAISED_LETTER = str.maketrans(
    "abcdefghjklmoprstuvwxyz", "ᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻ"
)  # alone: `st` of `1st` is read as it is
_LOWERED = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
_LEVEL = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "01234567890123456789")
FRACTION = re.compile(
    r"(?<![^\W_])(?<![)\]])([⁰¹²³⁴⁵⁶⁷⁸⁹]+)[⁄/]([₀-₉]+|[^\W_])"
)  # small figures before a slash, after no sign


def set_words(words: Sequence[Word]) -> str:
    """The words of one printed row, blanks where they are printed."""
    text = ""
    for word in words:
        text += (" " if word.spaced and text else "") + set_word(word)
    return FRACTION.sub(lambda match: f"{match[1].translate(_LEVEL)}/{match[2].translate(_LEVEL)}", text)


def set_word(word: Word) -> str:
    """A word; one that is raised or lowered in signs that show it, if there are such for all that commas part."""
    if word.rise is None:
        return word.text
    return ",".join(_shifted(part, raised=word.rise == "super") for part in word.text.split(","))


def _shifted(text: str, *, raised: bool) -> str:
    signs = _RAISED if raised else _LOWERED
    if raised and len(text) == 1:
        signs = {**signs, **_RAISED_LETTER}
    return text.translate(signs) if all(ord(sign) in signs for sign in text) else text


def links_in(lines: Sequence[TextLine]) -> tuple[Link, ...]:
    """The links of printed lines, one for each line that a link runs over."""
    return tuple(
        Link(text=set_words(words), uri=uri)
        for line in lines
        for uri, group in groupby(line.words, key=lambda word: word.link)
        if uri is not None and set_words(words := list(group)).strip()
    )
