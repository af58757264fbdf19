"""Tells formulas from prose by their characters: which lines have words, which glyphs are of mathematics."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from documents.boxes import BoundingBox
from documents.inspection import Glyph, TextLine
from documents.text.math_symbols import ITALIC_FONT, LARGE_OPERATORS, LIMIT_OPERATORS, MATH_FONT, NAMES, RELATIONS

LETTER_RUN = re.compile(r"[^\W\d_\U0001d400-\U0001d7ff]{2,}")  # letters of the mathematical alphabets are excluded
MAX_BRACES = 50  # maximum number of large braces per page
BRACE_PIECES = "{⎧⎨⎩⎪"
MIN_SENTENCE_WORDS = 3  # minimum number of words of a sentence
MAX_VARIABLE_LETTERS = 2  # a longer run of letters in one font is a word
FUNCTIONS = frozenset((*NAMES, *LIMIT_OPERATORS))
MATH_ITALIC = re.compile("CMMI|LMMathItalic")


def is_formula(glyphs: Sequence[Glyph]) -> bool:
    """Whether glyphs of mathematics are a relation or a large operator with its terms, or several letters of a formula.

    Upright text with a colon, a bar or a less-than in it is none.
    """
    letters = sum(_is_variable(glyph) for glyph in glyphs)
    if letters >= 3 or (len(glyphs) >= 3 and any(glyph.text in LARGE_OPERATORS for glyph in glyphs)):
        return True
    has_relation = len(glyphs) >= 3 and any(glyph.text in RELATIONS for glyph in glyphs)
    return has_relation and (letters > 0 or any(MATH_FONT.match(glyph.font) for glyph in glyphs))


def _is_variable(glyph: Glyph) -> bool:
    """Whether it is a letter in italics, by its font or its code."""
    is_letter = glyph.text[0].isalpha()
    return is_letter and (ITALIC_FONT.match(glyph.font) is not None or "\U0001d400" <= glyph.text[0] < "\U0001d800")


def hides_a_word(glyphs: Sequence[Glyph]) -> bool:
    """Whether letters in a row are set in fonts in turn, so that no font has a word; a `d` parts differentials."""
    letters = sorted((g for g in glyphs if g.text.isascii() and g.text.isalpha()), key=lambda g: (g.baseline, g.box.x0))
    length = changes = 0
    for before, glyph in pairwise(letters):
        is_next = abs(glyph.baseline - before.baseline) < 0.1 and glyph.box.x0 - before.box.x1 < 0.2 * glyph.font_size
        if not is_next or "d" in (before.text, glyph.text):
            length = changes = 0
            continue
        length += 1
        changes += glyph.font != before.font
        if length >= MAX_VARIABLE_LETTERS and changes > 1:
            return True
    return False


def is_prose(line: TextLine) -> bool:
    """Whether a line has words as sentences have them."""
    words = _words(line)
    letters, total = sum(map(len, words)), sum(len(word.text) for word in line.words)
    return is_sentence(line) or (bool(words) and 2 * letters > total)


def is_sentence(line: TextLine) -> bool:
    """Whether a line has several words, which no formula has."""
    return sum(len(word) > 2 for word in _words(line)) >= MIN_SENTENCE_WORDS


def _words(line: TextLine) -> list[str]:
    """Letters in a row that are no names of functions and not set in italics of mathematics."""
    text = (
        word for word in line.words if word.text.strip("()[]{},.") not in FUNCTIONS and not MATH_ITALIC.match(word.font)
    )
    return [letters for word in text for letters in LETTER_RUN.findall(word.text)]


def lines_of_cases(lines: Sequence[TextLine]) -> set[int]:
    """The lines behind a tall brace, in its height: what holds in one case, and when."""
    braces = list(islice(_tall_braces(lines), MAX_BRACES))
    return {
        k
        for k, line in enumerate(lines)
        if line.glyphs and any(b.y0 <= line.box.center[1] <= b.y1 and line.box.x0 >= b.x0 for b in braces)
    }


def _tall_braces(lines: Sequence[TextLine]) -> Iterator[BoundingBox]:
    pieces = sorted(
        (g for line in lines for g in line.glyphs if g.text in BRACE_PIECES), key=lambda g: (g.box.x0, g.box.y0)
    )
    brace: list[Glyph] = []
    for glyph in [*pieces, None]:
        if brace and (glyph is None or not _goes_on(brace[-1], glyph)):
            box = BoundingBox.around([piece.box for piece in brace])
            if box.height > 2 * brace[0].font_size:
                yield box
            brace = []
        if glyph is not None:
            brace.append(glyph)


def _goes_on(piece: Glyph, glyph: Glyph) -> bool:
    """Whether the next piece of a brace stands right below one."""
    size = glyph.font_size
    return abs(glyph.box.x0 - piece.box.x0) < size and abs(glyph.box.y0 - piece.box.y1) < 0.25 * size
