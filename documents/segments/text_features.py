"""The numbers that a network reads of a text itself; nothing depends on a language or script."""

from __future__ import annotations

import re
import unicodedata

import numpy as np

BULLETS = frozenset("•◦▪‣·●○■□–—-*►✓➢▶§❖◆☐☒☑✔")
FIRST_CATEGORIES = {
    "Lu": 1,
    "Lt": 1,
    "Ll": 2,
    "Nd": 3,
    "Ps": 4,
    "Pi": 4,
    "Lo": 6,
    "Sm": 7,
    "Co": 0,
}  # classes of a first character
LAST_CHARACTERS = {
    ".": 0, "。": 0, "।": 0, "۔": 0, ":": 1, "：": 1, ";": 2, ",": 2, "、": 2, "，": 2, "،": 2, "?": 3, "!": 3,
    "？": 3, "！": 3, "؟": 3, "-": 4, "\u00ad": 4, ")": 5, "]": 5, "%": 6,
}  # fmt: skip
DIGIT_CODE = 7
OPERATORS = "+<=>|~"  # all characters of ASCII of the category Sm
DEFAULT_CODE = 8
NUMBER = re.compile(r"(?:[A-Z]\.?|\d{1,3})(?:[.\-]\d{1,3})*[.):]?(?=\s|$)")
ITEM = re.compile(r"[(\[]?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]+)[.)\]]")
LEADER = re.compile(r"(?:\. ?){4,}|…{2,}|_{4,}")
# The network learned from this pattern, so it stays as it is; rules take `PAGE_NUMBER` of `documents.text.languages`.
PAGE_NUMBER_FEATURE = re.compile(
    r"[-–— ]*(?:page |p\. ?|seite |página |第)?(?:\d{1,4}|[ivxlc]{1,6})[-–— ]*(?:(?:of|/|von|sur|de) ?\d+)?页?",
    re.I,
)


def text_features(text: str) -> list[float]:
    """32 numbers: its length, cases, digits, first and last character, numbering."""
    length = max(1, len(text))
    letters = [sign for sign in text if sign.isalpha()]
    words = text.split()
    initials = [word[0] for word in words if word[0].isalpha()]
    first, last = [0.0] * 8, [0.0] * 9
    first[_first_class(text[:1])] = 1.0
    last[LAST_CHARACTERS.get(text[-1:], DIGIT_CODE if text[-1:].isdigit() else DEFAULT_CODE)] = 1.0
    number = NUMBER.match(text)
    depth = 1 + number[0].rstrip(".:)").count(".") if number else 0
    return [
        float(np.log(length)) / 5,
        len(words) / 12,
        sum(map(str.isupper, letters)) / max(1, len(letters)),
        sum(map(str.isupper, initials)) / max(1, len(initials)),
        sum(map(str.isdigit, text)) / length,
        len(letters) / length,
        *first,
        *last,
        min(depth, 4) / 2,
        float(ITEM.match(text) is not None),
        float(LEADER.search(text[:300]) is not None),
        float(len(text) <= 30 and PAGE_NUMBER_FEATURE.fullmatch(text) is not None),
        _num_operators(text) / length,
        float(":" in text[:40] or "：" in text[:40]),
        float(len(words) == 1),
        float(text[:1].islower()),
        float(not text.isascii() and sum(sign > "\u2e7f" for sign in text) > 0.3 * length),  # scripts without spaces
    ]


def _num_operators(text: str) -> int:
    """How many signs of mathematics a text has; most texts are ASCII, which has few to look for."""
    if text.isascii():
        return sum(map(text.count, OPERATORS))
    return sum(unicodedata.category(sign) == "Sm" for sign in text)


def _first_class(sign: str) -> int:
    if not sign or sign in BULLETS:
        return 0
    return FIRST_CATEGORIES.get(unicodedata.category(sign), 5)
