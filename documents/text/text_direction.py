"""Puts right-to-left and vertical text in reading order."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from documents.inspection import Word

LAM = "ل"
ALEFS = "اأإآٱ"
MIN_WORD_GAP = 0.12  # minimum gap between two words of a line that runs from the right, in type sizes
MAX_SPACE_WIDTH = 1.0  # no space of a line is as wide, in type sizes
MIN_SIGN_GAP = 0.14  # minimum gap between an operator and its operands, in type sizes
REPLACEMENT_CHARACTER = "\ufffd"
FIRST_RTL_CHARACTER = "\u0590"  # letters from this one on are read from the right
_SPECIAL_CHARACTER = re.compile(f"[{ALEFS}{REPLACEMENT_CHARACTER}]")  # without any of them, signs stay as they are
BRACKET_PAIRS = {"(": ")", "[": "]", "{": "}"}
BRACKETS = frozenset("()[]{}")
MIRRORED_BRACKETS = str.maketrans("()[]{}", ")(][}{")
MAX_STACKED_WIDTH = 0.05  # signs that are no wider (points) share a glyph with a neighbour


def readable(chars: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Characters of one span without those that others replace, and with the parts of a ligature in order.

    A glyph for lam and alef is given as alef, over the character before or without width, then lam. Glyphs without a
    meaning say nothing beside a text that the file gives for all of them (more letters stacked on one glyph).
    """
    ordered = list(chars)
    if not _SPECIAL_CHARACTER.search("".join([char["c"] for char in ordered])):
        return ordered
    k = 0
    while k < len(ordered) - 1:
        if (
            ordered[k]["c"] in ALEFS
            and ordered[k + 1]["c"] == LAM
            and _is_stacked(ordered[k], ordered[k - 1] if k else None)
        ):
            ordered[k], ordered[k + 1] = ordered[k + 1], ordered[k]
            k += 1
        k += 1
    stacked = sum(_width(char) <= MAX_STACKED_WIDTH and unicodedata.category(char["c"])[0] == "L" for char in ordered)
    if stacked >= 2 and any(char["c"] == REPLACEMENT_CHARACTER for char in ordered):
        ordered = [char for char in ordered if char["c"] != REPLACEMENT_CHARACTER]
    return ordered


def runs_backwards(text: str) -> bool:
    """Whether most letters are of a script that is read from the right."""
    letters = [unicodedata.bidirectional(sign) for sign in text if sign.isalpha()]
    return 2 * sum(kind in ("R", "AL") for kind in letters) > len(letters)


def is_paired(text: str) -> bool:
    """Whether each bracket that opens is closed, and each that closes was opened."""
    opened: list[str] = []
    for sign in text:
        if sign in BRACKET_PAIRS:
            opened.append(BRACKET_PAIRS[sign])
        elif sign in BRACKETS and (not opened or opened.pop() != sign):
            return False
    return not opened


def turns(sign: str, after: str) -> bool:
    """Whether the direction of reading changes between two neighbouring signs."""
    if sign < FIRST_RTL_CHARACTER and after < FIRST_RTL_CHARACTER:
        return False
    return _is_backward(sign) != _is_backward(after) and sign.isalnum() and after.isalnum()


def from_the_right(words: Sequence[Word]) -> list[Word]:
    """The words of a line that runs from the right; those of other scripts keep their own order among themselves.

    Brackets around such words go with them. Others are turned around where they stand as drawn, closed before opened.
    """
    placed = sorted(words, key=lambda word: (-word.box.x1, -word.box.x0))
    is_forward = [any(map(str.isalnum, word.text)) and not runs_backwards(word.text) for word in placed]
    for run in _runs(is_forward):
        for k in _brackets_of(run, placed):
            is_forward[k] = True
    ordered: list[Word] = []
    end = 0
    backward: list[Word] = []
    for run in _runs(is_forward):
        backward += placed[end : run.start]
        ordered += placed[end : run.start] + placed[run.start : run.stop][::-1]
        end = run.stop
    backward += placed[end:]
    ordered += placed[end:]
    if _is_turned("".join(word.text for word in backward)):
        turned = set(map(id, backward))
        ordered = [
            word.model_copy(update={"text": word.text.translate(MIRRORED_BRACKETS)}) if id(word) in turned else word
            for word in ordered
        ]
    return [
        word.model_copy(update={"spaced": k > 0 and _parted(ordered[k - 1], word)}) for k, word in enumerate(ordered)
    ]


