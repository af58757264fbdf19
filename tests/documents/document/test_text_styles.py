"""The type size of a text, whichever way it runs."""

from __future__ import annotations

import pytest
from page_making import region

from documents.document.text_styles import type_size

STAMP = "Archived by the library"


@pytest.mark.parametrize(
    ("angle", "corners"), [(0, (10, 60, 310, 70)), (90, (10, 60, 20, 360)), (270, (10, 60, 20, 360))]
)
def test_a_text_that_ocr_read_sideways_is_as_large_as_it_is_upright(angle, corners):
    """Guards against a stamp up the edge that is a title, being as large as its line is long."""
    one = region(STAMP, corners=corners)
    span = one.spans[0].model_copy(update={"source": "ocr", "font_size": None})
    assert type_size(one.model_copy(update={"angle": angle, "spans": (span,)})) == pytest.approx(10.8, abs=0.1)
