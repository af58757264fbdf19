"""Finds the glyph that a page draws for a character, in the font program that its file embeds."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import pymupdf

Place = tuple[int, int]  # tenths of a point


class Glyph(NamedTuple):
    """A glyph of an embedded font, by its number in the font program."""

    font: str
    number: int


class EmbeddedGlyphs:
    """The glyphs that a page draws for some of its characters: those of which `is_wanted(font, character)` is true.

    `composite`: of fonts of one name, those of numbered glyphs count if there are any. Their codes alone say nothing.
    """

    def __init__(self, page: pymupdf.Page, is_wanted: Callable[[str, str], bool], *, composite: bool = False) -> None:
        self._glyphs = {
            (span["font"], place_of(char[2])): Glyph(span["font"], char[1]) for span, char in _traced(page, is_wanted)
        }
        self._programs = _programs(page, {_plain(font) for font, _ in self._glyphs}, composite=composite)

    def glyph(self, font: str, char: dict[str, Any]) -> Glyph | None:
        """Of a character of MuPDF's rawdict in a font; None where the page draws none there."""
        return self._glyphs.get((font, place_of(char["origin"])))

    def programs(self, glyph: Glyph) -> Sequence[pymupdf.Font]:
        """The programs in which the glyph may be: fonts of a page may share a name; none where one is not embedded."""
        return self._programs.get(_plain(glyph.font), ())


def place_of(origin: Sequence[float]) -> Place:
    """Where a character stands."""
    return round(10 * origin[0]), round(10 * origin[1])


def _plain(font: str) -> str:
    """A font's name without what differs between its program and the file: "Sans Bold" is "Sans-Bold"."""
    return re.sub("[ _-]", "", font)


def _traced(
    page: pymupdf.Page, is_wanted: Callable[[str, str], bool]
) -> Iterator[tuple[dict[str, Any], tuple[Any, ...]]]:
    """The drawn characters that are wanted: number in Unicode, number of the glyph, origin, box."""
    spans: list[dict[str, Any]] = page.get_texttrace()
    for span in spans:
        for char in span["chars"]:
            if char[0] > 0 and is_wanted(span["font"], chr(char[0])):
                yield span, char


def _programs(page: pymupdf.Page, names: set[str], *, composite: bool) -> dict[str, list[pymupdf.Font]]:
    """The font programs of a page by their names without the tag of a subset; none of a name if one is not embedded."""
    document: Any = page.parent
    xrefs: defaultdict[str, dict[int, str]] = defaultdict(dict)  # with their kinds
    for xref, _, kind, base_font, *_ in page.get_fonts():
        name = _plain(str(base_font).rpartition("+")[2])
        if name in names:
            xrefs[name][xref] = kind
    programs: dict[str, list[pymupdf.Font]] = {}
    for name, own in xrefs.items():
        numbered = [xref for xref, kind in own.items() if kind == "Type0" and composite]
        contents: list[bytes] = [document.extract_font(xref)[3] for xref in numbered or own]
        with suppress(Exception):  # a damaged font is no reason to lose the page
            programs[name] = [pymupdf.Font(fontbuffer=content) for content in contents] if all(contents) else []
    return programs
