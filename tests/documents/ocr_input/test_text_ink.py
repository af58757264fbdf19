import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from documents.ocr_input.text_ink import percentiles, without_rules

PAGE = (400, 500)


@given(hnp.arrays(np.uint8, hnp.array_shapes(min_dims=2, max_dims=2, max_side=60)), st.integers(1, 49))
def test_percentiles_from_counts_are_numpys(grey: np.ndarray, percent: int) -> None:
    percents = (percent, 100 - percent)
    assert percentiles(grey, percents) == pytest.approx(list(np.percentile(grey, percents)), abs=1e-6)


@pytest.mark.parametrize("place", [0, 1, 200, 397])
def test_a_rule_goes_and_letters_beside_it_stay_wherever_it_is(place: int) -> None:
    """A rule is judged within its surroundings, which the page's edge may cut off."""
    ink = np.zeros(PAGE, np.uint8)
    ink[place : place + 3, 50:450] = 1
    letters = np.zeros(PAGE, np.uint8)
    cv2.putText(letters, "words", (100, 120), cv2.FONT_HERSHEY_SIMPLEX, 1.0, 1, 2)
    rest = without_rules((ink | letters).astype(bool))
    assert rest[place : place + 3].sum() < 10  # its ends may stay
    assert (rest[90:130, 90:250] == letters[90:130, 90:250].astype(bool)).all()


def test_upright_rules_go_as_level_ones_do() -> None:
    ink = np.zeros(PAGE, bool)
    ink[30:370, 60:63] = True
    assert without_rules(ink).sum() < 10
