"""Regions of a page are read in their order, captions and notes where they belong."""

from __future__ import annotations

import pytest
from page_making import detection_of, inspection, line, printed

from documents.structure.build_page import compose_page, draft_regions

PROSE = "The harbour master signs the ledger every morning before the fog lifts and the ferry leaves."


def composed(lines, detections):
    page_inspection = inspection(*lines)
    return compose_page(page_inspection, draft_regions(page_inspection, detections), {}, {}).regions


def paragraph(y, x=60.0, width=330.0):
    return [line(PROSE, x=x, y=y + 12 * k, width=width) for k in range(4)]


def test_a_caption_is_read_with_its_figure_and_names_it():
    """Guards against the caption of a wide figure that is read after the column below it."""
    lines = [
        *paragraph(60, width=230),
        *paragraph(60, x=320, width=230),
        line("Figure 1: The harbour at dawn.", x=60, y=300, width=150),
        *paragraph(340, width=230),
        *paragraph(340, x=320, width=230),
    ]
    regions = composed(
        lines, [detection_of("figure", 60, 140, 550, 290), detection_of("figure_caption", 58, 298, 212, 312)]
    )
    assert [region.kind for region in regions] == [
        "plain text", "plain text", "figure", "figure_caption", "plain text", "plain text",
    ]  # fmt: skip
    assert [getattr(region, "describes", None) for region in regions] == [None, None, None, 2, None, None]


def test_labels_are_a_part_of_their_figure_and_no_line_is_lost():
    """Guards against labels of a figure that stand in the text, and words that stand nowhere."""
    lines = [
        *paragraph(60),
        line("Keyway", x=100, y=280, size=8.0),
        line("Figure 1: The harbour at dawn.", x=60, y=300, width=150),
        *paragraph(340),
    ]
    detections = [detection_of("figure", 60, 140, 380, 276), detection_of("plain text", 98, 278, 140, 290)]
    regions = composed(lines, [*detections, detection_of("figure_caption", 58, 298, 212, 312)])
    assert [region.kind for region in regions] == ["plain text", "figure", "figure_caption", "plain text"]
    assert regions[1].text == "Keyway"
    assert [region.order for region in regions] == [0, 1, 2, 3]
    assert sum(len(region.spans) for region in regions) == len(lines)


def test_a_note_in_the_margin_is_read_after_its_paragraph_and_is_no_part_of_the_text():
    """Guards against marginalia read as a column of their own, and told as text."""
    lines = [*paragraph(60), *paragraph(140), *paragraph(220), line("So the almanac.", x=410, y=146, size=8.0)]
    regions = composed(lines, [detection_of("plain text", 60, y, 390, y + 46) for y in (60, 140, 220)])
    assert [region.note for region in regions] == [None, None, "side", None]
    assert [region.box.y0 for region in regions] == [60, 140, 146, 220]


def test_items_of_a_region_have_the_places_of_their_marks():
    """Guards against levels that follow the text instead of the marks."""
    (region,) = composed(
        [printed("• one boat", 60, 100), printed("• two boats", 80, 112), printed("and a raft", 80, 124)],
        [detection_of("plain text", 58, 98, 200, 136)],
    )
    assert region.text == "• one boat\n• two boats and a raft"
    assert [(item.line, item.marker, item.box.x0) for item in region.items] == [(0, "•", 60), (1, "•", 80)]


@pytest.mark.parametrize(("size", "notes"), [(9.2, 0), (7.5, 1)])
def test_a_sidebar_of_a_scan_is_no_note_for_type_that_was_measured_a_little_small(size, notes):
    """Guards against a scan's first column told as notes: heights of lines on a picture are rough."""
    lines = [*paragraph(60), *paragraph(140), *paragraph(220), line("So the almanac.", x=410, y=146, size=size)]
    page_inspection = inspection(*lines)
    drafts = draft_regions(page_inspection, [detection_of("plain text", 60, y, 390, y + 46) for y in (60, 140, 220)])
    scanned = [draft.model_copy(update={"text_source": "ocr"}) for draft in drafts]
    assert sum(region.note == "side" for region in compose_page(page_inspection, scanned, {}, {}).regions) == notes
    assert sum(region.note == "side" for region in compose_page(page_inspection, drafts, {}, {}).regions) == 1
