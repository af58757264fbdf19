"""Regions that OCR read have roles and an order by what the network reads of their lines."""

from __future__ import annotations

import pytest
from page_making import box, detection_of, drafts_after_reading, inspection

from documents.page.build_page import compose_page, draft_regions
from documents.segments.blocks import SegmentBlock
from documents.values import Reading, ReadLine

SIZE = (400, 40)  # pixels of a crop


def scan(*kinds):
    """A page of a region per kind, one below the other, and its drafts."""
    places = [detection_of(kind, 60, 100 * k, 260, 100 * k + 20) for k, kind in enumerate(kinds, 1)]
    page_inspection = inspection(ink=[place.box for place in places], images=[box(0, 0, 612, 792)])
    return page_inspection, draft_regions(page_inspection, places, text_source="ocr")


def reading(*texts):
    lines = (
        ReadLine(text=text, box=box(8, 2 + 18 * k, 300, 18 + 18 * k), confidence=0.9) for k, text in enumerate(texts)
    )
    return Reading(text="\n".join(texts), lines=tuple(lines), confidence=0.9)


def block(role, *segments, cell=0.0):
    return SegmentBlock(segments=segments, role=role, score=0.9, cell=cell)


def read(kinds, readings, blocks):
    page_inspection, drafts = scan(*kinds)
    return drafts_after_reading(page_inspection, drafts, readings, dict.fromkeys(readings, SIZE), blocks)


def test_a_region_has_the_role_of_most_of_its_letters():
    """Guards against a heading for the sake of two short lines, where one long line of text stands below."""
    texts = reading("A", "B", "A long line of the text that is no heading.")
    (draft,) = read(["title"], {0: texts}, [block("heading", 0), block("heading", 1), block("text", 2)])
    assert (draft.kind, draft.role, draft.order) == ("plain text", "text", 0)
    (draft,) = read(["plain text"], {0: texts}, [block("text", 0), block("text", 1), block("heading", 2)])
    assert (draft.kind, draft.role) == ("title", "heading")


@pytest.mark.parametrize(
    ("text", "kind"),
    [("Table 1. Boats that left", "table_caption"), ("Figure 1. Boats", "figure_caption"), ("Boats", "figure_caption")],
)
def test_a_caption_is_known_by_its_words_once_they_are_read(text, kind):
    """Guards against a table's caption that is dropped as furniture because its picture looked like it."""
    (draft,) = read(["abandon"], {0: reading(text)}, [block("caption", 0)])
    assert draft.kind == kind


@pytest.mark.parametrize("kind", ["table", "isolate_formula"])
def test_what_is_seen_to_be_no_text_keeps_its_kind(kind):
    """Guards against cells and formulas that are text, because their lines look like it."""
    (draft,) = read([kind], {0: reading("Boat Left Alma")}, [block("heading", 0, cell=0.4)])
    assert (draft.kind, draft.role, draft.order) == (kind, None, 0)


def test_regions_are_read_in_the_order_of_their_first_blocks():
    page_inspection, drafts = scan("plain text", "plain text", "plain text")
    readings = {k: reading(text) for k, text in enumerate(("one", "two", "three"))}
    blocks = [block("text", 2), block("text", 0), block("text", 1)]
    page = compose_page(page_inspection, drafts, readings, dict.fromkeys(readings, SIZE), blocks=blocks)
    assert [region.text for region in page.regions] == ["three", "one", "two"]


def test_a_region_that_ocr_did_not_read_keeps_its_kind_and_has_a_place():
    (first, second) = read(["title", "plain text"], {1: reading("two")}, [block("footnote", 0)])
    assert (first.kind, first.order) == ("title", None)
    assert (second.role, second.order) == ("footnote", 0)


def test_without_blocks_all_is_as_it_was():
    page_inspection, drafts = scan("title")
    (draft,) = drafts_after_reading(page_inspection, drafts, {0: reading("one")}, {0: SIZE})
    assert (draft.kind, draft.role, draft.order) == ("title", None, None)
