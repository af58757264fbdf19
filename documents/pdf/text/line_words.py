"""Splits a printed line of a PDF into words: superscripts, links, styles."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pymupdf

from documents.boxes import BoundingBox
from documents.inspection import Hidden, Rise, Word
from documents.text.text_direction import from_the_right, runs_backwards, splits_operator, stands_apart, turns

MIN_SCRIPT_RISE = 0.12  # minimum distance of a superscript or subscript from the baseline, in the line's type sizes
MAX_SCRIPT_SIZE = 0.87  # maximum size of either, in the line's type sizes
MAX_LINKS, MAX_URI = 500, 2000
_PLAIN_CHARACTERS = re.compile(r"[^+<=>|~\x80-\U0010ffff]*")  # no operator, and nothing that is read from the right
_RUN = re.compile(r"\s+|\S+")

Links = list[tuple[BoundingBox, str]]
_Char = dict[str, Any]  # as MuPDF's rawdict has it
_Edges = tuple[float, float, float, float]


class PrintedSpan(NamedTuple):
    """Signs of one line in one type."""

    text: str
    chars: list[_Char]
    rect: pymupdf.Rect  # upright page
    size: float
    bold: bool
    italic: bool
    colour: int  # 0xRRGGBB
    monospaced: bool
    font: str
    origin: tuple[float, float]  # of its first sign, on the unturned page
    hidden: Hidden | None
    invisible: bool
    struck: bool = False
    hangs: bool = False  # its signs hang from their baseline, as large brackets of TeX do


def words_of(
    spans: Sequence[PrintedSpan], along: tuple[float, float], matrix: pymupdf.Matrix, links: Links
) -> tuple[Word, ...]:
    """The words of one line; `along` is the direction of its baseline, `matrix` turns the page upright."""
    main = max(spans, key=lambda span: (not span.hangs, len(span.text.strip()) * span.size**2))
    level = along[0] > 0.99
    words: list[Word] = []
    spaced, last = True, None
    for span in spans:
        rise = _rise(span, main, along)
        for run, apart in _runs(span, last, level):
            if run is None:
                spaced = True
                continue
            words.append(_word(run, span, rise, spaced or apart, matrix, links))
            spaced = False
        last = span.chars[-1] if span.chars else last
    if level and not matrix.b and runs_backwards("".join(word.text for word in words)):
        return tuple(from_the_right(words))
    return tuple(words)


def links_of(page: pymupdf.Page) -> Links:
    """Where addresses outside are linked."""
    links: Links = []
    for link in page.get_links()[:MAX_LINKS]:
        uri = str(link.get("uri") or "")
        if uri.startswith(("http://", "https://", "mailto:")) and len(uri) <= MAX_URI:
            rect = pymupdf.Rect(link["from"]) * page.rotation_matrix
            links.append((BoundingBox(x0=rect.x0, y0=rect.y0, x1=rect.x1, y1=rect.y1), uri))
    return links


def _runs(span: PrintedSpan, last: _Char | None, level: bool) -> Iterator[tuple[list[_Char] | None, bool]]:
    """Signs without a blank between them, and whether room stands before them; None for a blank."""
    if _PLAIN_CHARACTERS.fullmatch(span.text) and (
        last is None or _PLAIN_CHARACTERS.fullmatch(last["c"])
    ):  # so are most: blanks alone part
        for match in _RUN.finditer(span.text):
            yield None if match[0].isspace() else span.chars[match.start() : match.end()], False
        return
    run: list[_Char] = []
    apart = False
    for char in span.chars:
        if char["c"].isspace():
            if run:
                yield run, apart
            yield None, False
            run, apart, last = [], False, None
            continue
        room = last is not None and level and _has_room(last, char, span.size)
        if room or (last is not None and turns(last["c"], char["c"])):
            if run:
                yield run, apart
            run, apart = [], room
        run.append(char)
        last = char
    if run:
        yield run, apart


def _has_room(before: _Char, after: _Char, size: float) -> bool:
    """Whether a blank that no sign tells is between two characters."""
    return splits_operator(before, after, size) or stands_apart(before, after, size)


def _word(
    run: list[_Char], span: PrintedSpan, rise: Rise | None, spaced: bool, matrix: pymupdf.Matrix, links: Links
) -> Word:
    rect: Any = _around([char["bbox"] for char in run])
    if matrix.a != 1:  # the page is turned
        rect = pymupdf.Rect(rect) * matrix
    x0, y0, x1, y1 = rect  # a page has hundreds of them
    box = BoundingBox(x0=round(x0, 2), y0=round(y0, 2), x1=round(x1, 2), y1=round(y1, 2))
    return Word(
        text=unicodedata.normalize("NFC", "".join([char["c"] for char in run])),
        box=box,
        font_size=round(span.size, 2),
        bold=span.bold,
        italic=span.italic,
        rise=rise,
        spaced=spaced,
        font=span.font,
        struck=span.struck,
        link=next((uri for place, uri in links if place.contains(*box.center)), None) if links else None,
    )


def _around(rects: list[_Edges]) -> _Edges:
    """The box around all that have an area; MuPDF's own union takes many times as long, and a page has thousands."""
    solid = [rect for rect in rects if rect[0] < rect[2] and rect[1] < rect[3]]
    if len(solid) < 2:
        return (solid or rects)[0]
    left, top, right, bottom = zip(*solid, strict=True)
    return min(left), min(top), max(right), max(bottom)


def _rise(span: PrintedSpan, main: PrintedSpan, along: tuple[float, float]) -> Rise | None:
    """How a span stands to the baseline of its line's main type; signs such as ® and ™ stand high by their nature."""
    text = span.text.strip()
    if (
        span.size > MAX_SCRIPT_SIZE * main.size
        or span.hangs
        or all(unicodedata.category(sign) == "So" for sign in text)
    ):
        return None
    x, y = span.origin[0] - main.origin[0], span.origin[1] - main.origin[1]
    down = (y * along[0] - x * along[1]) / main.size
    return "super" if down < -MIN_SCRIPT_RISE else "sub" if down > MIN_SCRIPT_RISE else None
