"""Joins pages to one document: headings and levels, running heads and feet, text and tables that go on over a page."""

from __future__ import annotations

from collections.abc import Sequence

from documents.document.continued_text import with_joins
from documents.document.document_rule import DocumentRule
from documents.document.document_warnings import no_text_warnings
from documents.document.furniture import FURNITURE
from documents.document.headings import with_document_headings
from documents.document.nesting import with_levels
from documents.region_values import as_kind
from documents.text.languages import PAGE_NUMBER
from documents.values import Document, Opened, Page


def assemble(
    document_id: str,
    revision: int,
    opened: Opened,
    pages: Sequence[Page],
    furniture: DocumentRule | None = FURNITURE,
) -> Document:
    """The document of all its pages, in the order of their numbers; without `furniture`, each page's own is it."""
    ordered = sorted(pages, key=lambda page: page.number)
    printed = [page for page in ordered if page.form == "print"]
    if printed:  # their rules tell from where lines stand; what authors wrote says itself what it is
        ruled = {page.number: page for page in _ruled(printed, opened, furniture)}
        ordered = [ruled.get(page.number, page) for page in ordered]
    return Document(
        id=document_id,
        revision=revision,
        pages=tuple(ordered),
        outline=opened.outline,
        metadata=opened.metadata,
        warnings=(*opened.warnings, *no_text_warnings(ordered)),
        attachments=opened.attachments,
        invoice=opened.invoice,
    )


def _ruled(pages: Sequence[Page], opened: Opened, furniture: DocumentRule | None) -> list[Page]:
    """Printed pages with what only all of them together tell."""
    return with_levels(with_joins(with_document_headings(before_headings(pages, furniture), opened)))


def before_headings(pages: Sequence[Page], furniture: DocumentRule | None = FURNITURE) -> list[Page]:
    """Printed pages in their order, furniture marked: what the judge of headings sees."""
    return _with_a_body(furniture.apply(pages) if furniture is not None else pages)


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
