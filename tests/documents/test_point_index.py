"""Boxes that hold a point are found without comparing it with all."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from page_making import box
from work import steps_of

from documents.point_index import PointIndex

EDGES = st.one_of(st.integers(-20, 20), st.sampled_from([-1000.0, -0.1, 0.3, 7.99999, 8.00001, 1e6]))
BOXES = st.builds(box, EDGES, EDGES, EDGES, EDGES)


@given(st.lists(BOXES, max_size=20), EDGES, EDGES)
def test_an_index_finds_what_comparing_with_all_finds(boxes, x, y):
    """Guards against words at the edge of a cell that no cell takes; boxes upside down hold nothing."""
    index = PointIndex(boxes)
    for at in [(x, y), *(one.center for one in boxes), *((one.x0, one.y1) for one in boxes)]:
        assert index.holding(*at) == [k for k, one in enumerate(boxes) if one.contains(*at)]


def test_a_point_is_compared_with_few_boxes_whatever_their_sizes():
    """Guards against small cells that all lie in one place of a lattice made for large ones."""

    def index_of(num):
        large = [box(100 * k, 50, 100 * k + 100, 150) for k in range(num)]
        return PointIndex([*large, *(box(0.5 * k, 0, 0.5 * k + 0.5, 0.5) for k in range(num))])

    for x, y in ((3.2, 0.2), (250, 80)):
        small, large = index_of(100), index_of(1000)
        assert steps_of(lambda: large.holding(x, y)) <= 2 * steps_of(lambda: small.holding(x, y))  # noqa: B023
