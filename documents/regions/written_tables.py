"""Tables that a model wrote as markup have the cells that it wrote, wherever they stand on the page."""

from __future__ import annotations

from dataclasses import replace

from documents.draft.page_draft import PageDraft
from documents.draft.rule import NoThresholds
from documents.regions.region_text import with_table
from documents.tables.written.tables_from_ocr import is_written, written_table


def set_written_tables(page: PageDraft, _: NoThresholds) -> PageDraft:
    """What does not parse stays text."""
    regions = dict(page.regions)
    for index, reading in page.readings.items():
        region = regions.get(index)
        if region is not None and is_written(reading.text):
            table = written_table(reading.text, region.box)
            if table is not None:
                regions[index] = with_table(region, table, region.spans)
    return replace(page, regions=regions)
