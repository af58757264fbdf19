"""Decides which text of a PDF nobody sees (invisible, white, tiny, covered, off the page), and OCR layers of scans."""

from __future__ import annotations

from typing import Any

from documents.inspection import Hidden
from documents.pdf.text.text_visibility import MOST, Edges, Sheet

Verdict = tuple[Hidden | None, bool]  # why it is hidden; whether it is the layer that OCR laid under or over a scan

DRAWN, CLIPS = 16 | 32, 64  # MuPDF's flags of a span: filled or stroked; what is painted through it
TINY = 1.0  # points
ON_PAGE = 0.3  # of a box
OWN_GLYPHS = "Type3 ("  # how MuPDF names fonts that draw their own signs
LEAST = 0.25  # of a word's ink, to be seen
FEW = 2  # signs; a longer word has its ink where it stands
COARSE = 2.0  # pixels: smaller type leaves no ink on the picture of a huge page
BEYOND = 0.5  # of the type: as far signs reach out of their boxes, in fonts of large brackets

SEEN: Verdict = (None, False)
LAYER: Verdict = (None, True)
NO_INK: Verdict = ("no_ink", False)


def sight_of(span: dict[str, Any], text: str, box: Edges, sheet: Sheet) -> Verdict:
    """Of the part of `span` (MuPDF's rawdict) that says `text` and stands in `box`, on the upright page."""
    if span["size"] < TINY:
        return "tiny", False
    if not _on_page(box, sheet):
        return "off_page", False
    if span["char_flags"] & CLIPS and sheet.has_background(box):
        return SEEN
    return _drawn(span, text, box, sheet) if span["char_flags"] & DRAWN else _undrawn(span, box, sheet)


def _drawn(span: dict[str, Any], text: str, box: Edges, sheet: Sheet) -> Verdict:
    if span["size"] * sheet.zoom < COARSE:
        return SEEN if span["alpha"] and not sheet.same_as_background(box, span["color"]) else NO_INK
    share = sheet.share_seen(box, span["color"])
    if share is None and span["alpha"] and len(text.strip()) <= FEW:  # a sign of mathematics, perhaps
        by = BEYOND * span["size"]
        share = sheet.share_seen(Edges(box.x0 - by, box.y0 - by, box.x1 + by, box.y1 + by), span["color"])
    if share is not None and share >= MOST:
        return SEEN
    if sheet.same_as_background(box, span["color"]):  # what shows is what it crosses: rules, or the letters of others
        return NO_INK
    if share is not None and share >= LEAST:
        return SEEN
    return LAYER if sheet.is_scan and sheet.has_image(box) and sheet.has_background(box) else NO_INK


def _undrawn(span: dict[str, Any], box: Edges, sheet: Sheet) -> Verdict:
    """MuPDF tells signs of a Type 3 font that it cannot keep as drawings, with text that is not drawn over them."""
    if not sheet.has_background(box):
        return NO_INK
    if sheet.has_image(box):
        return LAYER
    return SEEN if span["font"].startswith(OWN_GLYPHS) else NO_INK


def _on_page(box: Edges, sheet: Sheet) -> bool:
    """Whether a fair part of the text lies on the sheet."""
    width, height = min(box.x1, sheet.width) - max(box.x0, 0), min(box.y1, sheet.height) - max(box.y0, 0)
    return width > 0 and height > 0 and width * height >= ON_PAGE * (box.x1 - box.x0) * (box.y1 - box.y0)