def _runs(flags: Sequence[bool]) -> list[range]:
    """Where flags in a row are set."""
    runs: list[range] = []
    for k, flag in enumerate(flags):
        if flag and runs and runs[-1].stop == k:
            runs[-1] = range(runs[-1].start, k + 1)
        elif flag:
            runs.append(range(k, k + 1))
    return runs


def _brackets_of(run: range, placed: Sequence[Word]) -> list[int]:
    """The brackets that touch both ends of some words, or the one that they lack; `placed` are from the right."""
    text = "".join(placed[k].text for k in reversed(run))
    after = [k for k in (run.start - 1,) if k >= 0 and _touches(placed[run.start], placed[k])]
    before = [k for k in (run.stop,) if k < len(placed) and _touches(placed[k], placed[run.stop - 1])]
    for own in (before + after, before, after):
        around = (
            "".join(placed[k].text for k in own if k == run.stop),
            "".join(placed[k].text for k in own if k < run.stop),
        )
        if own and (len(own) == 2 or not is_paired(text)) and is_paired(around[0] + text + around[1]):
            return own
    return []


def _touches(left: Word, right: Word) -> bool:
    """Whether two neighbours stand close together, one of them a bracket alone."""
    is_bracket = BRACKETS.issuperset(left.text) or BRACKETS.issuperset(right.text)
    return is_bracket and right.box.x0 - left.box.x1 <= MIN_WORD_GAP * max(left.font_size, right.font_size)


def _is_turned(text: str) -> bool:
    """Whether the brackets of a text are right only the other way around."""
    return not BRACKETS.isdisjoint(text) and not is_paired(text) and is_paired(text.translate(MIRRORED_BRACKETS))


def stands_apart(before: dict[str, Any], after: dict[str, Any], size: float) -> bool:
    """Whether a wide gap that no space tells is between two characters, one of which may be read from the right."""
    left, right = sorted((before["bbox"], after["bbox"]), key=lambda box: box[0])
    return right[0] - left[2] > MAX_SPACE_WIDTH * size and max(before["c"], after["c"]) >= FIRST_RTL_CHARACTER


def splits_operator(before: dict[str, Any], after: dict[str, Any], size: float) -> bool:
    """Whether a blank that no sign tells stands between an operator and its operand."""
    if before["c"].isalnum() and after["c"].isalnum():  # so are most; the categories take their time
        return False
    if not {unicodedata.category(before["c"]), unicodedata.category(after["c"])} & {"Sm"}:
        return False
    return after["bbox"][0] - before["bbox"][2] > MIN_SIGN_GAP * size


def _is_stacked(char: dict[str, Any], before: dict[str, Any] | None) -> bool:
    """Whether a sign that runs from the right has no place of its own."""
    if _width(char) <= MAX_STACKED_WIDTH:
        return True
    return before is not None and char["bbox"][2] - before["bbox"][0] > 0.5 * _width(char) > 0 < _width(before)


def _parted(a: Word, b: Word) -> bool:
    if turns(a.text[-1], b.text[0]):
        return True
    return -a.box.overlap_x(b.box) > MIN_WORD_GAP * max(a.font_size, b.font_size)


def _is_backward(sign: str) -> bool:
    return unicodedata.bidirectional(sign) in ("R", "AL", "NSM")


def _width(char: dict[str, Any]) -> float:
    return char["bbox"][2] - char["bbox"][0]
