"""Columns and the widest gap between them, while boxes come in."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from page_making import box

from documents.order.column_gaps import GrowingColumns

BOXES = st.lists(
    st.tuples(st.integers(0, 300), st.integers(0, 100), st.integers(0, 60), st.integers(0, 40)), min_size=1, max_size=20
).map(lambda rows: [box(x, y, x + w, y + h) for x, y, w, h in rows])


def widest_gap(boxes, touch):
    """Painted: of all half points that no shortened box covers, between the first and the last that one does."""
    free = np.ones(2000, bool)
    for one in boxes:
        by = min(touch, one.width / 2)
        free[round(4 * (one.x0 + by)) : round(4 * (one.x1 - by)) + 1] = False
    at = np.flatnonzero(~free)
    steps = np.diff(at)
    k = int(np.argmax(steps)) if len(steps) else 0
    return (at[k] / 4, at[k + 1] / 4) if len(steps) and steps[k] > 1 else None


@given(BOXES, st.sampled_from([0.0, 1.5, 5.0]))
def test_the_widest_gap_and_its_sides_are_those_of_all_boxes_that_came(boxes, touch):
    """Guards against gaps that a later box has closed, and boxes that are counted on no side."""
    columns = GrowingColumns(touch)
    for k, one in enumerate(boxes, 1):
        columns.add(one)
        gap = columns.widest()
        assert (None if gap is None else (gap.low, gap.high)) == widest_gap(boxes[:k], touch)
        if gap is None:
            continue
        for side, own in zip(
            columns.sides(gap),
            ([b for b in boxes[:k] if (b.center[0] < gap.low + gap.width / 2) is left] for left in (True, False)),
            strict=True,
        ):
            assert (side.top, side.bottom) == (min(b.y0 for b in own), max(b.y1 for b in own))
            assert side.height == sum(b.height for b in own)
