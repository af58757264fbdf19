"""Tells text at the top and foot of a page from the furniture that it was taken for, in documents of any length."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from documents.rotated_boxes import unrotate
from documents.structure.headings import SECTION, items_of
from documents.structure.page_draft import TAGGED
from documents.structure.text_styles import bare, body_type_size, type_size
from documents.text.languages import PAGE_NUMBER, SENTENCE_ENDS
from documents.text.word_count import num_words
from documents.values import BoundingBox, Page, Region, as_kind

MIN_SENTENCE = 8  # words
SAME_WORDS = 4  # with which furniture of two pages begins or ends: it comes back, whatever else it says
SAME_TYPE = 0.06  # of the text's size, by which another may differ
SAME_EDGE = 0.5  # of the text's size, by which left edges of furniture and text may differ
MAX_GAP = 2.0  # of the text's size: furniture stands further from the text
MAX_OPEN_GAP = 5.0  # of the text's size, below a greeting: a letter leaves room to sign
FEW_PAGES = 2  # of a document: too few to tell what comes back


def with_text_at_edges(pages: Sequence[Page]) -> list[Page]:
    """Sentences in the type of the text, and titles of sections, are no furniture if no other page has them.

    In a document of few pages other lines right above or below text, and at its edge, are none either: a letter's last
    ones.
    """
    body = body_type_size(pages)
    others = {bare(region.text) for page in pages for region in page.regions if region.kind != "abandon"}
    furniture = [region for page in pages for region in page.regions if region.kind == "abandon"]
    times = Counter(end for region in furniture for end in _ends(region.text))
    kept_pages: list[Page] = []
    for page in pages:
        regions = list(page.regions)
        for k, region in enumerate(regions):
            if region.kind != "abandon" or any(times[end] > 1 for end in _ends(region.text)):
                continue
            if _is_text(region, regions, body, len(pages)):
                regions[k] = as_kind(region, "plain text", items=items_of(region))
            elif _is_section(region, body) and bare(region.text) not in others:
                regions[k] = as_kind(region, "title")
        kept_pages.append(page.model_copy(update={"regions": tuple(regions)}))
    return kept_pages


def _ends(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """How a text begins and how it ends: notes at the foot of each page may name its chapter or number in between."""
    words = re.sub(r"\d+", "0", text).split()
    return ("begins", *words[:SAME_WORDS]), ("ends", *words[-SAME_WORDS:])


def _is_section(region: Region, body: float) -> bool:
    """Whether a text is numbered as a section is, in two parts or more, and set larger than the text."""
    if region.text_source == "ocr" or region.origin == TAGGED:
        return False
    return SECTION.match(region.text.strip()) is not None and type_size(region) > (1 + SAME_TYPE) * body


def _is_text(region: Region, others: Sequence[Region], body: float, num_pages: int) -> bool:
    """Whether furniture is set as the text is, and says a sentence or, in a short document, stands with other text.

    On a single page nothing can come back: then a sentence must begin at the edge of something else, too.
    """
    text = region.text.strip()
    if region.text_source == "ocr" or region.origin == TAGGED or abs(type_size(region) - body) > SAME_TYPE * body:
        return False
    is_sentence = num_words(text) >= MIN_SENTENCE and text.endswith(SENTENCE_ENDS)
    if num_pages > 1 and is_sentence:
        return True
    if num_pages > FEW_PAGES or PAGE_NUMBER.fullmatch(text):
        return False
    box = unrotate(region.box, region.angle)
    aligned = [
        (other, place)
        for other in others
        if other.kind != "abandon" and other.angle == region.angle
        for place in [unrotate(other.box, region.angle)]
        if abs(place.x0 - box.x0) <= SAME_EDGE * body
    ]
    return bool(aligned) if is_sentence else any(_is_near(box, place, other, body) for other, place in aligned)


def _is_near(box: BoundingBox, place: BoundingBox, text: Region, body: float) -> bool:
    """Whether a box stands no further from a text than paragraphs do, or below a few words that are no sentence."""
    if text.kind != "plain text":
        return False
    is_short = num_words(text.text) < MIN_SENTENCE and not text.text.rstrip().endswith(SENTENCE_ENDS)
    is_open = is_short and place.y0 < box.y0
    return max(box.y0 - place.y1, place.y0 - box.y1) <= (MAX_OPEN_GAP if is_open else MAX_GAP) * body
