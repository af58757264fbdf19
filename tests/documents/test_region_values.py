"""A region's class is its kind, and pages that were stored before that still read."""

from __future__ import annotations

import json
from typing import get_args

import pytest
from page_making import box
from pydantic import ValidationError

from documents.region_values import (
    CaptionRegion,
    FormulaRegion,
    ListItem,
    RegionKind,
    TableRegion,
    TextRegion,
    TitleRegion,
    as_kind,
    region_of,
)
from documents.values import Page

PLACE = box(60, 60, 300, 80)
OLD_FIELDS = {  # of every region in pages of 0.1.0 before regions had classes
    "spans": [], "text": "x = y", "text_source": "text_layer", "reader": None, "reason": "sound",
    "origin": "found by the layout network", "rules": [], "confidence": None, "angle": 0, "order": 0, "level": None,
    "latex": None, "table": None, "code": False, "links": [], "continues": False, "items": [], "note": None,
    "describes": None,
}  # fmt: skip


def old_page(kind, **more):
    """A page with one region as the job store has it from an earlier version."""
    place = {"x0": 60.0, "y0": 60.0, "x1": 300.0, "y1": 80.0}
    region = {"kind": kind, "box": place, "score": 0.9} | OLD_FIELDS | more
    return json.dumps({"number": 1, "size": [612.0, 792.0], "rotation": 0, "regions": [region], "warnings": []})


@pytest.mark.parametrize("kind", get_args(RegionKind))
def test_a_stored_page_with_the_fields_of_all_kinds_reads_and_is_written_with_those_of_its_own(kind):
    page = Page.model_validate_json(old_page(kind))
    (written,) = json.loads(page.model_dump_json())["regions"]
    assert {name: value for name, value in OLD_FIELDS.items() if name in written}.items() <= written.items()
    left_out = {"level", "latex", "table", "code", "continues", "items", "note", "describes"} - written.keys()
    assert left_out == OLD_FIELDS.keys() - written.keys()
    assert len(left_out) >= 4
    assert Page.model_validate_json(page.model_dump_json()) == page


def test_a_stored_formula_that_was_a_program_too_costs_no_page():
    (region,) = Page.model_validate_json(old_page("isolate_formula", latex="x = y", code=True)).regions
    assert isinstance(region, FormulaRegion)
    assert region.latex == "x = y"


def test_what_no_kind_has_is_refused():
    with pytest.raises(ValidationError):
        Page.model_validate_json(old_page("title", colour="red"))
    with pytest.raises(ValidationError):
        Page.model_validate_json(old_page("footer"))


def test_a_region_of_another_kind_keeps_what_all_have_and_nothing_else():
    item = ListItem(line=0, marker="1.", box=PLACE)
    text = TextRegion(kind="plain text", box=PLACE, score=0.9, text="1. Rope", order=3, items=(item,), note="foot")
    title = as_kind(text, "title", level=2)
    assert title == TitleRegion(kind="title", box=PLACE, score=0.9, text="1. Rope", order=3, level=2)
    note = as_kind(text, "table_footnote", describes=1)
    assert isinstance(note, CaptionRegion)
    assert (note.note, note.describes, note.order) == ("foot", 1, 3)


def test_what_another_kind_has_by_the_same_name_is_not_taken_over():
    """Guards against a table that continues the one before because its text continued a paragraph."""
    text = TextRegion(kind="plain text", box=PLACE, score=0.9, text="and so on", continues=True, note="side")
    table, caption = as_kind(text, "table"), as_kind(text, "figure_caption")
    assert isinstance(table, TableRegion)
    assert isinstance(caption, CaptionRegion)
    assert (table.continues, caption.note) == (False, None)
    assert as_kind(text, "plain text", text="else") == text.model_copy(update={"text": "else"})
    assert as_kind(as_kind(caption, "table_caption", describes=2), "figure_caption") == caption.model_copy(
        update={"describes": 2}
    )


@pytest.mark.parametrize("kind", get_args(RegionKind))
def test_each_kind_has_one_class_which_has_no_other(kind):
    region = region_of(kind, box=PLACE, score=0.9)
    assert region.kind == kind
    other = next(
        arg for arg in get_args(RegionKind) if not isinstance(region_of(arg, box=PLACE, score=0), type(region))
    )
    with pytest.raises(ValidationError):
        type(region).model_validate({"kind": other, "box": PLACE, "score": 0.9})
