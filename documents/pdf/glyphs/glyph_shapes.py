"""Reads a glyph by its outline, where that is surely the shape of one letter, digit or sign of the built-in fonts.

Many glyphs are sure of none; what is told apart by size or place alone (l, I, 0, O, dots, dashes) is never read.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pymupdf
from pymupdf import mupdf

from documents.pdf.glyphs.embedded_glyphs import EmbeddedGlyphs, Glyph

EM_PIXELS = 32.0  # the type's size is drawn with this number of pixels
DRAWING_HEIGHT = 46  # pixels
DRAWING_WIDTH = 44  # pixels
DRAWING_BASELINE = 34  # distance of the baseline from the top of a drawing, in pixels
MAX_GLYPHS = 100  # maximum number of glyphs per page: each is compared with some hundreds
MAX_DIFFERENCE = 3  # maximum difference of the top, height or width of equal glyphs, in pixels
MIN_LIKENESS = 0.8  # minimum share of the ink of either glyph that both have
MIN_LEAD = 0.15  # over any other character
MIN_RIVAL = MIN_LIKENESS - MIN_LEAD  # a character with less likeness is no rival
TEXT_FONTS = ("helv", "hebo", "heit", "hebi", "tiro", "tibo", "tiit", "tibi", "cour", "cobo", "coit", "cobi")
SYMBOL_FONTS = ("symb", "zadb")
TEXT = (range(0x21, 0x7F), range(0xA1, 0x180), range(0x2010, 0x2040), (0x20AC, 0x2122, 0x2212, 0xFB01, 0xFB02))
SYMBOLS = (range(0x391, 0x3D7), range(0x2190, 0x2300), range(0x25A0, 0x2600), range(0x2700, 0x27C0))
# characters that only their size or place distinguishes
AMBIGUOUS_CHARACTERS = frozenset("IlOo01iı|¦-\u00ad‐‑‒–—―−.,·•‧'`´’‘‚‛′\"_/❘❙❚")
# characters of the same shape have one name
SHAPE_TWINS = dict(zip("ΑΒΕΖΗΙΚΜΝΟΠΡΤΥΧαινοτμΔΩ∗∼", "ABEZHIKMN\u004fΠPTYXαıvoτµ∆Ω*~", strict=True))


class _Shape(NamedTuple):
    ink: np.ndarray  # 0..255, uint8 (DRAWING_HEIGHT, DRAWING_WIDTH); from the left edge of the ink on
    amount: int  # of ink
    top: int  # pixels below the baseline
    height: int
    width: int


NO_INK = _Shape(np.zeros((DRAWING_HEIGHT, DRAWING_WIDTH), np.uint8), 0, 0, 0, 0)


class _References(NamedTuple):
    characters: tuple[str, ...]
    ink: np.ndarray  # uint8 (characters, DRAWING_HEIGHT, DRAWING_WIDTH)
    amounts: np.ndarray  # int (characters,): of ink
    edges: np.ndarray  # int (characters, 3): top, height, width


class GlyphShapes:
    """What the glyphs of a page surely show; so many are looked at, the others show nothing."""

    def __init__(self, glyphs: EmbeddedGlyphs) -> None:
        self._glyphs = glyphs
        self._readings: dict[Glyph, str | None] = {}

    def reading(self, glyph: Glyph) -> str | None:
        """The character that a glyph surely shows, in all of the font programs in which it may be."""
        if glyph not in self._readings:
            if len(self._readings) >= MAX_GLYPHS:
                return None
            readings = {sure_reading(font, glyph.number) for font in self._glyphs.programs(glyph)}
            self._readings[glyph] = readings.pop() if len(readings) == 1 else None
        return self._readings[glyph]


def sure_reading(font: pymupdf.Font, number: int) -> str | None:
    """The character that a glyph of a font program surely shows; one without ink is a space."""
    shape = _shape(font, number)
    if shape is None or not shape.amount:
        return None if shape is None else " "
    best = sorted(_likenesses(shape).items(), key=lambda one: -one[1])[:2]
    if not best or best[0][1] < MIN_LIKENESS or best[0][0] in AMBIGUOUS_CHARACTERS:
        return None
    is_sure = len(best) < 2 or best[0][1] - best[1][1] >= MIN_LEAD
    return best[0][0] if is_sure else None


def contradicts(shape: str, character: str) -> bool:
    """Whether a glyph surely shows a letter or digit that is another than a character; small capitals are letters."""
    return shape.isascii() and shape.isalnum() and _plain(shape) != _plain(character)


def _plain(character: str) -> str:
    return _same_shape(unicodedata.normalize("NFKC", character)).casefold()


def _same_shape(character: str) -> str:
    """The character that stands for all that look like this one."""
    return SHAPE_TWINS.get(character, character)


def _shape(font: pymupdf.Font, number: int) -> _Shape | None:
    """None of a glyph that cannot be drawn, or is larger than the characters that are read."""
    try:
        matrix, bounds = mupdf.FzMatrix(EM_PIXELS, 0, 0, -EM_PIXELS, 0, 0), mupdf.FzIrect(-100, -100, 100, 100)
        pixmap = mupdf.fz_render_glyph_pixmap(font.this, number, matrix, bounds, 8)
    except Exception:  # a damaged outline says nothing
        return None
    if pixmap.m_internal is None or pixmap.w() < 1 or pixmap.h() < 1:
        return NO_INK
    width, height, top = pixmap.w(), pixmap.h(), pixmap.y()
    first = DRAWING_BASELINE + top
    if width > DRAWING_WIDTH - 2 or first < 1 or first + height > DRAWING_HEIGHT - 1:
        return None
    rows = np.frombuffer(mupdf.fz_pixmap_samples_memoryview(pixmap), np.uint8).reshape(height, -1)
    ink = np.zeros((DRAWING_HEIGHT, DRAWING_WIDTH), np.uint8)
    ink[first : first + height, 1 : 1 + width] = rows[:, :width]
    return _Shape(ink, int(ink.sum()), top, height, width)


def _likenesses(shape: _Shape) -> dict[str, float]:
    """How much of the ink of a glyph is that of each character that is as large and may be as much alike."""
    references = _references()
    edges = np.array((shape.top, shape.height, shape.width))
    alike = np.minimum(references.amounts, shape.amount) >= MIN_RIVAL * np.maximum(references.amounts, shape.amount)
    near = np.nonzero(alike & (np.abs(references.edges - edges) <= MAX_DIFFERENCE).all(1))[0]
    above = max(0, DRAWING_BASELINE + shape.top - MAX_DIFFERENCE - 1)
    part = np.s_[above : above + shape.height + 2 * MAX_DIFFERENCE + 2, : shape.width + MAX_DIFFERENCE + 2]
    others = references.ink[near][:, *part]
    best = np.zeros(len(near))
    for down, right in ((down, right) for down in (-1, 0, 1) for right in (-1, 0, 1)):
        ink = np.roll(shape.ink, (down, right), (0, 1))[part]
        shared = np.minimum(others, ink).sum((1, 2), dtype=np.int64)
        best = np.maximum(best, shared / np.maximum(others, ink).sum((1, 2), dtype=np.int64))
    likenesses: dict[str, float] = {}
    for index, likeness in zip(near.tolist(), best.tolist(), strict=True):
        character = _same_shape(references.characters[index])
        likenesses[character] = max(likeness, likenesses.get(character, 0.0))
    return likenesses


@lru_cache(1)  # some 5 MB, drawn in a tenth of a second, where a page has such a character at all
def _references() -> _References:
    shapes = list(_drawn())
    return _References(
        characters=tuple(character for character, _ in shapes),
        ink=np.stack([shape.ink for _, shape in shapes]),
        amounts=np.array([shape.amount for _, shape in shapes]),
        edges=np.array([(shape.top, shape.height, shape.width) for _, shape in shapes]),
    )


def _drawn() -> Iterator[tuple[str, _Shape]]:
    """The characters of the fonts that MuPDF carries, with their shapes."""
    for names, codes in ((TEXT_FONTS, TEXT), (SYMBOL_FONTS, SYMBOLS)):
        for font in map(pymupdf.Font, names):
            for code in (code for part in codes for code in part):
                number = mupdf.fz_encode_character(font.this, code)
                shape = _shape(font, number) if number > 0 else None
                if shape is not None and shape.amount:
                    yield chr(code), shape
