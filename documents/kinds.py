"""What kind a region is, once its lines are known: type size and place on the page overrule a doubtful detection."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from statistics import median

from documents.inspection import TextLine
from documents.values import BoundingBox, RegionKind

CAPTION = re.compile(r"(?:fig(?:ure|\.)?|abb(?:ildung|\.)|tab(?:le|elle|leau|\.)?)\s*\d", re.IGNORECASE)
PAGE_NUMBER = re.compile(
    r"(?:page\s*|seite\s*|[-–—]\s*)?(?:\d{1,4}|[ivxlc]{1,6})(?:\s*(?:of|/|von)\s*\d+)?(?:\s*[-–—])?", re.I
)
MARGIN = 0.09  # of the page's height, at top and bottom, where running heads stand


def body_size(lines: Sequence[TextLine]) -> float:
    """The font size of most letters of a page, in points; 10 if there are none."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(2 * line.font_size) / 2] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 10.0


def settle(kind: RegionKind, box: BoundingBox, lines: Sequence[TextLine], page: BoundingBox, body: float) -> RegionKind:
    """The kind of a region that holds `lines` (at least one)."""
    text = " ".join(line.text for line in lines)
    if kind in ("table", "figure", "figure_caption", "table_caption", "table_footnote"):
        return kind
    edge = box.y1 <= MARGIN * page.height or box.y0 >= (1 - MARGIN) * page.height
    if PAGE_NUMBER.fullmatch(text) and edge:
        return "abandon"
    if kind == "abandon":
        return "abandon" if _is_furniture(box, lines, page) else "plain text"
    if CAPTION.match(text) and len(lines) <= 6 and kind == "plain text":
        return "figure_caption"
    size = median(line.font_size for line in lines)
    bold = all(line.bold for line in lines)
    words = text.split()
    if kind == "title":
        long = len(lines) > 4 or len(words) > 30
        return "plain text" if long or (size < 1.05 * body and not bold and text.endswith((".", ",", ";"))) else "title"
    if kind == "plain text":
        short = len(lines) <= 3 and 1 <= len(words) <= 20 and any(sign.isalpha() for sign in text)
        big = size >= 1.18 * body or (bold and size >= 0.98 * body)
        return "title" if short and big and not text.endswith((",", ";")) else "plain text"
    if len(words) > 12 and sum(word.isalpha() for word in words) > 0.7 * len(words):
        return "plain text"  # prose is no formula
    return kind


def _is_furniture(box: BoundingBox, lines: Sequence[TextLine], page: BoundingBox) -> bool:
    """Running heads, page numbers and margin stamps, but not the notes at the foot of a page."""
    if any(line.angle for line in lines):
        return True
    if len(lines) > 3 or sum(len(line.text.split()) for line in lines) > 25:
        return False
    return box.y1 <= 1.4 * MARGIN * page.height or box.y0 >= (1 - 1.2 * MARGIN) * page.height
