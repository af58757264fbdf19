"""Displayed formulas are regions of their own; prose with formulas in it stays prose."""

from __future__ import annotations

from documents.draft.text_source import Layer
from documents.formulas.displays import DisplayLimits, displays
from documents.page.build_page import compose_page, draft_regions
from documents.segments.blocks import SegmentBlock


def lines_with(page, text):
    return [k for k, line in enumerate(page.lines) if text in line.text]


def test_formulas_within_prose_are_none(typeset_pages):
    for page in typeset_pages:
        inside = {k for display in displays(page.lines, page.bars, DisplayLimits()) for k in display.lines}
        assert inside.isdisjoint(lines_with(page, "momentum"))
        assert inside.isdisjoint(lines_with(page, "completing"))


def test_each_is_a_region_with_all_of_its_lines(typeset_pages):
    """The pieces of a sum, its limits and fractions, came out as paragraphs of one letter."""
    page = typeset_pages[0]
    composed = compose_page(page, draft_regions(page, ()), {}, {})
    kinds = [region.kind for region in composed.regions if "latex" in region.model_fields_set]
    assert kinds == ["isolate_formula"] * len(list(displays(page.lines, page.bars, DisplayLimits())))
    text = " ".join(region.text for region in composed.regions)
    assert text.count("∑") == text.count("∏") == 1, "nothing is lost, nothing is said twice"


def test_what_the_structure_network_takes_for_a_heading_stays_one(typeset_pages):
    page = typeset_pages[0]
    lines = Layer(page).lines
    blocks = [SegmentBlock(segments=(k,), role="heading", score=0.9) for k in range(len(lines))]
    composed = compose_page(page, draft_regions(page, (), blocks=blocks), {}, {})
    assert all(region.kind == "title" for region in composed.regions)
