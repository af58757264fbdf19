"""`documents.straighten.page_orientation`: lines to try, and what their confidence says."""

import numpy as np
from drawn_text import sheet_of_text

from documents.straighten.page_orientation import (
    MIN_CONFIDENCE,
    MIN_SURE_CONFIDENCE,
    NUM_EXTRA_SAMPLES,
    NUM_SAMPLES,
    legibility,
    sample_lines,
    upright_angle,
)


def test_a_few_lines_are_tried() -> None:
    """Guards against a page that is read twice over to find its upper end."""
    lines = sample_lines(sheet_of_text())
    assert len(lines) == NUM_SAMPLES
    assert all(square.shape == (256, 256, 3) and (square < 128).any() for square in lines)
    assert len(sample_lines(sheet_of_text(), NUM_EXTRA_SAMPLES)) > NUM_SAMPLES


def test_an_empty_page_has_nothing_to_try() -> None:
    """Guards against noise that is read to turn a blank page."""
    assert sample_lines(np.full((600, 400, 3), 250, np.uint8)) == []


def test_the_page_stays_unless_another_way_is_plainly_surer() -> None:
    """Guards against pages of another script that are turned by chance."""
    assert upright_angle({}) == 0
    assert upright_angle({0: 0.4, 180: 0.42, 90: 0.1, 270: 0.1}) == 0
    assert upright_angle({0: 0.4, 180: 0.8, 90: 0.1, 270: 0.5}) == 180


def test_a_script_that_the_reader_does_not_know_turns_no_page() -> None:
    """Guards against a page turned by half because nonsense was guessed a little surer upside down."""
    assert upright_angle({0: 0.35, 180: 0.55, 90: 0.2, 270: 0.3}) == 0


def test_a_line_that_is_surely_read_as_nothing_is_no_sign_of_an_upper_end() -> None:
    """Guards against forms and receipts that were read lying on their side, as "O" and "3" and many empty lines."""
    assert legibility([("", 1.0), ("O", 0.9), ("", 1.0)], 3) == 0
    assert legibility([], 0) == 0
    assert legibility([("Coupon value", 0.95), ("Space/color", 0.9), ("Issue date", 0.85)], 3) >= MIN_SURE_CONFIDENCE
    assert legibility([("Coupon value", 0.9), ("", 1.0), ("3", 0.96)], 3) == 0.3


def test_one_number_along_the_margin_turns_no_page_of_several_lines() -> None:
    """Guards against a form that was turned by its stamped page number, the one line that runs up its side."""
    assert legibility([("91391286", 0.86)], 1) >= MIN_SURE_CONFIDENCE
    assert legibility([("91391286", 0.86)], 3) < MIN_CONFIDENCE
