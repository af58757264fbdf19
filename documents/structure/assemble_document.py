"""Joins pages to one document: heading levels, running heads and feet, sentences and tables that go on over a page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from documents.structure.continued_text import with_joins
from documents.structure.document_warnings import no_text_warnings
from documents.structure.furniture import with_furniture
from documents.structure.nesting import with_levels
from documents.structure.text_styles import bare, type_size
from documents.text.languages import PAGE_NUMBER
from documents.values import Document, Opened, OutlineItem, Page, Region, TitleRegion, as_kind

MAX_LEVEL = 6
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
    ordered = _with_a_body(with_furniture(pages))
    return with_levels(with_joins(_with_heading_levels(ordered, opened)))


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


def _with_heading_levels(pages: Sequence[Page], opened: Opened) -> list[Page]:
    """Titles get levels: the outline's where it names them, else by type size, larger ones being higher.

    The first one is no deeper than any that follows, unless the outline or its author says so.
    """
    outline: dict[str, list[OutlineItem]] = {}
    for item in opened.outline:
        outline.setdefault(bare(item.title), []).append(item)
    titles = [(page.number, region) for page in pages for region in page.regions if isinstance(region, TitleRegion)]
    clusters: list[float] = []
    for size in sorted({type_size(region) for _, region in titles}, reverse=True):
        if not clusters or size < 0.93 * clusters[-1]:
            clusters.append(size)
    named = [region.level or _outline_level(region.text, number, outline) for number, region in titles]
    levels = [level or _level(region, clusters) for level, (_, region) in zip(named, titles, strict=True)]
    ordered = iter(levels if not levels or named[0] else [min(levels), *levels[1:]])
    levelled: list[Page] = []
    for page in pages:
        regions = tuple(
            region.model_copy(update={"level": next(ordered)}) if isinstance(region, TitleRegion) else region
            for region in page.regions
        )
        levelled.append(page.model_copy(update={"regions": regions}))
    return levelled


def _outline_level(text: str, page: int, outline: Mapping[str, Sequence[OutlineItem]]) -> int | None:
    """The level of the entry with the same words and number, or without a number on one side; of several, the nearest.

    "Step 1" is not "Step 9", and the last chapter's "Exercises" are not the first one's.
    """
    name, number = bare(text), _number(text)
    if not name:
        return None
    entries = [(item, _number(item.title)) for item in outline.get(name, ())]
    named = [(own != number, abs((item.page or page) - page), item.level) for item, own in entries]
    alike = [entry for entry, (_, own) in zip(named, entries, strict=True) if own == number or not (own and number)]
    return min(MAX_LEVEL, min(alike)[2]) if alike else None


def _number(text: str) -> str:
    return ".".join(re.findall(r"\d+", text))


def _level(region: Region, clusters: Sequence[float]) -> int:
    size = type_size(region)
    rank = next((k for k, top in enumerate(clusters, 1) if size >= 0.93 * top), len(clusters))
    numbered = NUMBERED.match(region.text)
    return min(MAX_LEVEL, max(rank, numbered[1].count(".") + 1) if numbered else rank)
