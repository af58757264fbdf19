"""Whatever a page's file and the network say: no rule fails, no word is lost, and the order is one of all regions."""

from __future__ import annotations

import unicodedata
from collections import Counter
from itertools import pairwise
from typing import get_args

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from page_making import inspection

from documents.boxes import BoundingBox
from documents.inspection import Grid, Ruling, TextLine, Word
from documents.page.build_page import RuleRun, compose_page, compose_read_page, draft_regions, read_page
from documents.page.page_turn import PageTurn
from documents.page_tree import PageTree, TreeContent, TreeNode
from documents.region_values import RegionKind
from documents.segments.blocks import SegmentBlock
from documents.segments.roles import ROLES as SEGMENT_ROLES
from documents.values import Detection, Page, Reading

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


def with_words(one):
    """The line, its words side by side in its box."""
    texts = one.text.split()
    step = (one.box.x1 - one.box.x0) / max(1, len(texts))
    words = tuple(
        Word(
            text=text,
            box=BoundingBox(x0=one.box.x0 + k * step, y0=one.box.y0, x1=one.box.x0 + (k + 0.9) * step, y1=one.box.y1),
            font_size=one.font_size,
        )
        for k, text in enumerate(texts)
    )
    return one.model_copy(update={"words": words})


BARE_LINES = st.builds(
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
LINES = st.one_of(BARE_LINES, BARE_LINES.map(with_words))
GRIDS = st.builds(
    lambda x, y, columns, rows, gap: Grid(
        box=BoundingBox(x0=x, y0=y, x1=x + 60 * columns, y1=y + 20 * rows),
        cells=tuple(
            BoundingBox(x0=x + 60 * c, y0=y + 20 * r, x1=x + 60 * c + 60, y1=y + 20 * r + 20)
            for r in range(rows)
            for c in range(columns)
            if (r, c) != gap
        ),
    ),
    st.integers(0, 300),
    st.integers(0, 700),
    st.integers(2, 4),
    st.integers(2, 5),
    st.tuples(st.integers(0, 4), st.integers(0, 3)),
)
DETECTIONS = st.builds(
    Detection, kind=st.sampled_from(get_args(RegionKind)), box=st.one_of(PLACES, BOXES), score=st.floats(0, 1)
)


@st.composite
def read_blocks(draw, lines):
    """Any blocks of the visible lines, in any order; some lines may be in none, as of a page that was not read."""
    segments = draw(st.permutations([*range(sum(one.hidden is None for one in lines))]))
    ends = sorted(draw(st.sets(st.integers(0, len(segments)))))
    return [
        SegmentBlock(
            segments=tuple(segments[first:end]), role=draw(st.sampled_from(SEGMENT_ROLES)), score=draw(st.floats(0, 1))
        )
        for first, end in pairwise(ends)
    ]


def letters(texts):
    """Letters and digits as they are once typography is taken off."""
    return Counter(one for text in texts for one in unicodedata.normalize("NFKD", text) if one.isalnum())


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    st.lists(LINES, max_size=12),
    st.lists(DETECTIONS, max_size=6),
    st.lists(st.one_of(PLACES, BOXES), max_size=3),
    st.lists(GRIDS, max_size=2),
    st.sampled_from(["auto", "text_layer", "ocr"]),
    st.sampled_from(["read", "", " "]),
    st.data(),
)
def test_any_page_is_composed_with_all_of_its_words(lines, detections, rules, grids, text_source, reading, data):
    """Guards against the next `int('³')`."""
    ink = [BoundingBox(x0=60, y0=60, x1=200, y1=80)]
    page_inspection = inspection(ink=ink).model_copy(
        update={"lines": tuple(lines), "rules": tuple(Ruling(box=box) for box in rules), "grids": tuple(grids)}
    )
    run = RuleRun()
    blocks = data.draw(read_blocks(lines))
    drafts = draft_regions(page_inspection, detections, text_source=text_source, blocks=blocks, run=run)
    readings = {d.index: Reading(text=reading, confidence=0.5) for d in drafts if d.text_source == "ocr"}
    read = read_page(page_inspection, drafts, readings, dict.fromkeys(readings, (10, 10)), run=run)
    page = compose_read_page(read, blocks=data.draw(st.one_of(st.just([]), read_blocks(read.lines))))
    assert run.failures == []
    seen_texts = [one.text for one in lines if one.hidden is None]
    dropped = [one.text for one in page.dropped]
    spans = [span.text for region in page.regions for span in region.spans]
    assert letters([*spans, *dropped]) == letters(seen_texts)
    texts = [region.text for region in page.regions]
    assert letters([*texts, *dropped]) == letters([*seen_texts, *(reading for _ in readings)])
    assert [region.order for region in page.regions] == list(range(len(page.regions)))
    if text_source == "text_layer":
        turn = PageTurn.of(page_inspection)
        visible = turn.back.all_upright(turn.all_upright(one for one in lines if one.hidden is None))
        printed = Counter((one.text, one.box) for draft in drafts for one in draft.lines)
        assert printed == Counter((one.text, one.box) for one in visible)
    assert Page.model_validate_json(page.model_dump_json()) == page


ROLES = st.sampled_from(["Document", "P", "H1", "H", "L", "LI", "LBody", "Table", "TR", "TH", "TD", "Figure", "X", ""])
NODES = st.builds(
    TreeNode,
    role=ROLES,
    parent=st.integers(-2, 12),
    alt=st.sampled_from(["", "a map"]),
    num_rows=st.integers(1, 1000),
    num_columns=st.integers(1, 1000),
)


@st.composite
def tagged_lines(draw):
    """Lines with words, and a tree whose marks enclose them, one another, or nothing."""
    lines = draw(st.lists(BARE_LINES.map(with_words), min_size=1, max_size=12))
    places = st.one_of(st.sampled_from([one.box for one in lines]), PLACES, BOXES)
    boxes = st.lists(places, max_size=3).map(tuple)
    contents = st.builds(TreeContent, node=st.integers(-1, 12), lines=boxes, pictures=boxes)
    tree = PageTree(
        nodes=tuple(draw(st.lists(NODES, min_size=1, max_size=12))),
        contents=tuple(draw(st.lists(contents, max_size=12))),
        artifacts=draw(boxes),
    )
    return lines, tree


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(tagged_lines(), st.lists(DETECTIONS, max_size=6), st.data())
def test_no_author_s_tree_loses_or_doubles_a_word(tagged, detections, data):
    """Guards against nodes that are their own parents, marks that overlap, and tables without cells."""
    lines, tree = tagged
    page_inspection = inspection(ink=[BoundingBox(x0=60, y0=60, x1=200, y1=80)])
    page_inspection = page_inspection.model_copy(update={"lines": tuple(lines), "tree": tree})
    run = RuleRun()
    blocks = data.draw(read_blocks(lines))
    drafts = draft_regions(page_inspection, detections, text_source="text_layer", blocks=blocks, run=run)
    page = compose_page(page_inspection, drafts, {}, {}, run=run)
    assert run.failures == []
    texts = [*(region.text for region in page.regions), *(one.text for one in page.dropped)]
    assert letters(texts) == letters(one.text for one in lines if one.hidden is None)
    assert sorted(region.order for region in page.regions) == list(range(len(page.regions)))
