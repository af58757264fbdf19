"""Boxes are found by where they stand as comparing with all finds them, and with few steps."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from page_making import box
from work import steps_of

from documents.boxes import BoundingBox
from documents.page_index import PageIndex

EDGES = st.one_of(st.integers(-20, 20), st.sampled_from([-1000.0, -0.1, 0.3, 7.99999, 8.00001, 1e6, 1e308]))
BOXES = st.builds(box, EDGES, EDGES, EDGES, EDGES)


@st.composite
def indices(draw: st.DrawFn) -> tuple[list[BoundingBox], PageIndex]:
    """Boxes and their index, some given at the start and some added."""
    first, later = draw(st.lists(BOXES, max_size=12)), draw(st.lists(BOXES, max_size=12))
    index = PageIndex(first)
    assert [index.add(one) for one in later] == [len(first) + k for k in range(len(later))]
    return first + later, index


@given(indices(), EDGES, EDGES)
def test_an_index_finds_the_boxes_that_hold_a_point(boxes_and_index, x, y):
    """Guards against words at the edge of a cell that no cell takes; boxes upside down hold nothing."""
    boxes, index = boxes_and_index
    for at in [(x, y), *(one.center for one in boxes), *((one.x0, one.y1) for one in boxes)]:
        assert index.holding(*at) == [k for k, one in enumerate(boxes) if one.contains(*at)]


@given(indices(), EDGES, EDGES, st.integers(0, 5))
def test_an_index_finds_the_first_boxes_of_a_height(boxes_and_index, top, bottom, most):
    boxes, index = boxes_and_index
    expected = [k for k, one in enumerate(boxes) if one.y0 <= bottom and one.y1 >= top]
    assert index.level_with(top, bottom) == expected
    assert index.level_with(top, bottom, most) == expected[:most]


@given(indices(), BOXES, st.integers(0, 9))
def test_an_index_finds_the_boxes_that_touch_one_or_stand_near_it(boxes_and_index, one, room):
    boxes, index = boxes_and_index
    near = [k for k, other in enumerate(boxes) if min(other.overlap_x(one), other.overlap_y(one)) >= -room]
    if all(b.x0 <= b.x1 and b.y0 <= b.y1 and max(b.x1, b.y1) < 1e5 for b in (one, *boxes)):
        assert index.meeting(one, room) == near
    assert index.meeting(one, np.full(len(boxes), float(room))) == index.meeting(one, room)


@given(indices(), BOXES)
def test_an_index_finds_the_boxes_whose_middle_one_holds(boxes_and_index, one):
    boxes, index = boxes_and_index
    middles = [(b.x0 / 2 + b.x1 / 2, b.y0 / 2 + b.y1 / 2) for b in boxes]
    assert index.with_middle_in(one) == [k for k, middle in enumerate(middles) if one.contains(*middle)]


def test_room_may_differ_from_box_to_box():
    index = PageIndex([box(0, 0, 10, 10), box(0, 20, 10, 30)])
    assert index.meeting(box(15, 0, 20, 30), np.array([4.0, 5.0])) == [1]


def test_an_index_without_boxes_finds_none():
    index = PageIndex()
    assert index.holding(0, 0) == index.level_with(0, 1) == index.meeting(box(0, 0, 1, 1)) == []


def test_a_question_takes_as_many_steps_of_a_thousand_boxes_as_of_a_hundred():
    """Guards against boxes that all lie in one place, which a lattice would list together."""
    small, large = (PageIndex(box(0, 0, 10 + k, 10) for k in range(num)) for num in (100, 1000))
    assert steps_of(lambda: large.holding(500, 5)) <= 2 * steps_of(lambda: small.holding(50, 5))
