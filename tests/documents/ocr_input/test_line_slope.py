"""`documents.ocr_input.line_slope`: the slope of letters, against a count of every pair and numpy's own fit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.ocr_input.line_slope import MAX_SLOPE, MIN_USUAL_SHARE, NUM_SLOPES, LetterEdges

PLACES = st.lists(st.tuples(st.integers(0, 400), st.integers(0, 40)), min_size=5, max_size=30)


def counted(x: np.ndarray, y: np.ndarray, slope: float, near: float) -> int:
    level = y - x * slope
    return max(int(((level >= low) & (level <= low + near)).sum()) for low in level)


@given(PLACES, st.floats(-0.1, 0.1))
def test_the_slope_levels_more_edges_than_any_other_that_is_tried(places: list[tuple[int, int]], usual: float) -> None:
    """Guards against a search that ends at another slope than a try of all of them."""
    x, y = np.array(places, float).T
    edges = LetterEdges.of(x, y, 10.0)
    most = max(counted(x, y, float(slope), edges.near) for slope in np.linspace(-MAX_SLOPE, MAX_SLOPE, NUM_SLOPES))
    slope, count = edges.best
    assert count == most == counted(x, y, slope, edges.near)
    like, _ = edges.like(usual)
    assert like == (usual if counted(x, y, usual, edges.near) >= MIN_USUAL_SHARE * most else slope)
    level = counted(x, y, 0.0, edges.near)
    share = (level if level >= MIN_USUAL_SHARE * most else most) / len(x)
    assert [edges.stand_level(share), edges.stand_level(share + 1e-9)] == [True, False]


@pytest.mark.parametrize("slope", [-0.05, 0.0, 0.031])
def test_the_fitted_slope_is_that_of_the_least_squares(slope: float) -> None:
    """Guards against a slope that stays on the grid of those tried, and against tails of letters that pull it down."""
    x = np.arange(0.0, 600.0, 11.0)
    y = np.round(200 + slope * x)
    y[::9] += 8  # tails
    edges = LetterEdges.of(x, y, 10.0)
    on_line = np.arange(len(x)) % 9 > 0
    assert edges.fitted(0.0) == pytest.approx(np.polyfit(x[on_line], y[on_line], 1)[0], abs=1e-12)
    assert edges.fitted(0.0) == edges.fitted(0.0)
