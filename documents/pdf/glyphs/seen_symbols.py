"""Compares characters of symbol fonts with what is drawn: a font's name may lie about its letters."""

from __future__ import annotations

from typing import Any

import pymupdf

from documents.pdf.glyphs.embedded_glyphs import EmbeddedGlyphs
from documents.pdf.glyphs.glyph_shapes import GlyphShapes, contradicts
from documents.pdf.glyphs.symbol_fonts import UNCODED_KEY, shown
from documents.text.symbol_fonts import symbol_table

REPLACEMENT_CHARACTER = "\ufffd"

_Line = dict[str, Any]  # as MuPDF's rawdict has it


def with_seen_symbols(page: pymupdf.Page, lines: list[_Line]) -> list[_Line]:
    """The lines; a symbol font that surely draws letters or digits that are not what its name says of their codes lies.

    Such letters are unknown if the file says of them, too, that they are others. Where more of a font's glyphs are as
    the file says than as its name does, it is a text font that is called Symbol, and all of its characters stay.
    """
    symbols = [
        (span["font"], char)
        for line in lines
        for span in line["spans"]
        if symbol_table(span["font"]) is not None
        for char in span["chars"]
        if not char["c"].isspace() and char["c"] != REPLACEMENT_CHARACTER
    ]
    if not symbols:
        return lines
    glyphs = EmbeddedGlyphs(page, _is_symbol)
    shapes = GlyphShapes(glyphs)
    believed: dict[str, set[str]] = {}  # by font, the characters that are as the file says, not as the font's name does
    by_name: dict[str, set[str]] = {}  # by font, those that are as its name says
    for font, char in symbols:
        glyph = glyphs.glyph(font, char)
        shape = None if glyph is None else shapes.reading(glyph)
        if shape is None:
            continue
        named = shown([char], font)[0]["c"]
        if not contradicts(shape, named):
            by_name.setdefault(font, set()).add(char["c"])
        elif contradicts(shape, char["c"]):
            char["c"] = REPLACEMENT_CHARACTER
        else:
            believed.setdefault(font, set()).add(char["c"])
    for font, char in symbols:
        if len(believed.get(font, ())) > len(by_name.get(font, ())):
            char[UNCODED_KEY] = True
    return lines


def _is_symbol(font: str, _character: str) -> bool:
    return symbol_table(font) is not None
