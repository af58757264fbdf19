"""Joins pages to one document: heading levels, running heads and feet, sentences and tables that go on over a page."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from statistics import median

from documents.rotated_boxes import unrotate
from documents.structure.document_warnings import no_text_warnings
from documents.structure.heading_trees import heading_trees
from documents.structure.headings import SECTION, with_headings
from documents.structure.nesting import with_levels
from documents.structure.page_draft import TAGGED
from documents.tables.tables_over_pages import table_continued
from documents.text.languages import PAGE_NUMBER
from documents.text.word_count import num_words
from documents.values import BoundingBox, Document, Opened, Page, Region, TableRegion, TextRegion, TitleRegion, as_kind

MAX_LEVEL = 6
LASTING = ("title", "figure", "table", "figure_caption", "table_caption", "table_footnote")  # may come back once
LARGER = 1.25  # times the body's type: "Part 1", "Part 2" in it are headings, wherever they stand
MIN_SENTENCE = 8  # words
SAME_WORDS = 4  # with which furniture of two pages begins or ends: it comes back, whatever else it says
SAME_TYPE = 0.06  # of the text's size, by which another may differ
HANGING = 3.0  # of a mark's height: the most between it and the words of its item
CLOSE = 2.0  # points, by which lines of one edge may differ
TIGHT = 0.45  # of the type's size, between the lines of a paragraph
NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+\S")


def assemble(document_id: str, revision: int, opened: Opened, pages: Sequence[Page]) -> Document:
    """The document of all its pages, in the order of their numbers."""
    ordered = sorted(pages, key=lambda page: page.number)
    printed = [page for page in ordered if page.form == "print"]
    if printed:  # their rules tell from where lines stand; what authors wrote says itself what it is
        ruled = {page.number: page for page in _ruled(printed, opened)}
        ordered = [ruled.get(page.number, page) for page in ordered]
    return Document(
        id=document_id,
        revision=revision,
        pages=tuple(ordered),
        outline=opened.outline,
        metadata=opened.metadata,
        warnings=(*opened.warnings, *no_text_warnings(ordered)),
        attachments=opened.attachments,
    )


def _ruled(pages: Sequence[Page], opened: Opened) -> list[Page]:
    """Printed pages with what only all of them together tell."""
    ordered = with_headings(before_headings(pages), opened.outline, heading_trees())
    return with_levels(_with_joins(_with_heading_levels(ordered, opened)))


def before_headings(pages: Sequence[Page]) -> list[Page]:
    """The pages in the order of their numbers, running heads marked; headings are classified one by one."""
    return _with_a_body(_with_unrepeated_text(_without_running_heads(sorted(pages, key=lambda page: page.number))))


def _with_unrepeated_text(pages: Sequence[Page]) -> list[Page]:
    """Sentences in the type of the text, and titles of sections, are no furniture if no other page has them."""
    if len(pages) < 2:
        return list(pages)
    body = _body_size(pages)
    others = {_bare(region.text) for page in pages for region in page.regions if region.kind != "abandon"}
    furniture = [region for page in pages for region in page.regions if region.kind == "abandon"]
    times = Counter(end for region in furniture for end in _ends(region.text))
    kept_pages: list[Page] = []
    for page in pages:
        regions = tuple(
            as_kind(region, "plain text" if _is_sentence(region, body) else "title")
            if region.kind == "abandon"
            and (_is_sentence(region, body) or (_is_section(region, body) and _bare(region.text) not in others))
            and all(times[end] == 1 for end in _ends(region.text))
            else region
            for region in page.regions
        )
        kept_pages.append(page.model_copy(update={"regions": regions}))
    return kept_pages


def _ends(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """How a text begins and how it ends: notes at the foot of each page may name its chapter or number in between."""
    words = re.sub(r"\d+", "0", text).split()
    return ("begins", *words[:SAME_WORDS]), ("ends", *words[-SAME_WORDS:])


def _is_section(region: Region, body: float) -> bool:
    """Whether a text is numbered as a section is, in two parts or more, and set larger than the text."""
    if region.text_source == "ocr" or region.origin == TAGGED:
        return False
    return SECTION.match(region.text.strip()) is not None and _size(region) > (1 + SAME_TYPE) * body


def _is_sentence(region: Region, body: float) -> bool:
    """Whether a text ends as a sentence does, and is long enough for one, in the type of the text."""
    text = region.text.strip()
    if region.text_source == "ocr" or region.origin == TAGGED:
        return False
    is_long = num_words(text) >= MIN_SENTENCE and text.endswith((".", "?", "!"))
    return is_long and abs(_size(region) - body) <= SAME_TYPE * body


def _without_running_heads(pages: Sequence[Page]) -> list[Page]:
    """Lines that stand at the same place on several pages become furniture; larger type never does.

    The same words, or words with a number that counts the pages, are a running head on two pages already. With other
    numbers they are one on three; and so is what looks like a title, a table or a caption, if not a digit differs.
    Beside a number, as the page's stands there, it is one on two.
    """
    largest = LARGER * _body_size(pages)
    places: Counter[tuple[str, int]] = Counter()
    for page in pages:
        regions = [region for region in page.regions if _at_edge(region, page) and _size(region) <= largest]
        places.update({place for region in regions for place in _places(region, page)})
    share = len(pages) // 3
    kept_pages: list[Page] = []
    for page in pages:
        regions = tuple(
            as_kind(region, "abandon")
            if _at_edge(region, page) and _size(region) <= largest and _comes_back(region, page, places, share)
            else region
            for region in page.regions
        )
        kept_pages.append(page.model_copy(update={"regions": regions}))
    return kept_pages


def _comes_back(region: Region, page: Page, places: Counter[tuple[str, int]], share: int) -> bool:
    """Whether a region stands at its place on enough pages, `share` being the least of many."""
    same, masked, *counting = (places[place] for place in _places(region, page))
    if region.kind in LASTING and not _is_beside_number(region, page):
        return same >= max(3, share)
    return max([same, *counting]) >= max(2, share) or masked >= max(3, share)


def _with_a_body(pages: Sequence[Page]) -> list[Page]:
    """Pages on which nothing but furniture stands, in a document that has nothing else, hold its text."""
    if any(region.text and region.kind != "abandon" for page in pages for region in page.regions):
        return list(pages)
    kept_pages: list[Page] = []
    for page in pages:
        regions = tuple(
            as_kind(region, "plain text") if region.text and not PAGE_NUMBER.fullmatch(region.text.strip()) else region
            for region in page.regions
        )
        kept_pages.append(page.model_copy(update={"regions": regions}))
    return kept_pages


def _body_size(pages: Sequence[Page]) -> float:
    """The type size that half of all letters have at most."""
    regions = [region for page in pages for region in page.regions if region.text and region.kind == "plain text"]
    sizes = sorted((_size(region), len(region.text)) for region in regions)
    half, running_length = sum(length for _, length in sizes) / 2, 0
    for size, length in sizes:
        running_length += length
        if running_length >= half:
            return size
    return math.inf


def _at_edge(region: Region, page: Page) -> bool:
    short = len(region.spans) <= 3 and len(region.text) <= 200 and bool(region.text)
    top, bottom = _depths(region, page)
    return short and (bottom <= 0.12 or top >= 0.88)


def _is_beside_number(region: Region, page: Page) -> bool:
    """Whether a number stands level with it, as the page's does beside a running head."""
    head = unrotate(region.box, region.angle)
    others = (unrotate(other.box, region.angle) for other in page.regions if other.text.isdecimal())
    return any(min(head.y1, box.y1) - max(head.y0, box.y0) > 0.5 * min(head.height, box.height) for box in others)


