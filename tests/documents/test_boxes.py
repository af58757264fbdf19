"""The geometry of boxes; the oracle is that of PyMuPDF's rectangles."""

from __future__ import annotations

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.boxes import BoundingBox
from tests.documents.page_making import box

PLACES = st.integers(-50, 50)


@st.composite
def some_boxes(draw: st.DrawFn) -> BoundingBox:
    x, y = draw(PLACES), draw(PLACES)
    return box(x, y, x + draw(st.integers(1, 40)), y + draw(st.integers(1, 40)))


def rect(one: BoundingBox) -> pymupdf.Rect:
    return pymupdf.Rect(one.x0, one.y0, one.x1, one.y1)


def area(one: pymupdf.Rect) -> float:
    return 0.0 if one.is_empty else one.width * one.height


@given(some_boxes(), some_boxes())
def test_overlaps_are_the_sides_of_what_both_boxes_cover(a, b):
    both = rect(a) & rect(b)
    assert a.intersection(b) == area(both)
    assert a.share_inside(b) == pytest.approx(area(both) / area(rect(a)))
    if not both.is_empty:
        assert (a.overlap_x(b), a.overlap_y(b)) == (both.width, both.height)
        assert rect(a.clipped(b)) == both
    else:
        assert min(a.overlap_x(b), a.overlap_y(b)) <= 0


def test_a_negative_overlap_is_the_gap_between_two_boxes():
    left, right = box(0, 0, 10, 10), box(14, 3, 20, 30)
    assert (left.overlap_x(right), right.overlap_x(left)) == (-4, -4)
    assert left.overlap_y(right) == 7


def test_a_box_without_area_lies_inside_where_its_middle_does():
    sheet = box(0, 0, 10, 10)
    assert box(4, 5, 4, 5).share_inside(sheet) == 1
    assert box(4, 12, 9, 12).share_inside(sheet) == 0


@given(some_boxes(), st.integers(0, 9), st.integers(0, 9))
def test_a_widened_box_has_the_same_middle_and_its_margin_on_each_side(one, x, y):
    wide = one.widened(x, y)
    assert wide.center == one.center
    assert (wide.width, wide.height) == (one.width + 2 * x, one.height + 2 * y)
