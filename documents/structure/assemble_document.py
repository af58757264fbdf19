"""Joins pages to one document: headings and levels, running heads and feet, text and tables that go on over a page."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from documents.rotated_boxes import unrotate
from documents.structure.continued_text import with_joins
from documents.structure.document_warnings import no_text_warnings
from documents.structure.headings import with_document_headings
from documents.structure.nesting import with_levels
from documents.structure.text_at_edges import with_text_at_edges
from documents.structure.text_styles import body_type_size, type_size
from documents.text.languages import PAGE_NUMBER
from documents.values import BoundingBox, Document, Opened, Page, Region, as_kind

LASTING = ("title", "figure", "table", "figure_caption", "table_caption", "table_footnote")  # may come back once
LARGER = 1.25  # times the body's type: "Part 1", "Part 2" in it are headings, wherever they stand
PAGES_AROUND = 6  # pages before and behind one, among which the running head of a chapter comes back


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
    return with_levels(with_joins(with_document_headings(before_headings(pages), opened)))


def before_headings(pages: Sequence[Page]) -> list[Page]:
    """Printed pages in their order, furniture marked: what the judge of headings sees."""
    return _with_a_body(with_text_at_edges(_without_running_heads(pages)))


def _without_running_heads(pages: Sequence[Page]) -> list[Page]:
    """Lines that stand at the same place on several pages become furniture; larger type never does.

    The same words, or words with a number that counts the pages, are a running head on two pages already. With other
    numbers they are one on three; and so is what looks like a title, a table or a caption, if not a digit differs.
    Beside a number, as the page's stands there, it is one on two.
    """
    largest = LARGER * body_type_size(pages)
    at_edges = [{k for k, r in enumerate(p.regions) if _at_edge(r, p) and type_size(r) <= largest} for p in pages]
    places = _Places(len(pages))
    for number, (page, edge) in enumerate(zip(pages, at_edges, strict=True)):
        places.add(number, {place for k in edge for place in _places(page.regions[k], page)})
    kept_pages: list[Page] = []
    for number, (page, edge) in enumerate(zip(pages, at_edges, strict=True)):
        regions = tuple(
            as_kind(region, "abandon") if k in edge and _comes_back(region, page, number, places) else region
            for k, region in enumerate(page.regions)
        )
        kept_pages.append(page.model_copy(update={"regions": regions}))
    return kept_pages


class _Places:
    """On which pages a text stands at its place: ascending numbers."""

    def __init__(self, num_pages: int) -> None:
        self._num_pages = num_pages
        self._pages: dict[tuple[str, int], list[int]] = {}

    def add(self, number: int, places: Iterable[tuple[str, int]]) -> None:
        for place in places:
            self._pages.setdefault(place, []).append(number)

    def comes_back(self, place: tuple[str, int], number: int, least: int) -> bool:
        """Whether a text stands on `least` pages, and on a third of all pages or of those around one."""
        pages = self._pages[place]
        around = bisect_right(pages, number + PAGES_AROUND) - bisect_left(pages, number - PAGES_AROUND)
        return len(pages) >= max(least, self._num_pages // 3) or around >= max(least, 2 * PAGES_AROUND // 3)


def _comes_back(region: Region, page: Page, number: int, places: _Places) -> bool:
    """Whether a region stands at its place on enough pages."""
    same, masked, *counting = _places(region, page)
    if region.kind in LASTING and not _is_beside_number(region, page):
        return places.comes_back(same, number, 3)
    return any(places.comes_back(p, number, 2) for p in (same, *counting)) or places.comes_back(masked, number, 3)


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