def _places(region: Region, page: Page) -> tuple[tuple[str, int], ...]:
    """How deep a region stands, with its words as they are; with digits masked; with a number as seen from the page's.

    The number is the first, and then the last.
    """
    numbers = list(re.finditer(r"\d{1,9}", region.text))
    texts = [region.text, re.sub(r"\d+", "0", region.text)]
    for number in (*numbers[:1], *numbers[-1:]):
        ahead = int(number[0]) - page.number
        texts.append(f"{region.text[: number.start()]}<{ahead}>{region.text[number.end() :]}")
    depth = round(100 * _depths(region, page)[0])
    return tuple((text, depth) for text in texts)


def _depths(region: Region, page: Page) -> tuple[float, float]:
    """Where a region begins and ends, as shares of the page's height, both seen with the region's text upright."""
    sheet = unrotate(BoundingBox(x0=0, y0=0, x1=page.size[0], y1=page.size[1]), region.angle)
    box = unrotate(region.box, region.angle)
    return (box.y0 - sheet.y0) / sheet.height, (box.y1 - sheet.y0) / sheet.height


def _with_heading_levels(pages: Sequence[Page], opened: Opened) -> list[Page]:
    """Titles get levels: the outline's where it names them, else by type size, larger ones being higher."""
    outline = {_bare(item.title): min(MAX_LEVEL, item.level) for item in opened.outline if _bare(item.title)}
    sizes = sorted({_size(region) for page in pages for region in page.regions if region.kind == "title"}, reverse=True)
    clusters: list[float] = []
    for size in sizes:
        if not clusters or size < 0.93 * clusters[-1]:
            clusters.append(size)
    levelled: list[Page] = []
    for page in pages:
        regions = tuple(
            region.model_copy(update={"level": outline.get(_bare(region.text)) or _level(region, clusters)})
            if isinstance(region, TitleRegion) and region.level is None
            else region
            for region in page.regions
        )
        levelled.append(page.model_copy(update={"regions": regions}))
    return levelled


