"""The kinds of strips, and what is drawn more often."""

import pytest

from training.ocr.kinds import KINDS, MOST, weights
from training.ocr.strips import StripPress


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_can_be_drawn(kind):
    """A kind that fails is met after hours, in a worker."""
    press = StripPress(3, weights={kind: 1.0})
    for _ in range(6):
        text, rows, where = press.strip(30)
        assert 0 < len(text) <= 30 + 3
        assert rows.min() < 128  # there is ink
        assert set(where.tolist()) <= set(range(-1, len(text)))


def test_what_is_read_worst_is_drawn_more_within_bounds():
    """A curriculum without bounds forgets what it could."""
    result = weights({"cer_synthetic": 0.02, "cer_fax": 0.04, "cer_photographed": 0.9, "cer_inverse": 0.0})
    assert result["fax"] == 2 * KINDS["fax"].weight
    assert result["photographed"] == MOST * KINDS["photographed"].weight
    assert 0 < result["inverse"] < KINDS["inverse"].weight
    assert result["western"] == KINDS["western"].weight
    assert set(result) == set(KINDS)
