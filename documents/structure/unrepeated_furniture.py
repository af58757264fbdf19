"""Puts back what the place on its page made furniture, though no other page has it: last sentences, first headings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from statistics import median

from documents.structure.page_draft import TAGGED
from documents.structure.text_styles import DocumentType, Style, blocks_of, style_of
from documents.values import Page, Region, as_kind

MIN_SENTENCE = 8  # words
SAME_WORDS = 4  # with which furniture of two pages begins or ends: it comes back, whatever else it says
SAME_TYPE = 0.06  # of the text's size, by which another may differ
TITLE_SHARE = 0.5  # of the texts in a style, that are titles: then furniture in it may be one
MIN_TITLES = 2  # such titles
TOP = 0.2  # of the page's height, in which a heading begins it
MAX_WORDS = 12  # of such a heading


def with_unrepeated_text(pages: Sequence[Page], body: float) -> list[Page]:
    """Furniture of one page of several is text if it is a whole sentence in the text's type (`body`: its size, points).

    It is a title if it stands at the top in the type of the document's titles, which no other furniture has.
    """
    if len(pages) < 2:
        return list(pages)
    furniture = [region for page in pages for region in page.regions if region.kind == "abandon"]
    times = Counter(end for region in furniture for end in _ends(region.text))
    styles = Counter(style_of(region) for region in furniture)
    blocks = DocumentType(blocks_of(pages), ())
    kept_pages: list[Page] = []
    for page in pages:
        regions: list[Region] = []
        for region in page.regions:
            once = region.kind == "abandon" and all(times[end] == 1 for end in _ends(region.text))
            if once and _is_sentence(region, body):
                regions.append(as_kind(region, "plain text"))
            elif once and styles[style_of(region)] == 1 and _is_heading(region, page, blocks):
                regions.append(as_kind(region, "title"))
            else:
                regions.append(region)
        kept_pages.append(page.model_copy(update={"regions": tuple(regions)}))
    return kept_pages


def _ends(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """How a text begins and how it ends: notes at the foot of each page may name its chapter or number in between."""
    words = re.sub(r"\d+", "0", text).split()
    return ("begins", *words[:SAME_WORDS]), ("ends", *words[-SAME_WORDS:])


def _is_sentence(region: Region, body: float) -> bool:
    """Whether a text ends as a sentence does, and is long enough for one, in the type of the text."""
    text = region.text.strip()
    if region.text_source == "ocr" or region.origin == TAGGED:
        return False
    is_long = len(text.split()) >= MIN_SENTENCE and text.endswith((".", "?", "!"))
    size = median(span.font_size or 0.8 * span.box.height for span in region.spans) if region.spans else 0.0
    return is_long and abs(round(size, 1) - body) <= SAME_TYPE * body


def _is_heading(region: Region, page: Page, document: DocumentType) -> bool:
    text, style = region.text.strip(), style_of(region)
    if region.text_source == "ocr" or region.origin == TAGGED or region.angle or not any(map(str.isalpha, text)):
        return False
    if region.box.y1 > TOP * page.size[1] or len(text.split()) > MAX_WORDS:
        return False
    return _is_style_of_titles(style, document)


def _is_style_of_titles(style: Style, document: DocumentType) -> bool:
    share = document.title_share(style)
    return share >= TITLE_SHARE and share * document.num_blocks(style) >= MIN_TITLES
