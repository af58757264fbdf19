"""Regions of a page are read in their order, captions and notes where they belong."""

from __future__ import annotations

import pytest
from block_making import blocks_of
from page_making import box, detection_of, inspection, line, printed

from documents.inspection import Ruling
from documents.page.build_page import compose_page, draft_regions

PROSE = "The harbour master signs the ledger every morning before the fog lifts and the ferry leaves."


def composed(lines, detections, roles=None, order=()):
    page_inspection = inspection(*lines)
    drafts = draft_regions(page_inspection, detections, blocks=blocks_of(page_inspection, roles, order=order))
    return compose_page(page_inspection, drafts, {}, {}).regions


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
    roles = {"Figure 1: The harbour at dawn.": "caption"}
    regions = composed(lines, [detection_of("figure", 60, 140, 550, 290)], roles)
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
    roles = {"Figure 1: The harbour at dawn.": "caption", "Keyway": "figure_text"}
    regions = composed(lines, [detection_of("figure", 60, 140, 380, 276)], roles)
    assert [region.kind for region in regions] == ["plain text", "figure", "figure_caption", "plain text"]
    assert regions[1].text == "Keyway"
    assert [region.order for region in regions] == [0, 1, 2, 3]
    assert sum(len(region.spans) for region in regions) == len(lines)


def test_a_note_in_the_margin_is_read_after_its_paragraph_and_is_no_part_of_the_text():
    """Guards against marginalia read as a column of their own, and told as text."""
    note = line("So the almanac.", x=410, y=146, size=8.0)
    lines = [*paragraph(60), *paragraph(140), note, *paragraph(220)]
    regions = composed(lines, [], {"So the almanac.": "side_note"})
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


def test_notes_are_what_the_network_takes_for_such():
    """Guards against a second note in the margin that is none, and against one before all text."""
    first, second = line("So the almanac.", x=410, y=60, size=8.0), line("Or not.", x=410, y=100, size=8.0)
    foot = line("1 By the old clock.", y=700, size=8.0)
    roles = {first.text: "side_note", second.text: "side_note", foot.text: "footnote"}
    regions = composed([first, second, *paragraph(60), foot], [], roles)
    assert [region.note for region in regions] == ["side", "side", None, "foot"]


def test_regions_are_read_in_the_order_of_the_network_with_furniture_at_both_ends():
    """Guards against an order of the file, or of places, where the network has read the page."""
    head, foot, number = line("The Mill", y=30), line("Volume 3", y=740), line("17", x=300, y=760)
    lines = [number, line("second", y=100), line("first", y=300), foot, head, line("third", y=200)]
    roles = {head.text: "page_header", foot.text: "page_footer", number.text: "page_number"}
    regions = composed(lines, [], roles, ["first", "17", "second", "third"])
    assert [region.text for region in regions] == ["The Mill", "first", "second", "third", "Volume 3", "17"]
    assert [region.kind for region in regions] == ["abandon", *["plain text"] * 3, "abandon", "abandon"]


@pytest.mark.parametrize("depth", [None, 30, 105, 690])
def test_notes_of_the_first_column_are_read_when_all_columns_are_unless_a_rule_parts_them(depth):
    """As people read: a sentence that goes on in the next column is not cut by a note."""
    left, right = line("which the", y=100, width=200), line("keeper wrote.", x=320, y=100, width=200)
    notes = [line("1 By the clock.", y=700, size=8, width=150), line("2 Or not.", x=320, y=700, size=8, width=150)]
    rules = tuple(Ruling(box=box(x, depth, x + 90, depth + 0.5)) for x in (60, 320)) if depth else ()
    page = inspection(left, notes[0], right, notes[1]).model_copy(update={"rules": rules})
    blocks = blocks_of(page, {note.text: "footnote" for note in notes}, order=[])
    regions = compose_page(page, draft_regions(page, [], blocks=blocks), {}, {}).regions
    in_columns = [left.text, notes[0].text, right.text, notes[1].text]
    assert [r.text for r in regions] == (in_columns if depth == 690 else [in_columns[k] for k in (0, 2, 1, 3)])


@pytest.mark.parametrize("caption_y", [300, 126])
def test_a_figure_without_words_stands_beside_its_caption(caption_y):
    """Whichever side the caption is on, and wherever the network reads it."""
    lines = [*paragraph(60), line("Figure 1: The harbour at dawn.", y=caption_y), *paragraph(340)]
    figure = detection_of("figure", 60, 140, 380, 290)
    regions = composed(lines, [figure], {"Figure 1: The harbour at dawn.": "caption"}, [PROSE])
    kinds = [region.kind for region in regions if region.kind != "plain text"]
    assert kinds == (["figure", "figure_caption"] if caption_y == 300 else ["figure_caption", "figure"])
    at = [region.kind for region in regions].index("figure")
    assert {regions[at - 1].kind, regions[min(at + 1, len(regions) - 1)].kind} >= {"figure_caption"}


def test_a_figure_without_caption_and_words_stands_behind_what_is_above_it():
    """In its own column, and before what is below it where nothing is above."""
    left, right = [*paragraph(60, width=230)], [*paragraph(60, x=320, width=230)]
    below = paragraph(400, width=230)
    figures = [detection_of("figure", 60, 140, 290, 300), detection_of("figure", 320, 140, 550, 300)]
    regions = composed([*left, *below, *right], figures)
    assert [(region.kind, region.box.x0) for region in regions] == [
        ("plain text", 60), ("figure", 60), ("plain text", 60), ("plain text", 320), ("figure", 320),
    ]  # fmt: skip
    top = composed(below, [detection_of("figure", 60, 100, 290, 300)])
    assert [region.kind for region in top] == ["figure", "plain text"]


def test_a_page_that_no_network_has_read_keeps_its_columns():
    """Guards against lines of two columns that are read by turns where all there is are their places."""
    left, right = paragraph(60, width=230), paragraph(60, x=320, width=230)
    page_inspection = inspection(*(one for pair in zip(left, right, strict=True) for one in pair))
    page = compose_page(page_inspection, draft_regions(page_inspection, []), {}, {})
    assert [region.box.x0 for region in page.regions] == [60, 320]
