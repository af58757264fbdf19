"""Tables that OCR wrote as markup have its cells; what does not parse stays the text that was read."""

from __future__ import annotations

import pytest
from page_making import detection_of, inspection

from documents.page.build_page import compose_page, draft_regions
from documents.region_values import table_in
from documents.tables.written.table_markup import texts
from documents.values import Reading

LATEX = r"\begin{tabular}{ll} Boat & Left \\ Alma & 04:10 \\ \end{tabular}"
HTML = "<table><tr><th>Boat</th><th>Left</th></tr><tr><td>Alma</td><td>04:10</td></tr></table>"
FRAME = (60, 100, 300, 200)


def region_read_as(kind, text):
    page_inspection = inspection(ink=[detection_of(kind, *FRAME).box])
    drafts = draft_regions(page_inspection, [detection_of(kind, *FRAME)], text_source="ocr")
    readings = {draft.index: Reading(text=text, confidence=0.9, reader="model") for draft in drafts}
    (region,) = compose_page(page_inspection, drafts, readings, {}).regions
    return region


@pytest.mark.parametrize("text", [LATEX, HTML])
@pytest.mark.parametrize("kind", ["table", "plain text"])
def test_markup_makes_cells_whatever_the_region_was_taken_for(kind, text):
    region = region_read_as(kind, text)
    table = table_in(region)
    assert table is not None
    assert texts(table) == [["Boat", "Left"], ["Alma", "04:10"]]
    assert [cell.box for cell in table.cells] == [region.box] * 4
    assert ("written_tables" in region.rules) is (kind != "table")


@pytest.mark.parametrize("text", [LATEX[:-14], HTML[:-8]])
def test_markup_that_does_not_parse_stays_text(text):
    """Guards against half a table, and against cells that are cut out of the words of markup."""
    region = region_read_as("table", text)
    assert table_in(region) is None
    assert region.text == text
