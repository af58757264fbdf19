"""Tells text at the top and foot of a page from the furniture that it was taken for, in documents of any length."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Iterable, Sequence

from documents.rotated_boxes import unrotate
from documents.structure.page_draft import TAGGED
from documents.structure.text_styles import bare, body_type_size, type_size
from documents.text.languages import PAGE_NUMBER, SENTENCE_ENDS
from documents.text.list_markers import Lead, list_items
from documents.text.word_count import num_words
from documents.values import ListItem, Page, Region, Span, as_kind
from documents.vertical_index import VerticalIndex

MIN_SENTENCE = 8  # words
SAME_WORDS = 4  # with which furniture of two pages begins or ends: it comes back, whatever else it says
SAME_TYPE = 0.06  # of the text's size, by which another may differ
SAME_EDGE = 0.5  # of the text's size, by which left edges of furniture and text may differ
MAX_GAP = 2.0  # of the text's size: furniture stands further from the text
MAX_OPEN_GAP = 5.0  # of the text's size, below a greeting: a letter leaves room to sign
MAX_COMPARED = 64  # regions near one
SECTION = re.compile(r"\d{1,2}(?:\.\d{1,2}){1,4}\.?\s+[^\W\d_]")  # a number of two parts or more, and a word
STEP = 20.0  # points of height, in which regions are listed
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
        texts = _Texts(region for region in regions if region.kind != "abandon")
        for k, region in enumerate(regions):
            if region.kind != "abandon" or any(times[end] > 1 for end in _ends(region.text)):
                continue
            if _is_text(region, texts, body, len(pages)):
                regions[k] = as_kind(region, "plain text", items=items_of(region))
                texts.add(regions[k])
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


def _is_text(region: Region, texts: _Texts, body: float, num_pages: int) -> bool:
    """Whether furniture is set as the text is, and says a sentence or, in a short document, stands with other text.

    On a single page nothing can come back: then a sentence must begin at the edge of something else, too.
    """
    text = region.text.strip()
    if region.text_source == "ocr" or region.origin == TAGGED or abs(type_size(region) - body) > SAME_TYPE * body:
        return False
    if num_words(text) >= MIN_SENTENCE and text.endswith(SENTENCE_ENDS):
        return num_pages > 1 or texts.are_aligned(region, body)
    return num_pages <= FEW_PAGES and not PAGE_NUMBER.fullmatch(text) and texts.are_near(region, body)


class _Texts:
    """What is no furniture of a page, upright."""

    def __init__(self, regions: Iterable[Region]) -> None:
        self._regions: list[Region] = []
        self._edges: list[float] = []  # ascending
        self._index = VerticalIndex(step=STEP)
        for region in regions:
            self.add(region)

    def add(self, region: Region) -> None:
        box = unrotate(region.box, region.angle)
        self._regions.append(region)
        self._index.add(box)
        insort(self._edges, box.x0)

    def are_aligned(self, region: Region, body: float) -> bool:
        """Whether something begins at a region's left edge."""
        x0, slack = unrotate(region.box, region.angle).x0, SAME_EDGE * body
        return bisect_left(self._edges, x0 - slack) < bisect_right(self._edges, x0 + slack)

    def are_near(self, region: Region, body: float) -> bool:
        """Whether a text at a region's left edge is as near as paragraphs are, or a few words above as in a letter."""
        box, reach = unrotate(region.box, region.angle), MAX_OPEN_GAP * body
        for k in self._index.crossing(box.y0 - reach, box.y1 + reach, MAX_COMPARED):
            text = self._regions[k]
            place = unrotate(text.box, text.angle)
            if text.kind != "plain text" or abs(place.x0 - box.x0) > SAME_EDGE * body:
                continue
            is_short = num_words(text.text) < MIN_SENTENCE and not text.text.rstrip().endswith(SENTENCE_ENDS)
            max_gap = MAX_OPEN_GAP if is_short and place.y0 < box.y0 else MAX_GAP
            if max(box.y0 - place.y1, place.y0 - box.y1) <= max_gap * body:
                return True
        return False


def items_of(region: Region) -> tuple[ListItem, ...]:
    """The items of a text that was taken for a title before; a mark stands where a printed line begins."""
    numbers = {span.text_start: k for k, span in enumerate(region.spans)}
    lines: list[tuple[str, Lead | None]] = []
    start = 0
    for line in region.text.split("\n"):
        number = numbers.get(start)
        lines.append((line, None if number is None else _lead(line, region.spans[number : number + 2])))
        start += len(line) + 1
    return tuple(list_items(lines, region.box))


def _lead(line: str, spans: Sequence[Span]) -> Lead:
    """The first word of a line, which begins with a printed line or is one, and the room after it."""
    word, first = line.split(" ", 1)[0], spans[0]
    if word == first.text.strip() and len(spans) > 1:
        return Lead(first.box, spans[1].box.x0 - first.box.x1)
    end = first.box.x0 + first.box.width * min(1.0, len(word) / max(1, len(first.text)))
    return Lead(first.box.model_copy(update={"x1": end}), 0.0)
