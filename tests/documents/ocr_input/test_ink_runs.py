"""`documents.ocr_input.ink_runs`: what OpenCV's morphology along rows gives, and its connected components."""

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from documents.ocr_input.ink_runs import InkRuns

MARGIN = 12
INK = hnp.arrays(np.uint8, hnp.array_shapes(min_dims=2, max_dims=2, max_side=40), elements=st.integers(0, 1)).map(
    lambda ink: np.pad(ink, MARGIN)
)


@given(INK, st.sampled_from([3, 5, 7]))
def test_long_and_closed_runs_are_what_openings_and_closings_leave(ink: np.ndarray, length: int) -> None:
    """Guards against rules that are a pixel longer, or joined over a wider gap, than the page has them."""
    kernel = np.ones((1, length), np.uint8)
    runs = InkRuns.of(ink)
    assert np.array_equal(runs.long(length).drawn(ink.shape), cv2.morphologyEx(ink, cv2.MORPH_OPEN, kernel))
    assert np.array_equal(runs.closed(length - 1).drawn(ink.shape), cv2.morphologyEx(ink, cv2.MORPH_CLOSE, kernel))


@given(INK)
def test_runs_that_touch_are_one_piece(ink: np.ndarray) -> None:
    """Guards against a thick rule that is judged row by row."""
    runs = InkRuns.of(ink)
    labels = cv2.connectedComponents(ink, connectivity=8)[1].ravel()[runs.starts]
    pieces = runs.pieces(ink.shape[1])
    assert np.array_equal(pieces[:, None] == pieces, labels[:, None] == labels)


@pytest.mark.parametrize("size", [200])
def test_a_piece_that_winds_over_many_rows_is_one(size: int) -> None:
    """Guards against pieces that are joined only with their neighbours."""
    comb = np.zeros((size, size), np.uint8)
    comb[5:-5, 5:-5:4] = 1
    comb[5, 5:-5:8] = comb[-6, 5:-5] = 1
    pieces = InkRuns.of(comb).pieces(size)
    assert len(set(pieces.tolist())) == 1
