"""Decides which text of a PDF nobody sees (invisible, white, tiny, covered, off the page), and OCR layers of scans."""

from __future__ import annotations

from typing import Any

from documents.inspection import Hidden
from documents.pdf.text.text_visibility import MIN_VISIBLE_INK, Edges, Sheet

Verdict = tuple[Hidden | None, bool]  # why it is hidden; whether it is the layer that OCR laid under or over a scan

DRAWN_FLAGS = 16 | 32  # MuPDF's flags of a span that is filled or stroked
CLIP_FLAG = 64  # MuPDF's flag of a span that other painting shows through
MIN_VISIBLE_SIZE = 1.0  # points
MIN_PAGE_SHARE = 0.3  # minimum share of a box that lies on the page
DRAWN_FONT_PREFIX = "Type3 ("  # MuPDF's name of a font that draws its own signs begins with this
MIN_VISIBLE_SHARE = 0.25  # minimum visible share of a word's ink
MAX_SYMBOL_LENGTH = 2  # a longer word has its ink where it stands
MIN_PIXEL_SIZE = 2.0  # smaller type (pixels) leaves no ink on the picture of a huge page
MAX_GLYPH_OVERHANG = 0.5  # maximum overhang of signs out of their boxes in fonts of large brackets, in type sizes

VISIBLE_VERDICT: Verdict = (None, False)
LAYER: Verdict = (None, True)
NO_INK: Verdict = ("no_ink", False)


def sight_of(span: dict[str, Any], text: str, box: Edges, sheet: Sheet) -> Verdict:
    """Of the part of `span` (MuPDF's rawdict) that says `text` and stands in `box`, on the upright page."""
    if span["size"] < MIN_VISIBLE_SIZE:
        return "tiny", False
    if not _on_page(box, sheet):
        return "off_page", False
    if span["char_flags"] & CLIP_FLAG and sheet.has_background(box):
        return VISIBLE_VERDICT
    return _drawn(span, text, box, sheet) if span["char_flags"] & DRAWN_FLAGS else _undrawn(span, box, sheet)


def _drawn(span: dict[str, Any], text: str, box: Edges, sheet: Sheet) -> Verdict:
    if span["size"] * sheet.zoom < MIN_PIXEL_SIZE:
        return VISIBLE_VERDICT if span["alpha"] and not sheet.same_as_background(box, span["color"]) else NO_INK
    share = sheet.share_seen(box, span["color"])
    if share is None and span["alpha"] and len(text.strip()) <= MAX_SYMBOL_LENGTH:  # a sign of mathematics, perhaps
        by = MAX_GLYPH_OVERHANG * span["size"]
        share = sheet.share_seen(Edges(box.x0 - by, box.y0 - by, box.x1 + by, box.y1 + by), span["color"])
    if share is not None and share >= MIN_VISIBLE_INK:
        return VISIBLE_VERDICT
    if sheet.same_as_background(box, span["color"]):  # what shows is what it crosses: rules, or the letters of others
        return NO_INK
    if share is not None and share >= MIN_VISIBLE_SHARE:
        return VISIBLE_VERDICT
    return LAYER if sheet.is_scan and sheet.has_image(box) and sheet.has_background(box) else NO_INK


def _undrawn(span: dict[str, Any], box: Edges, sheet: Sheet) -> Verdict:
    """MuPDF tells signs of a Type 3 font that it cannot keep as drawings, with text that is not drawn over them."""
    if not sheet.has_background(box):
        return NO_INK
    if sheet.has_image(box):
        return LAYER
    return VISIBLE_VERDICT if span["font"].startswith(DRAWN_FONT_PREFIX) else NO_INK


def _on_page(box: Edges, sheet: Sheet) -> bool:
    """Whether a fair part of the text lies on the sheet."""
    width, height = min(box.x1, sheet.width) - max(box.x0, 0), min(box.y1, sheet.height) - max(box.y0, 0)
    return width > 0 and height > 0 and width * height >= MIN_PAGE_SHARE * (box.x1 - box.x0) * (box.y1 - box.y0)
