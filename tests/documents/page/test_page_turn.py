"""Rules see an upright page, whatever way it lies in its file; PyMuPDF turns the pages."""

from __future__ import annotations

import numpy as np
import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_making import box, detection_of, inspection, line

from documents.boxes import BoundingBox
from documents.draft.rule import NoThresholds, Rule
from documents.inspection import TextLine
from documents.page.build_page import RuleRun, compose_page, draft_regions, read_page
from documents.page.page_turn import PageTurn
from documents.page.rules import RULES
from documents.values import PageWarning

ANGLES = (90, 180, 270)
SIZE = (595, 842)  # no multiple of the cells in which ink is counted
TURNS = st.builds(PageTurn, st.sampled_from(ANGLES), st.just(595.2755737304688), st.just(841.9))
EDGES = st.floats(-2000, 2000)


def draw(page):
    for k in range(12):
        page.insert_text((80, 120 + 14 * k), f"The harbor of line {k} opens at six in the morning.", fontsize=10)
    page.insert_text((560, 500), "on its side", fontsize=8, rotate=90)
    page.draw_line((80, 300), (400, 300))
    page.draw_rect(pymupdf.Rect(100, 400, 300, 440), color=(0, 0, 0), fill=(0.2, 0.3, 0.4))


@pytest.fixture
def inspected(with_pool, pdf_of):
    """The inspection of the drawn page, turned by its file."""

    def inspect(angle):
        async def use(pool):
            return (await pool.inspect(pdf_of(draw, size=SIZE, rotation=angle), 1)).inspection()

        return with_pool(use)

    return inspect


def edges(one: BoundingBox) -> list[float]:
    return [one.x0, one.y0, one.x1, one.y1]


@pytest.mark.parametrize("angle", ANGLES)
def test_a_turned_page_upright_is_the_page_that_its_file_did_not_turn(inspected, angle):
    turned, expected = inspected(angle), inspected(0)
    upright = PageTurn.of(turned).inspection(turned)
    assert (upright.width, upright.height) == (expected.width, expected.height)
    assert [(one.text, one.angle) for one in upright.lines] == [(one.text, one.angle) for one in expected.lines]
    for name in ("lines", "rules", "drawings"):
        ours = [edges(one.box) for one in getattr(upright, name)]
        np.testing.assert_allclose(sorted(ours), sorted(edges(one.box) for one in getattr(expected, name)), atol=0.01)


@pytest.mark.parametrize("angle", ANGLES)
def test_ink_stands_under_the_same_lines_of_the_upright_page(inspected, angle):
    """Guards against cells that are one off, since a page is no multiple of them."""
    turned = inspected(angle)
    upright = PageTurn.of(turned).inspection(turned)
    for before, after in zip(turned.lines, upright.lines, strict=True):
        count = turned.ink.cells()[turned.ink.window(before.box)].sum()
        assert count > 0
        assert upright.ink.cells()[upright.ink.window(after.box)].sum() == count


@given(TURNS, EDGES, EDGES, EDGES, EDGES)
def test_a_box_turned_upright_and_back_is_the_same_box(turn, x0, y0, x1, y1):
    """Guards against lines that are not found again, since their boxes differ in the last digit."""
    one = TextLine(text="a", box=box(x0, y0, x1, y1), font_size=10, angle=90)
    upright = turn.upright(one)
    back = turn.back.upright(upright)
    assert edges(back.box) == pytest.approx(edges(one.box), abs=1e-8)
    assert back.angle == 90
    assert turn.upright(back) == upright
    rounded = one.model_copy(update={"box": BoundingBox(**{k: round(v, 2) for k, v in dict(one.box).items()})})
    assert turn.back.upright(turn.upright(rounded)) == rounded


@pytest.mark.parametrize("angle", ANGLES)
def test_every_rule_sees_an_upright_page(inspected, angle):
    turned = inspected(angle)
    visited = []

    def look(page, _):
        visited.append(page)
        return page

    watch = Rule(name="watch", purpose="Looks on.", step=look, thresholds=NoThresholds())
    run = RuleRun(rules={stage: (watch, *rules) for stage, rules in RULES.items()})
    drafts = draft_regions(turned, [], run=run)
    compose_page(turned, drafts, {}, {}, run=run)
    assert len(visited) == len(RULES)
    for page in visited:
        assert (page.inspection.width, page.inspection.height) == SIZE
        lines = [*page.inspection.lines, *(line for draft in page.drafts for line in draft.lines)]
        assert {line.angle for line in lines} == {0, 270}
        assert all(line.angle == 0 for line in lines if line.text.startswith("The harbor"))


@pytest.mark.parametrize("angle", ANGLES)
def test_what_leaves_lies_as_the_page_does_in_its_file(inspected, angle):
    turned = inspected(angle)
    places = {line.text: pytest.approx(edges(line.box)) for line in turned.lines}
    drafts = draft_regions(turned, [])
    drafted = [(one, draft.angle) for draft in drafts for one in draft.lines]
    assert {one.text: edges(one.box) for one, _ in drafted} == places
    assert {draft_angle for one, draft_angle in drafted if one.text.startswith("The harbor")} == {angle}
    assert all(one.box.share_inside(draft.crop_box) == 1 for draft in drafts for one in draft.lines)
    warning = PageWarning(code="here", message="", page=1, box=box(1, 2, 3, 4))
    page = compose_page(turned, drafts, {}, {}, [warning])
    assert page.size == (turned.width, turned.height)
    assert {span.text: edges(span.box) for region in page.regions for span in region.spans} == places
    assert warning in page.warnings
    assert page.dropped == ()


@pytest.mark.parametrize("angle", ANGLES)
def test_the_segments_of_a_read_page_are_lines_of_its_file(inspected, angle):
    turned = inspected(angle)
    read = read_page(turned, draft_regions(turned, []), {}, {})
    places = {one.text: (one.angle, pytest.approx(edges(one.box))) for one in turned.lines}
    assert {one.text: (one.angle, edges(one.box)) for one in read.lines} == places


def test_a_picture_lies_as_the_text_of_its_page_does_unless_that_runs_down_the_page():
    """Guards against pictures on a page in vertical Japanese that are drawn on their side."""
    figure = detection_of("figure", 60, 300, 200, 400)
    for text, angle in (("A page that lies on its side.", 90), ("港の規則は毎年春に印刷され", 0)):
        page = inspection(line(text, x=300, y=50, width=10, angle=90), ink=[figure.box])
        drafts = draft_regions(page, [figure], text_source="text_layer")
        assert [draft.angle for draft in drafts if draft.kind == "figure"] == [angle]


def test_a_page_that_its_picture_has_straightened_stands_upright_whatever_its_text_layer_says():
    page = inspection(line("A line of the text layer.", angle=90))
    assert PageTurn.of(page).angle == 90
    assert PageTurn.of(page.model_copy(update={"printed_lines": ()})).angle == 0


def test_an_upright_page_is_left_as_it_is():
    page = inspection(line("A page."))
    assert PageTurn.of(page).inspection(page) is page
    assert PageTurn.of(page).upright(page.lines[0]) is page.lines[0]
