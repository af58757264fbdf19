"""Reads characters without a meaning, or with a private one, by the names of their glyphs in the embedded font."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import pymupdf
from pymupdf import mupdf

from documents.text.symbol_fonts import ADOBE_PRIVATE, symbol_table

LOST = "\ufffd"
MEANINGLESS = re.compile("[\ufffd\ue000-\uf8ff]")
SIZED = re.compile(r"(?<=[a-z])(?:[Bb]ig+|text|display|wide(?:r|st)?)$")  # one size of several that TeX's fonts have
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


class _Glyph(NamedTuple):
    """A glyph of an embedded font, by its number in the font program."""

    font: str
    number: int


def with_named_glyphs(page: pymupdf.Page, lines: list[_Line]) -> list[_Line]:
    """The lines; a character without a meaning has the one that its glyph's name says, if that is a known name.

    In a font whose own name says what its codes draw, a name that ends with a code says that one.
    """
    lost = list(_lost_characters(lines))
    if not lost:
        return lines
    glyphs = {(span["font"], place_of(char[2])): _Glyph(span["font"], char[1]) for span, char in _traced(page)}
    fonts = embedded_fonts(page, {font for font, _ in lost})
    meanings: dict[_Glyph, str] = {}
    for font, char in lost:
        glyph = glyphs.get((font, place_of(char["origin"])))
        if glyph is None:
            continue
        if glyph not in meanings:
            meanings[glyph] = _meaning(glyph, fonts[font])
        if meanings[glyph] != LOST:
            char["c"] = meanings[glyph]
    return lines


def meaning_of_name(name: str) -> str:
    """The character that a glyph's name stands for; U+FFFD for a name that says nothing, as `gid00043`."""
    for candidate in (name, SIZED.sub("", name)):
        if candidate in NAMES:
            return NAMES[candidate]
        code = mupdf.fz_unicode_from_glyph_name_strict(candidate) if candidate else 0
        character = ADOBE_PRIVATE.get(code) or chr(code)
        if code > 0 and not MEANINGLESS.match(character):
            return character
    return LOST


def _lost_characters(lines: Sequence[_Line]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The fonts and characters that are looked up; Adobe's own private characters are replaced at once."""
    if not MEANINGLESS.search("".join([c["c"] for line in lines for span in line["spans"] for c in span["chars"]])):
        return
    for line in lines:
        for span in line["spans"]:
            is_symbols = symbol_table(span["font"]) is not None  # whose private characters are codes
            for char in span["chars"]:
                char["c"] = ADOBE_PRIVATE.get(ord(char["c"]), char["c"])
                if char["c"] == LOST or (not is_symbols and MEANINGLESS.match(char["c"])):
                    yield span["font"], char


def _traced(page: pymupdf.Page) -> Iterator[tuple[dict[str, Any], tuple[Any, ...]]]:
    """The drawn characters without a meaning, or a private one: number in Unicode, number of the glyph, origin, box."""
    spans: list[dict[str, Any]] = page.get_texttrace()
    for span in spans:
        for char in span["chars"]:
            if char[0] > 0 and MEANINGLESS.match(chr(char[0])):
                yield span, char


def place_of(origin: Sequence[float]) -> tuple[int, int]:
    """Where a character stands, in tenths of a point."""
    return round(10 * origin[0]), round(10 * origin[1])


def embedded_fonts(page: pymupdf.Page, names: set[str]) -> dict[str, list[pymupdf.Font]]:
    """The font programs of a page by their names without the tag of a subset; several may share a name."""
    fonts: defaultdict[str, list[pymupdf.Font]] = defaultdict(list)
    document: Any = page.parent
    for xref, _, _, base_font, *_ in page.get_fonts():
        name = str(base_font).rpartition("+")[2]
        program: bytes = document.extract_font(xref)[3] if name in names else b""
        if program:
            with suppress(Exception):  # a damaged font is no reason to lose the page
                fonts[name].append(pymupdf.Font(fontbuffer=program))
    return fonts


def _meaning(glyph: _Glyph, fonts: Sequence[pymupdf.Font]) -> str:
    """What the glyph is called, where all fonts of its font's name agree."""
    names = {str(mupdf.fz_get_glyph_name2(font.this, glyph.number)) for font in fonts}
    meanings = set(map(meaning_of_name, names))
    meaning = meanings.pop() if len(meanings) == 1 else LOST
    code = CODE.fullmatch(names.pop()) if len(names) == 1 and meaning == LOST else None
    table = symbol_table(glyph.font)
    return meaning if code is None or table is None else table.get(int(code[1]), LOST)
