"""Straight thin lines go, letters beside and across them stay."""

import cv2
import numpy as np
import pytest

from documents.ocr_input.ruled_lines import without_rules

PAGE = (400, 500)


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


def test_ink_without_rules_is_the_ink_itself() -> None:
    """Guards against a page of text that is copied to take nothing out of it."""
    ink = np.zeros(PAGE, bool)
    ink[100:120, 50:90] = True
    assert without_rules(ink) is ink


def test_a_grid_goes_and_the_letters_in_its_cells_stay() -> None:
    """Guards against level and upright rules of which one hides the other."""
    ink = np.zeros(PAGE, np.uint8)
    letters = np.zeros(PAGE, np.uint8)
    for y in (40, 140, 240):
        ink[y : y + 3, 40:440] = 1
    for x in (40, 240, 437):
        ink[40:243, x : x + 3] = 1
    for y in (100, 200):
        cv2.putText(letters, "cell", (80, y), cv2.FONT_HERSHEY_SIMPLEX, 1.0, 1, 2)
    rest = without_rules((ink | letters).astype(bool))
    assert np.array_equal(rest & (letters > 0), letters > 0)
    assert (rest & (letters == 0)).sum() < 60  # ends and crossings may stay