def _level(region: Region, clusters: Sequence[float]) -> int:
    size = _size(region)
    rank = next((k for k, top in enumerate(clusters, 1) if size >= 0.93 * top), len(clusters))
    numbered = NUMBERED.match(region.text)
    return min(MAX_LEVEL, max(rank, numbered[1].count(".") + 1) if numbered else rank)


def _size(region: Region) -> float:
    """The type size of a region in points: what the text layer says, else the height of its lines."""
    sizes = [span.font_size or 0.8 * span.box.height for span in region.spans]
    return round(median(sizes), 1) if sizes else 0.0


def _bare(text: str) -> str:
    return re.sub(r"[\W\d_]+", "", text).lower()


def _with_joins(pages: Sequence[Page]) -> list[Page]:
    """Text regions that go on in the middle of a sentence say so, also over columns and pages."""
    before: TextRegion | None = None
    joined_pages: list[Page] = []
    for page in pages:
        regions: list[Region] = []
        for region in page.regions:
            if isinstance(region, TextRegion) and region.note is None:
                continues = before is not None and _goes_on(before, region)
                regions.append(region.model_copy(update={"continues": True}) if continues else region)
                before = region if region.text else before
                continue
            rest = (
                table_continued(_last_of(joined_pages[-1]), region)
                if joined_pages and region is _first_of(page)
                else None
            )
            regions.append(rest or region)
            if isinstance(region, TitleRegion | TableRegion):
                before = None
        joined_pages.append(page.model_copy(update={"regions": tuple(regions)}))
    return joined_pages


def _first_of(page: Page) -> Region | None:
    return next((region for region in page.regions if region.kind != "abandon"), None)


def _last_of(page: Page) -> Region | None:
    return next((region for region in reversed(page.regions) if region.kind != "abandon"), None)


def _goes_on(before: TextRegion, region: TextRegion) -> bool:
    """A sentence without an end, followed by a small letter, in type of the same size; or the next line of an item."""
    if not region.text or any(item.line == 0 for item in region.items):
        return False
    sizes = _size(before), _size(region)
    if min(sizes) <= 0.9 * max(sizes):
        return False
    if _is_rest_of_item(before, region):
        return True
    if not region.text[0].islower() or before.text[-1] in '.!?:;"”»)]':
        return False
    return before.text[-1].isalnum() or before.text[-1] in ",-\u2010"


def _is_rest_of_item(before: TextRegion, region: TextRegion) -> bool:
    """Whether a text stands right below the last line of an item, where the words behind its mark begin."""
    if not before.items or before.items[-1].line != before.text.count("\n"):
        return False
    mark, upper, box = (unrotate(one, region.angle) for one in (before.items[-1].box, before.box, region.box))
    rows = [unrotate(span.box, region.angle) for span in before.spans]
    lower = [row.x0 for row in rows if row.y0 > mark.y1]  # the item's own lines but the first
    edge = box.x0 - mark.x1 if not lower else abs(box.x0 - min(lower))
    gap = box.y0 - upper.y1
    return 0 <= edge <= (CLOSE if lower else HANGING * mark.height) and abs(gap) <= TIGHT * _size(region)
