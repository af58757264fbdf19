"""Computes the features that distinguish a heading from other short texts: type, words and place in the document."""

from __future__ import annotations

import re

from documents.structure.text_styles import Block, DocumentType, PageContext, bare
from documents.text.languages import DATE, OPEN_END, caption_kind
from documents.text.list_markers import marker_of
from documents.text.word_count import num_words
from documents.values import Region, TextRegion

MAX_LINES, MAX_WORDS = 6, 40  # of a heading
NUMBER = re.compile(r"(\d{1,2}(?:\.\d{1,3}){0,5})[.):]?\s+\S|([A-Z]|[IVX]{1,5})\.\s+\S|([A-Z](?:\.\d{1,2})+)\.?\s+\S")
PART = re.compile(
    r"(?:chapter|section|part|appendix|annex|article|step|module|unit|kapitel|teil|anhang|chapitre|partie|annexe"
    r"|cap[ií]tulo|parte|sezione|capitolo|play|attachment|schedule|exhibit)\s+(?:\d{1,3}|[A-Z]|[IVXL]{1,6})\b",
    re.IGNORECASE,
)


def may_be_heading(region: Region) -> bool:
    """Whether it is worth a look: a short text with letters, no part of a list's middle, no note."""
    if region.kind not in ("title", "plain text") or len(region.spans) > MAX_LINES:
        return False
    if isinstance(region, TextRegion) and (region.code or region.note is not None):
        return False
    return num_words(region.text) <= MAX_WORDS and sum(map(str.isalpha, region.text)) >= 2


NAMES = (
    "is_title", "score", "gathered", "size_ratio", "page_size_ratio", "bold", "bold_unlike_body", "colour",
    "colour_unlike_body", "style_share", "style_mean_words", "style_blocks", "style_pages", "style_titles", "num_words",
    "num_lines",
    "letters_per_word", "capitals", "title_case", "digits", "begins_small", "ends_full_stop", "ends_colon",
    "ends_comma", "ends_question", "open_end", "number_depth", "number_letter", "part_word", "marker", "address",
    "date", "caption", "named", "gap_above", "gap_below", "gap_ratio", "below_is_text", "below_words", "below_size",
    "below_same_style", "above_ends_open", "above_same_style", "above_is_title", "beside", "left", "centred", "width",
    "height_on_page", "first_on_page", "last_on_page", "row_of_many",
)  # fmt: skip


def features(block: Block, page: PageContext, document: DocumentType) -> list[float]:
    """The values of `NAMES`."""
    return [
        *_type_features(block, page, document),
        *_word_features(block, document),
        *_place_features(block, page, document),
    ]


def _type_features(block: Block, page: PageContext, document: DocumentType) -> list[float]:
    """What it was taken for, and how its type is used: up to `style_titles`."""
    region, style, body = block.region, block.style, document.body
    unit = body.size or 10.0
    return [
        region.kind == "title",
        region.score,
        region.score == 0.0,
        style.size / unit,
        style.size / (page.size or unit),
        style.bold,
        style.bold and not body.bold,
        style.colour != 0,
        style.colour != body.colour,
        document.share(style),
        min(100.0, document.mean_words(style)),
        min(100, document.num_blocks(style)),
        document.num_style_pages(style) / document.num_pages,
        document.title_share(style),
    ]


def _word_features(block: Block, document: DocumentType) -> list[float]:
    """What it says: from `num_words` to `named`."""
    text = block.region.text.strip()
    count = num_words(text)
    number = NUMBER.match(text)
    letters = [letter for letter in text if letter.isalpha()]
    long_words = [word for word in text.split() if len(word) > 3 and word[0].isalpha()]
    return [
        count,
        len(block.region.spans),
        len(letters) / count,
        sum(map(str.isupper, letters)) / len(letters),
        sum(word[0].isupper() for word in long_words) / len(long_words) if long_words else 0.5,
        sum(map(str.isdigit, text)) / len(text),
        text[0].islower(),
        text.endswith((".", "。")),
        text.endswith((":", "：")),
        text.endswith((",", ";", "-")),
        text.endswith(("?", "!")),
        bool(OPEN_END.search(text)),
        number[1].count(".") + 1 if number and number[1] else 0,
        bool(number and not number[1]),
        bool(PART.match(text)),
        marker_of(text) is not None,
        "@" in text or "://" in text or "www." in text,
        bool(DATE.search(text)),
        caption_kind(text) is not None,
        bare(text) in document.named,
    ]


def _place_features(block: Block, page: PageContext, document: DocumentType) -> list[float]:
    """Where it stands and beside what: from `gap_above` on."""
    style, box = block.style, block.box
    above, below, beside = page.above(block), page.below(block), page.beside(block)
    unit = document.body.size or 10.0
    gap_above = min(10.0, (box.y0 - above.box.y1) / unit) if above else 10.0
    gap_below = min(10.0, (below.box.y0 - box.y1) / unit) if below else 10.0
    left, right = page.edges
    width, height = page.page.size
    return [
        gap_above,
        gap_below,
        (gap_above + 0.1) / (max(0.0, gap_below) + 0.1),
        below is not None and below.region.kind == "plain text",
        min(60, below.num_words) if below else 0,
        below.style.size / style.size if below and style.size else 0.0,
        below is not None and below.style == style,
        above is not None and above.region.text.rstrip()[-1] not in ".!?:;”\"'",
        above is not None and above.style == style,
        above is not None and above.region.kind == "title",
        min(5, len(beside)),
        min(30.0, (box.x0 - left) / unit),
        abs(box.center[0] - width / 2) / width,
        box.width / max(1.0, right - left),
        box.y0 / height,
        above is None,
        below is None,
        sum(other.style == style for other in beside),
    ]
