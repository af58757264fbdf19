"""Strips without a text."""

import numpy as np

from documents.ocr_input.strip_folding import SQUARE_SIDE, STRIP_HEIGHT
from training.ocr.blanks import BlankPress


def test_blank_strips_are_of_many_looks_and_fit_a_square():
    """A reader that knows white paper alone still invents words on dirt."""
    press = BlankPress(2)
    strips = [press.strip() for _ in range(60)]
    for rows in strips:
        assert rows.shape[1:] == (STRIP_HEIGHT, SQUARE_SIDE)
        assert rows.dtype == np.uint8
        assert 1 <= len(rows) <= 8
    shares = [float((rows < 128).mean()) for rows in strips]
    assert min(shares) < 0.01
    assert max(shares) > 0.2


def test_one_seed_gives_one_stream_of_blanks():
    one, two = BlankPress(4), BlankPress(4)
    for _ in range(10):
        assert np.array_equal(one.strip(), two.strip())
