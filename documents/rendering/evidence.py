"""The text layer of a page in the child: each line with what tells whether a person sees it and it can be trusted."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import pymupdf

from documents.errors import PageFailed
from documents.inspection import Hidden, Rise, TextLine, Word
from documents.rendering.ink import has_ink
from documents.values import BoundingBox

FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE
DRAWN = 16 | 32  # MuPDF's flags of a span that is filled or stroked
BOLD, MONOSPACED, ITALIC = 16, 8, 2  # PyMuPDF's flags of a span's font
TINY = 1.0  # points
ON_PAGE = 0.3  # of a span's box
LEGIBLE = 3.0  # pixels of the picture: smaller text leaves too little ink there to be judged


RISEN = 0.12  # of the line's type: the least that a superscript or an index is off the baseline
SMALLER = 0.87  # of the line's type: at most the size of either


MAX_LINKS, MAX_URI = 500, 2000

_Links = list[tuple[BoundingBox, str]]


class _Span(NamedTuple):
    text: str
    chars: list[dict[str, Any]]
    rect: pymupdf.Rect  # upright page
    size: float
    bold: bool
    italic: bool
    monospaced: bool
    font: str
    origin: tuple[float, float]  # of its first sign, on the unturned page
    hidden: Hidden | None
    invisible: bool


def text_lines(page: pymupdf.Page, drawn: np.ndarray, zoom: float, max_lines: int) -> tuple[TextLine, ...]:
    """All lines, hidden ones too, in the order of the file; `zoom` is pixels of `drawn` (the page) a point."""
    found: list[TextLine] = []
    links = _links(page)
    text: dict[str, Any] = page.get_text("rawdict", flags=FLAGS, clip=pymupdf.INFINITE_RECT())  # pyright: ignore[reportAssignmentType]
    for block in text["blocks"]:
        for line in block.get("lines", ()):
            found.extend(_parts(line, page, drawn, zoom, links))
            if len(found) > max_lines:
                raise PageFailed(f"the page has more than {max_lines} lines of text")
    return tuple(found)


def _parts(
    line: dict[str, Any], page: pymupdf.Page, drawn: np.ndarray, zoom: float, links: _Links
) -> Iterator[TextLine]:
    """A line, cut where seen text turns into unseen."""
    x, y = along = line["dir"]
    if page.rotation:
        matrix = page.rotation_matrix
        x, y = x * matrix.a + y * matrix.c, x * matrix.b + y * matrix.d
    angle = round(math.degrees(math.atan2(y, x)) / 90) * 90 % 360
    spans = [_span(span, page, drawn, zoom) for span in line["spans"]]
    for (hidden, invisible), group in groupby(spans, key=lambda span: (span.hidden, span.invisible)):
        part = list(group)
        text = "".join(span.text for span in part)
        if text.strip():
            words = () if hidden else tuple(_words(part, along, page.rotation_matrix, links))
            yield _line(text, part, angle, hidden, invisible).model_copy(update={"words": words})


def _span(span: dict[str, Any], page: pymupdf.Page, drawn: np.ndarray, zoom: float) -> _Span:
    rect = pymupdf.Rect(span["bbox"]) * page.rotation_matrix
    text = "".join(char["c"] for char in span["chars"])
    ink = not text.strip() or span["size"] * zoom < LEGIBLE or _seen(rect, drawn, zoom)
    hidden: Hidden | None = None
    if span["size"] < TINY:
        hidden = "tiny"
    elif not _on_page(rect, page):
        hidden = "off_page"
    elif not ink:
        hidden = "no_ink"
    return _Span(
        text=text,
        chars=span["chars"],
        rect=rect,
        size=span["size"],
        bold=bool(span["flags"] & BOLD) or "bold" in span["font"].lower(),
        italic=bool(span["flags"] & ITALIC) or "italic" in span["font"].lower(),
        monospaced=bool(span["flags"] & MONOSPACED),
        font=span["font"],
        origin=tuple(span["chars"][0]["origin"]) if span["chars"] else span["origin"],
        hidden=hidden,
        invisible=hidden is None and not span["char_flags"] & DRAWN,
    )


def _words(spans: list[_Span], along: tuple[float, float], matrix: pymupdf.Matrix, links: _Links) -> Iterator[Word]:
    """The words of a line; a word that changes its type is cut there."""
    main = max(spans, key=lambda span: (len(span.text.strip()), span.size))
    spaced = True
    for span in spans:
        rise = _rise(span, main, along)
        run: list[dict[str, Any]] = []
        for char in [*span.chars, None]:
            if char is not None and not char["c"].isspace():
                run.append(char)
                continue
            if run:
                yield _word(run, span, rise, spaced, matrix, links)
            spaced = char is not None or (spaced and not run)
            run = []


def _word(
    run: list[dict[str, Any]], span: _Span, rise: Rise | None, spaced: bool, matrix: pymupdf.Matrix, links: _Links
) -> Word:
    rect = pymupdf.Rect(run[0]["bbox"])
    for char in run[1:]:
        rect |= pymupdf.Rect(char["bbox"])
    rect = rect * matrix
    box = BoundingBox(x0=rect.x0, y0=rect.y0, x1=rect.x1, y1=rect.y1)
    return Word(
        text=unicodedata.normalize("NFC", "".join(char["c"] for char in run)),
        box=box,
        font_size=round(span.size, 2),
        bold=span.bold,
        italic=span.italic,
        rise=rise,
        spaced=spaced,
        font=span.font,
        link=next((uri for place, uri in links if place.contains(*box.center)), None),
    )


def _rise(span: _Span, main: _Span, along: tuple[float, float]) -> Rise | None:
    """How a span stands to the baseline of its line's main type."""
    if span.size > SMALLER * main.size or not span.text.strip():
        return None
    x, y = span.origin[0] - main.origin[0], span.origin[1] - main.origin[1]
    down = (y * along[0] - x * along[1]) / main.size
    return "super" if down < -RISEN else "sub" if down > RISEN else None


