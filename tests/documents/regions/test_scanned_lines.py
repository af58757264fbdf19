"""On a page that is read from its picture, each printed line is read once, and nothing else is."""

from __future__ import annotations

import numpy as np
import pytest

from documents.boxes import BoundingBox
from documents.inspection import InkGrid, Inspection, TextLine
from documents.page.build_page import draft_regions
from documents.region_values import RegionKind
from documents.regions.scanned_lines import plan_reading, text_alone, within_crop
from documents.values import Detection

CELL = 4.0
MARGIN = (0.005, 0.002)


def box(x0: float, y0: float, x1: float, y1: float) -> BoundingBox:
    return BoundingBox(x0=x0, y0=y0, x1=x1, y1=y1)


def detection_of(kind: RegionKind, *edges: float) -> Detection:
    return Detection(kind=kind, box=box(*edges), score=0.9)


def page(*lines: BoundingBox) -> Inspection:
    """A sheet full of ink, as a photograph of paper is, on which these lines are printed."""
    return Inspection(
        number=1,
        width=600,
        height=800,
        ink=InkGrid.of(np.ones((200, 150), bool), CELL),
        images=(box(0, 0, 600, 800),),
        printed_lines=lines,
    )


def plan(inspection: Inspection, *detections: Detection):
    bare, all_detections = text_alone(inspection, detections)
    return plan_reading(bare, draft_regions(bare, all_detections, crop_margin=MARGIN), MARGIN)


LINES = [box(60, 100 + 20 * k, 400, 112 + 20 * k) for k in range(4)]


def test_each_line_is_read_in_one_region_even_where_regions_overlap() -> None:
    """Guards against text that stands twice in the result because two crops show it."""
    read = plan(
        page(*LINES), detection_of("plain text", 50, 90, 410, 145), detection_of("plain text", 50, 130, 410, 190)
    )
    held = [line for lines in read.lines.values() for line in lines]
    assert sorted(line.y0 for line in held) == [line.y0 for line in LINES]


def test_a_crop_shows_its_lines_whole_though_the_network_cut_them() -> None:
    """Guards against first and last letters that are lost at the edge of a detected box."""
    read = plan(page(*LINES), detection_of("plain text", 75, 95, 380, 178))
    (draft,) = read.drafts
    assert draft.crop_box.x0 < 60
    assert draft.crop_box.x1 > 400


def test_a_line_outside_of_all_regions_is_read_as_well() -> None:
    """Guards against fields of a form that the network does not know."""
    lone = box(300, 600, 380, 612)
    read = plan(page(*LINES, lone), detection_of("plain text", 50, 90, 410, 190))
    assert any(line == lone for lines in read.lines.values() for line in lines)


def test_text_in_what_the_network_takes_for_a_picture_is_read() -> None:
    """Guards against a receipt that is one figure without a word."""
    read = plan(page(*LINES), detection_of("figure", 20, 20, 580, 780))
    held = [line for lines in read.lines.values() for line in lines]
    assert len(held) == 4


def test_text_that_fills_a_picture_among_other_text_is_read() -> None:
    """Guards against a table that is taken for a figure: the text in it was taken for the same region, found twice."""
    columns = ((60 + 90 * k, 300 + 7 * (k % 2)) for k in range(4))  # no gap runs across all of them
    cells = [box(x, y + 14 * row, x + 70, y + 14 * row + 10) for x, y in columns for row in range(20)]
    read = plan(
        page(*LINES, *cells), detection_of("plain text", 50, 90, 410, 190), detection_of("figure", 55, 295, 410, 590)
    )
    held = [line for lines in read.lines.values() for line in lines]
    assert sorted(held, key=str) == sorted((*LINES, *cells), key=str)


def test_ink_without_a_printed_line_is_no_region_of_text() -> None:
    """Guards against frames, stains and photographs that are read as words."""
    read = plan(
        page(*LINES), detection_of("plain text", 50, 90, 410, 190), detection_of("plain text", 50, 500, 410, 700)
    )
    assert len(read.drafts) == 1


def test_a_region_that_the_text_layer_has_lines_of_stays_though_nothing_is_printed_there() -> None:
    """Guards against words of a file that are lost because its picture shows no line where they stand."""
    words = TextLine(text="Harbour", box=box(60, 510, 160, 522), font_size=12, fonts=("Serif",))
    page_inspection = page(*LINES)
    drafts = draft_regions(page_inspection, [detection_of("plain text", 50, 500, 410, 700)], crop_margin=MARGIN)
    drafts = [draft.model_copy(update={"layer_lines": (words,)}) for draft in drafts]
    read = plan_reading(page_inspection, drafts, MARGIN)
    kept = [draft for draft in read.drafts if draft.box.y0 >= 450]
    assert [read.lines[draft.index] for draft in kept] == [()]


def test_a_page_of_which_no_lines_were_looked_for_stays_as_it_is() -> None:
    inspection = page().model_copy(update={"printed_lines": None})
    detections = [detection_of("plain text", 50, 90, 410, 190)]
    assert text_alone(inspection, detections) == (inspection, tuple(detections))
    drafts = draft_regions(inspection, detections, crop_margin=MARGIN)
    read = plan_reading(inspection, drafts, MARGIN)
    assert (read.drafts, dict(read.lines)) == (drafts, {})


def test_a_formula_is_read_whole() -> None:
    """Guards against a formula that is left out because its symbols make no line."""
    read = plan(
        page(*LINES), detection_of("isolate_formula", 100, 300, 300, 340), detection_of("plain text", 50, 90, 410, 190)
    )
    formula = next(draft for draft in read.drafts if draft.kind == "isolate_formula")
    assert formula.index not in read.lines


def test_boxes_of_the_page_become_shares_of_a_crop() -> None:
    (share,) = within_crop([box(60, 100, 160, 120)], box(10, 80, 210, 180))
    assert (share.x0, share.y0, share.x1, share.y1) == pytest.approx((0.25, 0.2, 0.75, 0.4))
