"""Whatever a page's file and the network say: no rule fails, no word is lost, and the order is one of all regions."""

from __future__ import annotations

from collections import Counter
from typing import get_args

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from page_making import inspection

from documents.inspection import Ruling, TextLine
from documents.structure.build_page import RuleRun, compose_page, draft_regions
from documents.values import BoundingBox, Detection, Page, Reading, RegionKind

EDGES = st.one_of(
    st.floats(-50, 900, allow_nan=False), st.sampled_from([0.0, 612.0, 792.0, -1e6, 1e6, 1e-9]), st.integers(0, 800)
)
BOXES = st.builds(lambda a, b, c, d: BoundingBox(x0=a, y0=b, x1=c, y1=d), EDGES, EDGES, EDGES, EDGES)
PLACES = st.builds(
    lambda x, y, w, h: BoundingBox(x0=x, y0=y, x1=x + w, y1=y + h),
    st.integers(0, 600),
    st.integers(0, 780),
    st.integers(0, 500),
    st.integers(0, 40),
)
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30),
    st.sampled_from(
        ["³ the court", "① a", "٣.", "Ⅷ", "12", "•", "\u200b", "a\u0301", "שלום", "x = y", "Table 1.", "iv", "1. a"]
    ),
)
LINES = st.builds(
    TextLine,
    text=TEXTS,
    box=st.one_of(PLACES, BOXES),
    font_size=st.one_of(st.floats(0, 100), st.sampled_from([0.0, 1e-9, 1e6])),
    bold=st.booleans(),
    monospaced=st.booleans(),
    angle=st.sampled_from([0, 0, 0, 90, 180, 270]),
    hidden=st.sampled_from([None, None, None, "tiny"]),
    fonts=st.sampled_from([(), ("A",), ("A", "B")]),
    bad_share=st.floats(0, 1),
)
DETECTIONS = st.builds(
    Detection, kind=st.sampled_from(get_args(RegionKind)), box=st.one_of(PLACES, BOXES), score=st.floats(0, 1)
)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    st.lists(LINES, max_size=12),
    st.lists(DETECTIONS, max_size=6),
    st.lists(st.one_of(PLACES, BOXES), max_size=3),
    st.sampled_from(["auto", "text_layer", "ocr"]),
)
def test_any_page_is_composed_with_all_of_its_words(lines, detections, rules, wanted):
    """Guards against the next `int('³')`."""
    ink = [BoundingBox(x0=60, y0=60, x1=200, y1=80)]
    seen = inspection(ink=ink).model_copy(
        update={"lines": tuple(lines), "rules": tuple(Ruling(box=box) for box in rules)}
    )
    run = RuleRun()
    drafts = draft_regions(seen, detections, text_source=wanted, run=run)
    readings = {d.index: Reading(text="read", confidence=0.5) for d in drafts if d.text_source == "ocr"}
    page = compose_page(seen, drafts, readings, dict.fromkeys(readings, (10, 10)), run=run)
    assert run.failures == []
    printed = Counter((one.text, one.box) for draft in drafts for one in draft.lines)
    assert Counter((span.text, span.box) for region in page.regions for span in region.spans) == printed
    assert [region.order for region in page.regions] == list(range(len(page.regions)))
    if wanted == "text_layer":
        assert printed == Counter((one.text, one.box) for one in lines if one.hidden is None)
    assert Page.model_validate_json(page.model_dump_json()) == page
