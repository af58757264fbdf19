"""Reads characters without a meaning, or with a private one, by the names or the shapes of their embedded glyphs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import pymupdf
from pymupdf import mupdf

from documents.pdf.glyphs.embedded_glyphs import EmbeddedGlyphs, Glyph
from documents.pdf.glyphs.glyph_shapes import GlyphShapes, contradicts
from documents.text.symbol_fonts import ADOBE_PRIVATE, symbol_table

REPLACEMENT_CHARACTER = "\ufffd"
LATIN_LETTER = re.compile("[A-Za-z\u00c0-\u024f]")
MIN_LATIN_SHARE = 0.9  # minimum share of Latin letters on a page: letters of other scripts have the same shapes
MAX_LOST_SHARE = 0.2  # a page with a larger share of lost characters is read by OCR
PRIVATE_CHARACTER = re.compile("[\ufffd\ue000-\uf8ff]")
# TeX's fonts have some glyphs in several sizes
SIZE_SUFFIX = re.compile(r"(?<=[a-z])(?:[Bb]ig+|text|display|wide(?:r|st)?)$")
CODE = re.compile(r"[A-Za-z]{0,4}0*(\d{2,3})")  # a name that only numbers its glyph
NAMES = {  # of TeX's fonts, which the glyph list of Adobe does not have; without what tells their sizes
    "union": "⋃", "intersection": "⋂", "unionsq": "⨆", "unionmulti": "⨄", "logicaland": "⋀", "logicalor": "⋁",
    "circleplus": "⨁", "circlemultiply": "⨂", "circledot": "⨀", "contintegral": "∮", "coproduct": "∐",
    "angbracketleft": "⟨", "angbracketright": "⟩", "floorleft": "⌊", "floorright": "⌋", "ceilingleft": "⌈",
    "ceilingright": "⌉", "vextendsingle": "|", "vextenddouble": "‖", "hat": "ˆ", "tilde": "˜", "suppress": "\u0335",
    "mapsto": "↦", "arrowhookleft": "↪", "arrowhookright": "↩", "barshort": "∣", "parallelshort": "∥",
    "squaresmallsolid": "▪", "radicalvertex": "⎷", "radicaltp": "⎷", "radicalbt": "⎷", "arrowtp": "↑", "arrowbt": "↓",
    "arrowdbltp": "⇑", "arrowdblbt": "⇓", "arrowvertexdbl": "‖", "bracehtipdownleft": "⏞", "bracehtipdownright": "⏞",
    "bracehtipupleft": "⏟", "bracehtipupright": "⏟", "subsetornoteql": "⊊", "supersetornoteql": "⊋",
    "CheckedBox": "☑", "CrossedBox": "☒", "XBox": "☒", "HollowBox": "☐", "Box": "☐", "Telefon": "☎", "phone": "☎",
    "Mobilefone": "☎", "Letter": "✉", "EMail": "✉", "permil": "‰", "micro": "µ", "ohm": "Ω", "EUR": "€", "bullet1": "•",
}  # fmt: skip

_Line = dict[str, Any]  # as MuPDF's rawdict has it


def with_named_glyphs(page: pymupdf.Page, lines: list[_Line]) -> list[_Line]:
    """The lines; a character without a meaning has the one that its glyph's name says, if that is a known name.

    In a font whose own name says what its codes draw, a name that ends with a code says that one. A glyph whose name
    says nothing is what it surely looks like; one that surely looks like another than its name says stays unknown.
    """
    lost = list(_lost_characters(lines))
    if not lost:
        return lines
    glyphs = EmbeddedGlyphs(page, _is_meaningless, composite=True)
    shapes = GlyphShapes(glyphs)
    text = "".join([char["c"] for line in lines for span in line["spans"] for char in span["chars"]])
    is_known, is_latin = text.count(REPLACEMENT_CHARACTER) <= MAX_LOST_SHARE * len(text), _is_latin(text)
    meanings: dict[Glyph, str] = {}
    for font, char in lost:
        glyph = glyphs.glyph(font, char)
        if glyph is None:
            continue
        if glyph not in meanings:
            meaning, shape = _meaning(glyph, glyphs.programs(glyph)), shapes.reading(glyph) if is_known else None
            if meaning == REPLACEMENT_CHARACTER and shape is not None and (is_latin or not shape.isalpha()):
                meaning = shape
            meanings[glyph] = REPLACEMENT_CHARACTER if shape is not None and contradicts(shape, meaning) else meaning
        if meanings[glyph] != REPLACEMENT_CHARACTER:
            char["c"] = meanings[glyph]
    return lines


def meaning_of_name(name: str) -> str:
    """The character that a glyph's name stands for; U+FFFD for a name that says nothing, as `gid00043`."""
    for candidate in (name, SIZE_SUFFIX.sub("", name)):
        if candidate in NAMES:
            return NAMES[candidate]
        code = mupdf.fz_unicode_from_glyph_name_strict(candidate) if candidate else 0
        character = ADOBE_PRIVATE.get(code) or chr(code)
        if code > 0 and not PRIVATE_CHARACTER.match(character):
            return character
    return REPLACEMENT_CHARACTER


def _lost_characters(lines: Sequence[_Line]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The fonts and characters that are looked up; Adobe's own private characters are replaced at once."""
    if not PRIVATE_CHARACTER.search(
        "".join([c["c"] for line in lines for span in line["spans"] for c in span["chars"]])
    ):
        return
    for line in lines:
        for span in line["spans"]:
            is_symbols = symbol_table(span["font"]) is not None  # whose private characters are codes
            for char in span["chars"]:
                char["c"] = ADOBE_PRIVATE.get(ord(char["c"]), char["c"])
                if char["c"] == REPLACEMENT_CHARACTER or (not is_symbols and PRIVATE_CHARACTER.match(char["c"])):
                    yield span["font"], char


def _is_meaningless(_font: str, character: str) -> bool:
    return PRIVATE_CHARACTER.match(character) is not None


def _is_latin(text: str) -> bool:
    """Whether a page is of the script whose letters are read by their shapes."""
    return len(LATIN_LETTER.findall(text)) >= MIN_LATIN_SHARE * sum(map(str.isalpha, text))


def _meaning(glyph: Glyph, fonts: Sequence[pymupdf.Font]) -> str:
    """What the glyph is called, where all fonts of its font's name agree."""
    names = {str(mupdf.fz_get_glyph_name2(font.this, glyph.number)) for font in fonts}
    meanings = set(map(meaning_of_name, names))
    meaning = meanings.pop() if len(meanings) == 1 else REPLACEMENT_CHARACTER
    code = CODE.fullmatch(names.pop()) if len(names) == 1 and meaning == REPLACEMENT_CHARACTER else None
    table = symbol_table(glyph.font)
    return meaning if code is None or table is None else table.get(int(code[1]), REPLACEMENT_CHARACTER)
