"""Reads the text layer of a PDF page: lines with fonts, boxes, and whether they are visible."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Any, NamedTuple

import numpy as np
import pymupdf

from documents.boxes import BoundingBox
from documents.errors import PageFailed
from documents.inspection import Hidden, TextLine, Word
from documents.pdf.glyphs.accents import with_accents
from documents.pdf.glyphs.formula_glyphs import FormulaGlyphs
from documents.pdf.glyphs.glyph_names import with_named_glyphs
from documents.pdf.glyphs.lost_ligatures import with_ligatures
from documents.pdf.glyphs.seen_symbols import with_seen_symbols
from documents.pdf.glyphs.symbol_fonts import shown
from documents.pdf.glyphs.word_gaps import with_measured_words
from documents.pdf.text.half_turned_text import with_half_turned_boxes
from documents.pdf.text.hidden_text import DRAWN_FLAGS, Verdict, sight_of
from documents.pdf.text.line_words import Links, PrintedSpan, links_of, words_of
from documents.pdf.text.note_marks import with_note_marks
from documents.pdf.text.overprint import without_overprints
from documents.pdf.text.struck_text import Strikes
from documents.pdf.text.text_visibility import Edges, Sheet
from documents.pdf.text.vertical_text import with_columns
from documents.pdf.text.watermarks import watermarks
from documents.text.text_direction import readable
from documents.text.typography import set_words

FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE
BOLD_FLAG = 16  # PyMuPDF's flags of a span's font
MONOSPACED_FLAG = 8
ITALIC_FLAG = 2
_WORD = re.compile(r"\S+")
ZERO_WIDTH = (
    "\u200b\ufeff"  # Google Docs writes one behind every bullet; between letters they part words of Khmer or Thai
)
# half of a pair of UTF-16, which a font's table may state alone: no character
_SURROGATE = re.compile("[\ud800-\udfff]")


class TextLayer(NamedTuple):
    """The lines of a page, hidden ones too, and the watermarks among its text, in the order of the file."""

    lines: tuple[TextLine, ...] = ()
    watermarks: tuple[TextLine, ...] = ()


def text_layer(
    page: pymupdf.Page,
    rendering: np.ndarray,
    zoom: float,
    images: Sequence[BoundingBox],
    strikes: Strikes,
    max_lines: int,
) -> TextLayer:
    """All text of a page; `zoom` is pixels of `rendering` (the page) per point.

    Raises PageFailed if there are more than `max_lines`.
    """
    text: dict[str, Any] = page.get_text("rawdict", flags=FLAGS, clip=pymupdf.INFINITE_RECT())  # pyright: ignore[reportAssignmentType]
    drawn = [line for block in text["blocks"] for line in block.get("lines", ())]
    drawn = with_half_turned_boxes(page, drawn, FLAGS)
    drawn = with_seen_symbols(page, with_named_glyphs(page, without_overprints(drawn)))
    drawn = with_measured_words(with_accents(drawn))
    lines = with_ligatures(page, with_columns(with_note_marks(drawn)))
    if not lines:
        return TextLayer()
    strikes.mark(lines[:max_lines])
    upright = page.rotation_matrix  # asked for once: MuPDF works it out each time
    boxes = [_middle(pymupdf.Rect(line["bbox"]) * upright) for line in lines[:max_lines]]
    aslant, behind = watermarks(lines[:max_lines])
    crossing = [box for k, box in enumerate(boxes) if k not in aslant and k not in behind]
    sheet, links = Sheet(page, rendering, zoom, lines=crossing, images=images), links_of(page)
    aslant |= {k for k in behind if sheet.is_light(boxes[k])}
    formulas = FormulaGlyphs(page, lines)
    text_lines, marks = list[TextLine](), list[TextLine]()
    for k, line in enumerate(lines):
        for part in _parts(line, upright, sheet, links, formulas):
            (marks if k in aslant and part.hidden is None else text_lines).append(part)
        if len(text_lines) + len(marks) > max_lines:
            raise PageFailed(f"the page has more than {max_lines} lines of text")
    return TextLayer(tuple(text_lines), tuple(marks))


def _parts(
    line: dict[str, Any], upright: pymupdf.Matrix, sheet: Sheet, links: Links, formulas: FormulaGlyphs
) -> Iterator[TextLine]:
    """A line, cut where seen text turns into unseen."""
    x, y = along = line["dir"]
    x, y = x * upright.a + y * upright.c, x * upright.b + y * upright.d
    angle = round(math.degrees(math.atan2(y, x)) / 90) * 90 % 360
    spans = [part for span in line["spans"] for part in _spans(span, upright, sheet)]
    for (hidden, invisible), group in groupby(spans, key=lambda span: (span.hidden, span.invisible)):
        part = list(group)
        text = "".join(span.text for span in part)
        if text.strip():
            words = () if hidden else words_of(part, along, upright, links)
            whole = _line(set_words(words) if words else text, part, angle, hidden, invisible, words)
            yield whole if hidden or invisible else whole.model_copy(update={"glyphs": formulas.of(part, along)})


def _spans(span: dict[str, Any], upright: pymupdf.Matrix, sheet: Sheet) -> Iterator[PrintedSpan]:
    """A span, cut between words where seen text turns into unseen."""
    chars = _without_zero_width(span["chars"])
    text = "".join([char["c"] for char in chars])
    if _SURROGATE.search(text):
        for char in chars:
            char["c"] = _SURROGATE.sub("\ufffd", char["c"])
        text = _SURROGATE.sub("\ufffd", text)
    words = list(_words(text)) if span["char_flags"] & DRAWN_FLAGS else [slice(0, len(chars))]
    verdicts = [sight_of(span, text[word], _around(chars[word], upright), sheet) for word in words]
    for verdict, group in groupby(zip(verdicts, words, strict=True), key=lambda pair: pair[0]):
        parts = [word for _, word in group]
        part = slice(parts[0].start, parts[-1].stop)
        whole = part == slice(0, len(chars)) and text == text.strip()  # blanks at its ends are no part of its place
        rect = pymupdf.Rect(span["bbox"]) * upright if whole else pymupdf.Rect(_around(chars[part], upright))
        yield _span(span, chars[part], rect, verdict)


def _without_zero_width(chars: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The characters without those of no width at the beginning or end of a word."""
    if all(char["c"] not in ZERO_WIDTH for char in chars):
        return chars
    text = "".join([char["c"] if char["c"] in ZERO_WIDTH or char["c"].isspace() else "x" for char in chars])
    kept: set[int] = set()
    for word in _WORD.finditer(text):
        bare = word[0].strip(ZERO_WIDTH)
        begin = word.start() + len(word[0]) - len(word[0].lstrip(ZERO_WIDTH))
        kept.update(range(begin, begin + len(bare)))
    return [char for k, char in enumerate(chars) if k in kept or char["c"].isspace()]


