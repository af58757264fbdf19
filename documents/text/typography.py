"""Writes superscripts, subscripts and fractions in Unicode, for all formats; finds a line's links and strikes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby

from documents.inspection import Rise, Word
from documents.text.placed_text import STRIKE_MARK, Mark, Place, PlacedText

_SUPERSCRIPTS = str.maketrans("0123456789+-−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ")
_SUPERSCRIPT_LETTERS = str.maketrans("abcdefghjklmoprstuvwxyz", "ᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻ")
_LONE_LETTER = re.compile(r"(?<![^\W_])[a-z](?![^\W_])")
_SUBSCRIPTS = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
_SEPARATORS = ",;.:–*†‡§"  # stand between or after the figures of a raised word
_WORD = re.compile(r"\S+")
_LEVEL_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "01234567890123456789")
_LEVEL_CHARACTERS = {ord(sign): plain for plain, sign in zip("0123456789+-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", strict=True)}
_LEVEL_CHARACTERS |= {raised: chr(plain) for plain, raised in _SUPERSCRIPT_LETTERS.items()}
_LEVEL_CHARACTERS |= {ord(sign): plain for plain, sign in zip("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎", strict=True)}
_SLASHES = ("/", "⁄")
# the notation in which `script` writes a raised or lowered text
_SCRIPT_NOTATION = re.compile(r"[\^_](?:\((.*)\)|(.))")
_OPERATORS = frozenset("+−±=<>")  # letters beside these need a mark: "kt" may be read with its base, "−kt" may not
FRACTION = re.compile(
    r"(?<![^\W_])(?<![)\]])([⁰¹²³⁴⁵⁶⁷⁸⁹]+)[⁄/]([₀-₉]+|[^\W_])"
)  # small figures before a slash, after no sign


def set_words(words: Sequence[Word]) -> str:
    """The words of one printed row, blanks where they are printed."""
    text = ""
    for word, shown in zip(words, _shown(words), strict=True):
        text += (" " if word.spaced and text else "") + shown
    return FRACTION.sub(plain_fraction, text)


def _shown(words: Sequence[Word]) -> Iterator[str]:
    """How each word is written; parts of one index or exponent that are set off together are all in the first."""
    for group in _scripts(words):
        whole = "".join(words[k].text for k in group)
        rise = words[group[0]].rise
        if len(group) > 1 and rise is not None and (set_off := _risen(whole, rise))[:1] in ("^", "_"):
            yield set_off
            yield from ("" for _ in group[1:])
        else:
            yield from (risen(words[k].text, rise) for k in group)


def _scripts(words: Sequence[Word]) -> Iterator[list[int]]:
    """The words that no space parts and that are raised or lowered alike, by their numbers; others are alone."""
    group: list[int] = []
    for k, word in enumerate(words):
        if group and (word.rise is None or word.spaced or word.rise != words[group[-1]].rise):
            yield group
            group = []
        group.append(k)
    if group:
        yield group


def level_text(text: str) -> str:
    """A raised or lowered text as it was before `risen` or `script` wrote it."""
    set_off = _SCRIPT_NOTATION.fullmatch(text)
    return text.translate(_LEVEL_CHARACTERS) if set_off is None else set_off[1] or set_off[2]


def plain_fraction(match: re.Match[str]) -> str:
    """Small figures around a slash as plain ones: `1/2`."""
    return f"{match[1].translate(_LEVEL_DIGITS)}/{match[2].translate(_LEVEL_DIGITS)}"


def is_of_fraction(mark: Place, text: str) -> bool:
    """Whether a raised or lowered text stands beside a slash: above or below it, in a fraction of one line."""
    before, after = text[: mark.start][-1:], text[mark.end : mark.end + 1]
    return before in _SLASHES or (after in _SLASHES and not before.isalnum() and before not in (")", "]"))


def risen(text: str, rise: Rise | None) -> str:
    """A raised or lowered text, word by word: in Unicode's characters if there are such for all of the word.

    Without them, a word with digits is set off from what stands before it (`10^(2k)`, `x_(i+1)`), so that no value
    changes; brackets do so already (`[1]`), and several letters stay as they are (`4th`).
    """
    return text if rise is None else _WORD.sub(lambda word: _risen(word[0], rise), text)


def _risen(word: str, rise: Rise) -> str:
    signs = _SUPERSCRIPTS if rise == "super" else _SUBSCRIPTS
    rest = word if rise == "sub" else _LONE_LETTER.sub("", word)
    if all(ord(sign) in signs or sign in _SEPARATORS for sign in rest):
        return (word.translate(_SUPERSCRIPT_LETTERS) if rest != word else word).translate(signs)
    has_letters = any(map(str.isalpha, word))
    is_value = any(map(str.isdecimal, word)) or (has_letters and not _OPERATORS.isdisjoint(word))
    return script(word, rise) if is_value and word[0] != "[" else word


def script(text: str, rise: Rise) -> str:
    """A superscript or subscript that is always set off from its base: in Unicode's characters, or as `^(2k)`."""
    signs, mark = (_SUPERSCRIPTS, "^") if rise == "super" else (_SUBSCRIPTS, "_")
    if all(ord(sign) in signs for sign in text):
        return text.translate(signs)
    return mark + (text if len(text) == 1 or text[0] == "(" else f"({text})")


def placed_text(words: Sequence[Word]) -> PlacedText:
    """The words of one printed row with their links and what is struck out, one for each run of words."""
    text = set_words(words)
    return PlacedText(text, marks_of(words, text))


def marks_of(words: Sequence[Word], text: str) -> tuple[Place, ...]:
    """Where links, what is struck out, raised and lowered stand in the text of a line, by their ends.

    Its words are counted off.
    """
    if not any(word.struck or word.link or word.rise for word in words):
        return ()
    printed = [k for k, character in enumerate(text) if not character.isspace()]
    shown = _shown(words)
    ends = [0, *accumulate(sum(not character.isspace() for character in word) for word in shown)]
    marks = [_marks([Mark(word.link) if word.link else None for word in words], ends, printed)]
    marks.append(_marks([STRIKE_MARK if word.struck else None for word in words], ends, printed))
    rises = _marks([Mark(rise=word.rise) if word.rise else None for word in words], ends, printed)
    marks.append(mark for mark in rises if not is_of_fraction(mark, text))
    return tuple(sorted((mark for kind in marks for mark in kind), key=lambda mark: mark.end))


def _marks(of_words: Sequence[Mark | None], ends: Sequence[int], printed: Sequence[int]) -> Iterator[Place]:
    """A place for each run of words with one mark; `printed` are the characters that words have, by their number."""
    for mark, run in groupby(range(len(of_words)), key=lambda k: of_words[k]):
        if mark is not None:
            numbers = list(run)
            own = printed[ends[numbers[0]] : ends[numbers[-1] + 1]]
            if own:
                yield Place(0, own[0], own[-1] + 1, mark)