def _links(page: pymupdf.Page) -> _Links:
    """Where addresses outside are linked."""
    found: _Links = []
    for link in page.get_links()[:MAX_LINKS]:
        uri = str(link.get("uri") or "")
        if uri.startswith(("http://", "https://", "mailto:")) and len(uri) <= MAX_URI:
            rect = pymupdf.Rect(link["from"]) * page.rotation_matrix
            found.append((BoundingBox(x0=rect.x0, y0=rect.y0, x1=rect.x1, y1=rect.y1), uri))
    return found


def _on_page(rect: pymupdf.Rect, page: pymupdf.Page) -> bool:
    """Whether a fair part of the text lies on the sheet."""
    part = rect & pymupdf.Rect(0, 0, page.rect.width, page.rect.height)
    return not part.is_empty and part.width * part.height >= ON_PAGE * rect.width * rect.height


def _seen(rect: pymupdf.Rect, drawn: np.ndarray, zoom: float) -> bool:
    """Whether the picture shows anything where the text should stand; its middle, so that neighbours do not count."""
    dx, dy = 0.1 * rect.width if rect.width < rect.height else 0.0, 0.15 * rect.height
    return has_ink(drawn, (rect.x0 + dx) * zoom, (rect.y0 + dy) * zoom, (rect.x1 - dx) * zoom, (rect.y1 - dy) * zoom)


def _line(text: str, spans: list[_Span], angle: int, hidden: Hidden | None, invisible: bool) -> TextLine:
    inked = [span for span in spans if span.text.strip()]
    rect = pymupdf.Rect(inked[0].rect)
    for span in inked[1:]:
        rect |= span.rect
    main = max(inked, key=lambda span: len(span.text))
    letters = sum(len(span.text) for span in inked)
    plain = unicodedata.normalize("NFC", text).strip()
    return TextLine(
        text=plain,
        box=BoundingBox(x0=rect.x0, y0=rect.y0, x1=rect.x1, y1=rect.y1),
        font_size=round(main.size, 2),
        bold=2 * sum(len(span.text) for span in inked if span.bold) > letters,
        monospaced=main.monospaced,
        angle=angle,
        hidden=hidden,
        invisible=invisible,
        fonts=tuple(dict.fromkeys(span.font for span in inked)),
        bad_share=round(sum(map(_is_bad, plain)) / len(plain), 3),
    )


def _is_bad(sign: str) -> bool:
    return sign == "\ufffd" or unicodedata.category(sign) in ("Co", "Cn", "Cc")
