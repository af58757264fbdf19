"""The text layer of a page in the child: each line with what tells whether a person sees it and it can be trusted."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import numpy as np
import pymupdf

from documents.errors import PageFailed
from documents.inspection import Hidden, TextLine, Word
from documents.rendering.direction import readable
from documents.rendering.ink import has_ink
from documents.rendering.symbols import shown
from documents.rendering.words import Links, PrintedSpan, links_of, words_of
from documents.typography import set_words
from documents.values import BoundingBox

FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE
DRAWN = 16 | 32  # MuPDF's flags of a span that is filled or stroked
BOLD, MONOSPACED, ITALIC = 16, 8, 2  # PyMuPDF's flags of a span's font
TINY = 1.0  # points
ON_PAGE = 0.3  # of a span's box
LEGIBLE = 3.0  # pixels of the picture: smaller text leaves too little ink there to be judged


def text_lines(page: pymupdf.Page, drawn: np.ndarray, zoom: float, max_lines: int) -> tuple[TextLine, ...]:
    """All lines, hidden ones too, in the order of the file; `zoom` is pixels of `drawn` (the page) a point."""
    found: list[TextLine] = []
    links = links_of(page)
    text: dict[str, Any] = page.get_text("rawdict", flags=FLAGS, clip=pymupdf.INFINITE_RECT())  # pyright: ignore[reportAssignmentType]
    for block in text["blocks"]:
        for line in block.get("lines", ()):
            found.extend(_parts(line, page, drawn, zoom, links))
            if len(found) > max_lines:
                raise PageFailed(f"the page has more than {max_lines} lines of text")
    return tuple(found)


def _parts(
    line: dict[str, Any], page: pymupdf.Page, drawn: np.ndarray, zoom: float, links: Links
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
            words = () if hidden else words_of(part, along, page.rotation_matrix, links)
            yield _line(set_words(words) if words else text, part, angle, hidden, invisible, words)


def _span(span: dict[str, Any], page: pymupdf.Page, drawn: np.ndarray, zoom: float) -> PrintedSpan:
    rect = pymupdf.Rect(span["bbox"]) * page.rotation_matrix
    chars = readable(shown(span["chars"], span["font"]))
    text = "".join(char["c"] for char in chars)
    ink = not text.strip() or span["size"] * zoom < LEGIBLE or _seen(rect, drawn, zoom)
    hidden: Hidden | None = None
    if span["size"] < TINY:
        hidden = "tiny"
    elif not _on_page(rect, page):
        hidden = "off_page"
    elif not ink:
        hidden = "no_ink"
    return PrintedSpan(
        text=text,
        chars=chars,
        rect=rect,
        size=span["size"],
        bold=bool(span["flags"] & BOLD) or "bold" in span["font"].lower(),
        italic=bool(span["flags"] & ITALIC) or "italic" in span["font"].lower(),
        monospaced=bool(span["flags"] & MONOSPACED),
        font=span["font"],
        origin=tuple(chars[0]["origin"]) if chars else span["origin"],
        hidden=hidden,
        invisible=hidden is None and not span["char_flags"] & DRAWN,
    )


def _on_page(rect: pymupdf.Rect, page: pymupdf.Page) -> bool:
    """Whether a fair part of the text lies on the sheet."""
    part = rect & pymupdf.Rect(0, 0, page.rect.width, page.rect.height)
    return not part.is_empty and part.width * part.height >= ON_PAGE * rect.width * rect.height


def _seen(rect: pymupdf.Rect, drawn: np.ndarray, zoom: float) -> bool:
    """Whether the picture shows anything where the text should stand; its middle, so that neighbours do not count."""
    dx, dy = 0.1 * rect.width if rect.width < rect.height else 0.0, 0.15 * rect.height
    return has_ink(drawn, (rect.x0 + dx) * zoom, (rect.y0 + dy) * zoom, (rect.x1 - dx) * zoom, (rect.y1 - dy) * zoom)


def _line(
    text: str, spans: list[PrintedSpan], angle: int, hidden: Hidden | None, invisible: bool, words: tuple[Word, ...]
) -> TextLine:
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
        words=words,
    )


def _is_bad(sign: str) -> bool:
    return sign == "\ufffd" or unicodedata.category(sign) in ("Co", "Cn", "Cc")
