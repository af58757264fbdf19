"""Warns about a whole document: that there is no text in it."""

from __future__ import annotations

from collections.abc import Iterable

from documents.region_values import Region, TitleRegion
from documents.values import Page, PageWarning


def no_text_warnings(pages: Iterable[Page]) -> list[PageWarning]:
    """A `no_text` of pages none of which has a word, so that nobody takes an empty result for a read one."""
    num_pages = 0
    for page in pages:
        if any(region.text.strip() for region in page.regions if not _is_sheet_name(page, region)):
            return []
        num_pages += 1
    return [PageWarning(code="no_text", message="no text was found on any page")] if num_pages else []


def _is_sheet_name(page: Page, region: Region) -> bool:
    """Whether a heading stands for the tab of a sheet, which an empty one has, too."""
    return page.form == "sheet" and isinstance(region, TitleRegion)