def _words(text: str) -> Iterator[slice]:
    """From each word up to the next; blanks at the beginning belong to the first."""
    begins = [0, *(word.start() for word in _WORD.finditer(text))]
    if len(begins) > 1:
        del begins[1]
    for begin, end in pairwise([*begins, len(text)]):
        yield slice(begin, end)


def _span(span: dict[str, Any], part: list[dict[str, Any]], rect: pymupdf.Rect, verdict: Verdict) -> PrintedSpan:
    chars = readable(shown(part, span["font"]))
    text = "".join([char["c"] for char in chars])
    hidden, invisible = verdict if text.strip() else (None, False)
    return PrintedSpan(
        text=text,
        chars=chars,
        rect=rect,
        size=span["size"],
        bold=bool(span["flags"] & BOLD_FLAG) or "bold" in span["font"].lower(),
        italic=bool(span["flags"] & ITALIC_FLAG) or "italic" in span["font"].lower(),
        colour=int(span["color"]) & 0xFFFFFF,
        monospaced=bool(span["flags"] & MONOSPACED_FLAG),
        font=span["font"],
        origin=tuple(chars[0]["origin"]) if chars else span["origin"],
        hidden=hidden,
        invisible=invisible,
        struck=span.get("struck", False),
        hangs=span["ascender"] < -span["descender"],
    )


def _around(chars: list[dict[str, Any]], upright: pymupdf.Matrix) -> Edges:
    """The box of some signs on the upright page; blanks count only where there is nothing else."""
    boxes = [char["bbox"] for char in chars if not char["c"].isspace()] or [char["bbox"] for char in chars]
    if not boxes:
        return Edges(0.0, 0.0, 0.0, 0.0)
    x0, y0, x1, y1 = zip(*boxes, strict=True)  # plain numbers: MuPDF's boxes take many times as long
    edges = Edges(min(x0), min(y0), max(x1), max(y1))
    if upright.a == 1:
        return edges
    turned = pymupdf.Rect(edges) * upright
    return Edges(turned.x0, turned.y0, turned.x1, turned.y1)


def _middle(rect: pymupdf.Rect) -> pymupdf.Rect:
    """Without its upper and lower edge, which the lines above and below may reach."""
    return pymupdf.Rect(rect.x0, rect.y0 + 0.2 * rect.height, rect.x1, rect.y1 - 0.2 * rect.height)


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
        colour=main.colour,
        monospaced=main.monospaced,
        angle=angle,
        hidden=hidden,
        invisible=invisible,
        fonts=tuple(dict.fromkeys(span.font for span in inked)),
        bad_share=0.0 if plain.isascii() and plain.isprintable() else round(sum(map(_is_bad, plain)) / len(plain), 3),
        words=words,
    )


def _is_bad(sign: str) -> bool:
    return sign == "\ufffd" or unicodedata.category(sign) in ("Co", "Cn", "Cc")
