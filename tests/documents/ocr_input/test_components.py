"""`documents.ocr_input.components`: the same pieces of ink as OpenCV finds in its usual way, numbered alike."""

import cv2
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from documents.ocr_input.components import Components, around

PICTURES = hnp.arrays(bool, hnp.array_shapes(min_dims=2, max_dims=2, max_side=40))


@given(PICTURES)
def test_components_and_their_numbers_are_those_of_opencvs_usual_algorithm(ink: np.ndarray) -> None:
    """Guards against lines whose order changes with the algorithm."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(ink.astype(np.uint8), connectivity=8)
    components = Components.of(ink)
    assert np.array_equal(components.labels, labels)
    assert np.array_equal(components.stats[1:], stats[1:])


@given(PICTURES, st.integers(0, 3))
def test_the_part_around_ink_holds_all_of_it_and_its_pieces_in_their_order(ink: np.ndarray, margin: int) -> None:
    """Guards against rules that change places because they were searched in a part of the page."""
    part = around(ink.astype(np.uint8), margin)
    assert ink[part].sum() == ink.sum()
    y, x = part[0].start, part[1].start
    within = Components.of(ink[part].copy()).stats[1:] if ink[part].size else np.zeros((0, 5), int)
    assert np.array_equal(within + np.array([x, y, 0, 0, 0]), Components.of(ink).stats[1:])
