"""Writes superscripts, subscripts and fractions of a line in Unicode, and finds its links and what is struck out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby

from documents.inspection import Word
from documents.text.placed_text import STRUCK, Mark, Place, PlacedText

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
    """A word; one that is raised or lowered in signs that show it, if there are such for all of it."""
    signs = {"super": _RAISED, "sub": _LOWERED}.get(word.rise or "")
    if word.rise == "super" and len(word.text) == 1:
        signs = {**_RAISED, **_RAISED_LETTER}
    if signs is None or not all(ord(sign) in signs for sign in word.text):
        return word.text
    return word.text.translate(signs)


def placed_text(words: Sequence[Word]) -> PlacedText:
    """The words of one printed row with their links and what is struck out, one for each run of words."""
    text = set_words(words)
    return PlacedText(text, marks_of(words, text))


def marks_of(words: Sequence[Word], text: str) -> tuple[Place, ...]:
    """Where links and what is struck out stand in the text of a line, by their ends; its words are counted off."""
    if not any(word.struck or word.link for word in words):
        return ()
    printed = [k for k, character in enumerate(text) if not character.isspace()]
    ends = [0, *accumulate(sum(not character.isspace() for character in word.text) for word in words)]
    marks = [_marks([Mark(word.link) if word.link else None for word in words], ends, printed)]
    marks.append(_marks([STRUCK if word.struck else None for word in words], ends, printed))
    return tuple(sorted((mark for kind in marks for mark in kind), key=lambda mark: mark.end))


def _marks(of_words: Sequence[Mark | None], ends: Sequence[int], printed: Sequence[int]) -> Iterator[Place]:
    """A place for each run of words with one mark; `printed` are the characters that words have, by their number."""
    for mark, run in groupby(range(len(of_words)), key=lambda k: of_words[k]):
        if mark is not None:
            numbers = list(run)
            own = printed[ends[numbers[0]] : ends[numbers[-1] + 1]]
            if own:
                yield Place(0, own[0], own[-1] + 1, mark)
