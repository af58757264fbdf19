"""OCR without an error reads of each crop what is printed there, and of a page its blocks in their order."""

from __future__ import annotations

import pytest

from benchmarks.harness.exact_ocr import exact_page_reading, exact_readings
from benchmarks.truths.drawn_truth import TrueLine, TruePage, TrueWord
from documents.boxes import BoundingBox
from documents.draft.page_draft import RegionDraft
from documents.regions.scanned_lines import ReadingPlan


def box(x0, y0, x1, y1):
    return BoundingBox(x0=x0, y0=y0, x1=x1, y1=y1)


def line(words, y, **more):
    boxes = [box(60 + 50 * k, y, 100 + 50 * k, y + 10) for k in range(len(words))]
    printed = tuple(TrueWord(text=word, box=own) for word, own in zip(words, boxes, strict=True))
    return TrueLine(text=" ".join(words), box=BoundingBox.around(boxes), words=printed, **more)


TRUTH = TruePage(
    number=1,
    lines=(
        line(["Page", "9"], 20, role="page_header", block=0),
        line(["second", "block"], 100, role="text", block=2, rank=2.0),
        line(["goes", "on"], 112, role="text", block=2, rank=2.0),
        line(["First"], 200, role="heading", block=1, rank=1.0),
    ),
)


def draft(index, crop, kind="plain text", source="ocr"):
    reason = "no text layer" if source == "ocr" else "sound"
    return RegionDraft(index=index, kind=kind, box=crop, score=0.9, text_source=source, reason=reason, crop_box=crop)


def test_a_crop_has_the_words_within_its_lines_in_its_own_pixels():
    crop = box(50, 90, 180, 130)
    plan = ReadingPlan((draft(3, crop), draft(4, crop, source="text_layer")), {3: (box(55, 98, 120, 111), crop)})
    readings, sizes = exact_readings(plan, TRUTH)
    assert sizes == {3: (130, 40)}
    assert [one.text for one in readings[3].lines] == ["second", "second block", "goes on"]
    assert readings[3].lines[0].box == pytest.approx(box(10, 10, 50, 20))


def test_a_region_without_lines_of_its_own_is_read_by_the_lines_in_it_and_a_figure_not_at_all():
    crop = box(50, 90, 180, 130)
    readings, _ = exact_readings(ReadingPlan((draft(0, crop), draft(1, crop, "figure")), {}), TRUTH)
    assert readings[0].text == "second block\ngoes on"
    assert readings[1].text == ""


@pytest.mark.parametrize("with_places", [True, False])
def test_a_page_is_read_block_by_block_without_its_furniture(with_places):
    reading = exact_page_reading(TRUTH, 612, 792, with_places=with_places)
    assert [(block.kind, block.text) for block in reading.blocks] == [
        ("title", "First"),
        ("plain text", "second block\ngoes on"),
    ]
    assert all((block.box is not None) is with_places for block in reading.blocks)
