"""Composes letters with accents that a PDF sets apart from them, as TeX does: each stands over or below its letter."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any, NamedTuple

ACCENTS_ABOVE = {
    "`": "\u0300", "´": "\u0301", "ˆ": "\u0302", "^": "\u0302", "˜": "\u0303", "~": "\u0303", "¯": "\u0304",
    "ˉ": "\u0304", "˘": "\u0306", "˙": "\u0307", "¨": "\u0308", "˚": "\u030a", "˝": "\u030b", "ˇ": "\u030c",
}  # fmt: skip
ACCENTS_BELOW = {
    "¸": "\u0327", "˛": "\u0328", ".": "\u0323", "˙": "\u0323", "¨": "\u0324", "˚": "\u0325", "ˆ": "\u032d",
    "˘": "\u032e", "˜": "\u0330", "¯": "\u0331", "ˉ": "\u0331",
}  # fmt: skip
HANGING_ACCENTS = frozenset("¸˛")  # these accents are drawn below the baseline on which they stand
STROKE = "\u0335"  # through a letter, which Unicode does not compose
NEGATION = "\u0338"  # through a relation, before which TeX sets it
VECTOR_ARROW = "\u20d7"  # TeX's fonts draw this arrow before its letter
STROKED_LETTERS = {"L": "Ł", "l": "ł", "O": "Ø", "o": "ø", "D": "Đ", "d": "đ", "H": "Ħ", "h": "ħ"}
DOTLESS_LETTERS = {"ı": "i", "ȷ": "j"}
COMBINING_CHARACTERS = tuple(map(chr, (*range(0x300, 0x370), *range(0x20D0, 0x20F1))))
ACCENTS = frozenset((*ACCENTS_ABOVE, *ACCENTS_BELOW, *COMBINING_CHARACTERS)) - {"."}
# minimum cosine of the angle between a line and an axis of the page: boxes say nothing of slanted lines
MIN_LEVEL_COSINE = 0.99
MIN_ACCENT_OVERLAP = 0.5  # minimum overlap of an accent and its letter, as a share of the narrower width
MIN_LOWERING = 0.15  # minimum distance between the baselines of a letter and of an accent below it, in type sizes
MAX_BASELINE_OFFSET = 1.0  # an accent whose baseline is further off, in type sizes, belongs to another line

_Line = dict[str, Any]  # as MuPDF's rawdict has it
_Char = dict[str, Any]


class _Glyph(NamedTuple):
    """A character of a line, the span that it is in, and where it stands along the line and below its baseline."""

    char: _Char
    span: dict[str, Any]
    begin: float
    end: float
    down: float

    @classmethod
    def of(cls, char: _Char, span: dict[str, Any], along: tuple[float, float]) -> _Glyph:
        x, y = along
        corners = [char["bbox"][k] * x + char["bbox"][k + 1] * y for k in (0, 2)]
        return cls(char, span, min(corners), max(corners), char["origin"][1] * x - char["origin"][0] * y)

    def share_over(self, other: _Glyph) -> float:
        """How much of the narrower of two characters stands over the other."""
        narrower = min(self.end - self.begin, other.end - other.begin)
        return (min(self.end, other.end) - max(self.begin, other.begin)) / narrower if narrower > 0 else 0.0


def with_accents(lines: list[_Line]) -> list[_Line]:
    """The lines, each accent that stands over or below a letter composed with it, or as a combining one behind it."""
    for line in lines:
        if max(map(abs, line["dir"])) < MIN_LEVEL_COSINE:
            continue
        chars = [char for span in line["spans"] for char in span["chars"]]
        text = "".join([char["c"] for char in chars])
        if not ACCENTS.isdisjoint(text) or STROKE in text or _has_lowered_dots(text, chars):
            _compose(line)
    return [line for line in lines if line["spans"]]


def _has_lowered_dots(text: str, chars: Sequence[_Char]) -> bool:
    """Whether the middle of a full stop is in the box of the character before it: a dot below a letter."""
    k = text.find(".", 1)
    while k > 0:
        (x0, y0, x1, y1), (a0, b0, a1, b1) = chars[k]["bbox"], chars[k - 1]["bbox"]
        if a0 < (x0 + x1) / 2 < a1 and b0 < (y0 + y1) / 2 < b1:
            return True
        k = text.find(".", k + 1)
    return False


def _glyphs(line: _Line) -> list[_Glyph]:
    return [_Glyph.of(char, span, line["dir"]) for span in line["spans"] for char in span["chars"]]


def _compose(line: _Line) -> None:
    glyphs = _glyphs(line)
    behind: dict[int, list[_Char]] = {}  # combining accents, the last one first, by their letter's identity
    for k, accent in enumerate(glyphs):
        if accent.char["c"] not in ACCENTS and accent.char["c"] not in (".", STROKE):
            continue
        before, after = (glyphs[n] if 0 <= n < len(glyphs) else None for n in (k - 1, k + 1))
        if after is not None and after.char["c"].isspace() and accent.char["c"] == NEGATION:
            after = glyphs[k + 2] if k + 2 < len(glyphs) else None
        letter = _letter_of(accent.char["c"], accent, before, after)
        mark = None if letter is None else _mark(accent, letter)
        if letter is not None and mark is not None:
            combining = _put_on(letter, accent, mark)
            if combining is not None:
                behind.setdefault(id(letter.char), []).insert(0, combining)
    for span in line["spans"]:
        chars = (part for char in span["chars"] for part in (char, *behind.get(id(char), ())))
        span["chars"] = [char for char in chars if char["c"]]
    line["spans"] = [span for span in line["spans"] if span["chars"]]


def _letter_of(sign: str, accent: _Glyph, before: _Glyph | None, after: _Glyph | None) -> _Glyph | None:
    """The letter that an accent stands over or below, of its neighbours.

    MuPDF gives combining characters no width: one behind no letter is of the letter after it, else it is in place.
    """
    if sign in COMBINING_CHARACTERS and sign != STROKE:
        if after is not None and sign == NEGATION and _composed(after.char["c"], sign) is not None:
            return after
        if sign == VECTOR_ARROW and after is not None and after.char["c"].isalpha():
            return after
        has_letter = before is not None and (before.char["c"].isalpha() or before.char["c"] in COMBINING_CHARACTERS)
        return after if after is not None and after.char["c"].isalpha() and not has_letter else None
    letters = [glyph for glyph in (after, before) if glyph is not None and glyph.char["c"].isalpha()]
    nearest = max(letters, key=accent.share_over, default=None)
    return None if nearest is None or accent.share_over(nearest) < MIN_ACCENT_OVERLAP else nearest


def _mark(accent: _Glyph, letter: _Glyph) -> str | None:
    """The combining character for an accent where it stands; None where it is on another line than the letter."""
    sign, size = accent.char["c"], letter.span["size"]
    lowered = accent.down - letter.down
    if abs(lowered) > MAX_BASELINE_OFFSET * size:
        return None
    if sign in COMBINING_CHARACTERS:
        return sign
    if sign in HANGING_ACCENTS or lowered > MIN_LOWERING * size:
        return ACCENTS_BELOW.get(sign)
    return ACCENTS_ABOVE.get(sign)


def _put_on(letter: _Glyph, accent: _Glyph, mark: str) -> _Char | None:
    """Make one character of both or, where Unicode has none for both, return the accent that stands behind the letter.

    The accent itself becomes empty.
    """
    base: str = letter.char["c"]
    accent.char["c"] = ""
    if mark == STROKE and base in STROKED_LETTERS:
        letter.char["c"] = STROKED_LETTERS[base]
        return None
    if unicodedata.combining(mark) == unicodedata.combining("\u0301"):
        base = DOTLESS_LETTERS.get(base, base)
        letter.char["c"] = base
    composed = _composed(base, mark)
    if composed is None:
        return {**accent.char, "c": mark, "bbox": letter.char["bbox"]}
    letter.char["c"] = composed
    return None


def _composed(base: str, mark: str) -> str | None:
    composed = unicodedata.normalize("NFC", base + mark)
    return composed if len(composed) == 1 else None
