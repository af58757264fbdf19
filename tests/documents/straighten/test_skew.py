"""`documents.straighten.skew`: axis and lean of printed lines."""

import numpy as np
import pytest
from drawn_text import sheet_of_text, turned

from documents.straighten.skew import find_lean, letter_points


def lean(picture: np.ndarray):
    points = letter_points(np.ascontiguousarray(picture[:, :, 0]))
    assert points is not None
    return find_lean(points)


@pytest.mark.parametrize("degrees", [-5.0, -1.3, 0.0, 0.4, 3.7])
@pytest.mark.parametrize("quarters", [0, 1])
def test_the_lean_of_a_page_is_found_to_a_tenth_of_a_degree(degrees: float, quarters: int) -> None:
    """Guards against a wrong axis, a wrong sign, and a search that stops at a coarse step."""
    degrees_found = lean(np.rot90(turned(sheet_of_text(), degrees), -quarters))
    assert degrees_found.upended == bool(quarters)
    assert degrees_found.degrees == pytest.approx(degrees, abs=0.1)


def test_a_page_without_letters_has_no_lean() -> None:
    """Guards against a blank page or a photograph that is turned about."""
    blank = np.full((800, 600), 255, np.uint8)
    assert letter_points(blank) is None
    blank[100:700, 100:500] = np.linspace(0, 255, 400).astype(np.uint8)
    assert letter_points(blank) is None
