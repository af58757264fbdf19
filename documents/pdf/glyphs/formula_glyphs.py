"""Finds the characters of a PDF page that may be of formulas, each with its ink and its baseline."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice, takewhile
from typing import Any

import pymupdf
from pymupdf import mupdf

from documents.boxes import BoundingBox
from documents.inspection import Glyph
from documents.pdf.glyphs.embedded_glyphs import EmbeddedGlyphs
from documents.pdf.glyphs.embedded_glyphs import Glyph as EmbeddedGlyph
from documents.pdf.text.line_words import PrintedSpan
from documents.text.math_symbols import ITALIC_FONT, MATH_FONT

FORMULA_SIGNS = frozenset("∑∏∫√≤≥≠≈≡∈∉⊂⊆∀∃∂∇∞∪∩")  # only the text of formulas has these
MAX_LINE_CHARACTERS = 24  # maximum length of a line without a sign of mathematics that may be a numerator or an index
MAX_MARKS = 2  # accents on one letter
MAX_GLYPHS = 20_000  # maximum number of glyphs per page

_Line = dict[str, Any]  # as MuPDF's rawdict has it
_Edges = tuple[float, float, float, float]


class FormulaGlyphs:
    """The glyphs of the lines of a page which may be of formulas; none on a page without signs of mathematics."""

    def __init__(self, page: pymupdf.Page, lines: Sequence[_Line]) -> None:
        self._left = MAX_GLYPHS
        if page.rotation or not any(map(_wakes, lines)):
            self._left = 0
            return
        self._ink = _Ink(page)

    def of(self, spans: Sequence[PrintedSpan], along: tuple[float, float]) -> tuple[Glyph, ...]:
        """In the order of the file; none for a line of prose, or one that is not level."""
        if not self._left or along[0] < 0.999:
            return ()
        count = sum(len(span.text.replace(" ", "")) for span in spans)
        if count > self._left or (
            count > MAX_LINE_CHARACTERS
            and not any("=" in span.text or _is_mathematical(span.font, span.text) for span in spans)
        ):
            return ()
        self._left -= count
        return tuple(self._glyphs(spans))

    def _glyphs(self, spans: Sequence[PrintedSpan]) -> Iterator[Glyph]:
        """A letter with its accents is one glyph."""
        for span in spans:
            font = span.font.rpartition("+")[2]
            chars = [char for char in span.chars if not char["c"].isspace()]
            for k, char in enumerate(chars):
                if k and unicodedata.combining(char["c"][0]):
                    continue
                behind = (one["c"] for one in islice(chars, k + 1, k + 1 + MAX_MARKS))
                marks = takewhile(lambda text: unicodedata.combining(text[0]), behind)
                yield Glyph(
                    text=unicodedata.normalize("NFC", char["c"] + "".join(marks)),
                    box=self._ink.of(char, span.font, span.size),
                    baseline=round(char["origin"][1], 2),
                    font_size=round(span.size, 2),
                    font=font,
                )


class _Ink:
    """The outlines of a page's glyphs, each looked up once."""

    def __init__(self, page: pymupdf.Page) -> None:
        self._glyphs = EmbeddedGlyphs(page, lambda _font, _character: True)
        self._outlines: dict[EmbeddedGlyph, _Edges | None] = {}

    def of(self, char: dict[str, Any], font: str, size: float) -> BoundingBox:
        """The box of a character's ink; where its outline is not known, that of its advance and its type."""
        glyph = self._glyphs.glyph(font, char)
        outline = self._outline(glyph) if glyph is not None else None
        x0, y0, x1, y1 = char["bbox"]
        if outline is not None:
            left, bottom, right, top = outline
            x, y = char["origin"]
            x0, y0, x1, y1 = x + left * size, y - top * size, x + right * size, y - bottom * size
        return BoundingBox(x0=round(x0, 2), y0=round(y0, 2), x1=round(x1, 2), y1=round(y1, 2))

    def _outline(self, glyph: EmbeddedGlyph) -> _Edges | None:
        if glyph not in self._outlines:
            edges = (_edges(font, glyph.number) for font in self._glyphs.programs(glyph))
            self._outlines[glyph] = next(filter(None, edges), None)
        return self._outlines[glyph]


def _edges(font: pymupdf.Font, number: int) -> _Edges | None:
    """Left, lower, right and upper edge of a glyph's outline above its origin, in sizes of the type."""
    with suppress(Exception):  # a damaged glyph is no reason to lose the page
        unit = mupdf.FzMatrix()
        path = mupdf.fz_outline_glyph(font.this, number, unit)
        if path.m_internal:
            rect = mupdf.ll_fz_bound_path(path.m_internal, None, unit.internal())
            if rect.x0 < rect.x1 and rect.y0 < rect.y1:
                return rect.x0, rect.y0, rect.x1, rect.y1
    return None


def _wakes(line: _Line) -> bool:
    """Whether a line shows that its page has formulas; an equals sign does so beside italic letters."""
    texts = ["".join([char["c"] for char in span["chars"]]) for span in line["spans"]]
    if any(_is_mathematical(span["font"], text) for span, text in zip(line["spans"], texts, strict=True)):
        return True
    return "=" in "".join(texts) and any(ITALIC_FONT.match(span["font"]) for span in line["spans"])


def _is_mathematical(font: str, text: str) -> bool:
    return (
        bool(MATH_FONT.match(font.rpartition("+")[2]))
        or not FORMULA_SIGNS.isdisjoint(text)
        or any("\U0001d400" <= c < "\U0001d800" for c in text)
    )
