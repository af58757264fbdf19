"""Puts right-to-left and vertical text in reading order."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from documents.inspection import Word

LAM = "ل"
ALEFS = "اأإآٱ"
GAP = 0.12  # of the type's size: what parts two words of a line that runs from the right
SIGN_GAP = 0.14  # of the type's size: what parts an operator from its operands
MISSING = "\ufffd"
BACKWARD = "\u0590"  # the first letters that are read from the right
_ODD = re.compile(f"[{ALEFS}{MISSING}]")  # without any of them signs stay as they are
STACKED = 0.05  # points: signs that take no more width share a glyph with a neighbour


def readable(chars: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Characters of one span without those that others replace, and with the parts of a ligature in order.

    A glyph for lam and alef is given as alef, over the character before or without width, then lam. Glyphs without a
    meaning say nothing beside a text that the file gives for all of them (more letters stacked on one glyph).
    """
    ordered = list(chars)
    if not _ODD.search("".join([char["c"] for char in ordered])):
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
    stacked = sum(_width(char) <= STACKED and unicodedata.category(char["c"])[0] == "L" for char in ordered)
    if stacked >= 2 and any(char["c"] == MISSING for char in ordered):
        ordered = [char for char in ordered if char["c"] != MISSING]
    return ordered


def runs_backwards(text: str) -> bool:
    """Whether most letters are of a script that is read from the right."""
    letters = [unicodedata.bidirectional(sign) for sign in text if sign.isalpha()]
    return 2 * sum(kind in ("R", "AL") for kind in letters) > len(letters)


def turns(sign: str, after: str) -> bool:
    """Whether the direction of reading changes between two neighbouring signs."""
    if sign < BACKWARD and after < BACKWARD:
        return False
    return _is_backward(sign) != _is_backward(after) and sign.isalnum() and after.isalnum()


def from_the_right(words: Sequence[Word]) -> list[Word]:
    """The words of a line that runs from the right; those of other scripts keep their own order among themselves."""
    ordered: list[Word] = []
    forward: list[Word] = []
    for word in sorted(words, key=lambda word: (-word.box.x1, -word.box.x0)):
        if runs_backwards(word.text) or not any(map(str.isalnum, word.text)):
            ordered += reversed(forward)
            forward = []
            ordered.append(word)
        else:
            forward.append(word)
    ordered += reversed(forward)
    return [
        word.model_copy(update={"spaced": k > 0 and _parted(ordered[k - 1], word)}) for k, word in enumerate(ordered)
    ]


def splits_operator(before: dict[str, Any], after: dict[str, Any], size: float) -> bool:
    """Whether a blank that no sign tells stands between an operator and its operand."""
    if before["c"].isalnum() and after["c"].isalnum():  # so are most; the categories take their time
        return False
    if not {unicodedata.category(before["c"]), unicodedata.category(after["c"])} & {"Sm"}:
        return False
    return after["bbox"][0] - before["bbox"][2] > SIGN_GAP * size


def _is_stacked(char: dict[str, Any], before: dict[str, Any] | None) -> bool:
    """Whether a sign that runs from the right has no place of its own."""
    if _width(char) <= STACKED:
        return True
    return before is not None and char["bbox"][2] - before["bbox"][0] > 0.5 * _width(char) > 0 < _width(before)


def _parted(a: Word, b: Word) -> bool:
    if turns(a.text[-1], b.text[0]):
        return True
    return -a.box.overlap_x(b.box) > GAP * max(a.font_size, b.font_size)


def _is_backward(sign: str) -> bool:
    return unicodedata.bidirectional(sign) in ("R", "AL", "NSM")


def _width(char: dict[str, Any]) -> float:
    return char["bbox"][2] - char["bbox"][0]
