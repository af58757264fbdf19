"""Clean print is drawn in every resolution, whole, and as a fax has it."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.loads.drawn_scans import DPI, LONGEST, drawn

SENTENCE = "The harbour master signs the ledger every morning. "


@pytest.mark.parametrize("k", range(4))
def test_a_page_has_the_pixels_of_its_resolution(k: int) -> None:
    width, height = drawn(SENTENCE, k).size
    assert (width, height) == pytest.approx((420 * DPI[k] / 72, 595 * DPI[k] / 72), abs=1)


def test_every_third_page_is_black_and_white_alone() -> None:
    assert set(np.unique(np.asarray(drawn(SENTENCE, 2)))) == {0, 255}
    assert len(np.unique(np.asarray(drawn(SENTENCE, 0)))) > 50


def test_the_longest_text_is_set_whole() -> None:
    """Guards against a page that stays empty because its text does not fit, which PyMuPDF does not raise."""
    dark = np.asarray(drawn((SENTENCE * 100)[:LONGEST], 2)) == 0
    rows = np.flatnonzero(dark.any(axis=1)) / dark.shape[0]
    assert rows[0] < 0.15
    assert rows[-1] > 0.5
