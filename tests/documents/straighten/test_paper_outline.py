"""`documents.straighten.paper_outline`: a sheet on a desk is found, a plain page is left alone."""

import numpy as np
import pytest
from drawn_text import on_desk, sheet_of_text, turned, under_lamp

from documents.straighten.paper_outline import find_paper

CORNERS = [(70, 50), (930, 90), (900, 1240), (40, 1200)]


@pytest.mark.parametrize("lamp", [False, True])
def test_a_sheet_on_a_desk_is_found(lamp: bool) -> None:
    """Guards against a threshold that holds for one light only."""
    picture = on_desk(sheet_of_text(), CORNERS)
    outline = find_paper((under_lamp(picture) if lamp else picture)[:, :, 0].copy())
    assert outline is not None
    assert np.abs(np.array(outline) - CORNERS).max() < 25


def test_a_sheet_may_reach_out_of_the_picture() -> None:
    """Guards against a cut corner that is taken for the sheet's own."""
    corners = [(70, 50), (930, 90), (900, 1240), (-15, 1200)]
    outline = find_paper(on_desk(sheet_of_text(), corners)[:, :, 0].copy())
    assert outline is not None
    assert np.abs(np.array(outline) - corners).max() < 30


@pytest.mark.parametrize("degrees", [0.0, 3.0])
def test_a_plain_scan_holds_no_sheet(degrees: float) -> None:
    """Guards against pages cut down to a paragraph."""
    assert find_paper(turned(sheet_of_text(), degrees)[:, :, 0].copy()) is None


def test_a_box_printed_on_a_dark_page_is_no_sheet() -> None:
    """Guards against text around a bright box being cut away."""
    page = 255 - sheet_of_text(num_lines=36) // 2
    page = (page - 60).astype(np.uint8)
    page[300:900, 150:750] = 255
    assert find_paper(page[:, :, 0].copy()) is None
