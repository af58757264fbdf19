"""Turned boxes come back to where they were."""

from __future__ import annotations

import numpy as np
import pytest
from page_making import box, line

from documents.ink import turned_back
from documents.rotated_boxes import page_turn, rotate_back, unrotate, usual_angle


@pytest.mark.parametrize("angle", [0, 90, 180, 270])
def test_a_box_of_a_turned_crop_is_found_again_on_the_page(angle):
    """Guards against spans of sideways text that point elsewhere."""
    crop = np.zeros((40, 70), np.uint8)
    crop[5:12, 8:30] = 1
    ys, xs = np.nonzero(turned_back(crop, angle))
    mask_box = box(xs.min(), ys.min(), xs.max() + 1, ys.max() + 1)
    assert rotate_back(mask_box, angle, 70, 40) == box(8, 5, 30, 12)


@pytest.mark.parametrize("angle", [0, 90, 180, 270])
def test_seen_upright_a_line_of_turned_text_runs_from_the_left(angle):
    """Guards against turned pages whose words are read backwards."""
    first, second = {
        0: (box(10, 10, 20, 15), box(30, 10, 40, 15)),
        90: (box(10, 10, 15, 20), box(10, 30, 15, 40)),
        180: (box(30, 10, 40, 15), box(10, 10, 20, 15)),
        270: (box(10, 30, 15, 40), box(10, 10, 15, 20)),
    }[angle]
    one, two = unrotate(first, angle), unrotate(second, angle)
    assert one.x1 < two.x0
    assert one.y0 == two.y0
    assert one.area == first.area


def test_the_usual_angle_is_that_of_most_letters():
    """Guards against a page that is turned because of a stamp on it."""
    assert usual_angle([line("a"), line("a long line", angle=90)]) == 90
    assert usual_angle([]) == 0


def test_a_page_is_turned_by_its_text_but_not_by_a_script_that_runs_down():
    assert page_turn([line("a"), line("a long line", angle=270)]) == 270
    assert page_turn([line("港の料金表は毎年春に出る", angle=90)]) == 0
    assert page_turn([line("unseen, and very long", angle=90, hidden="no_ink"), line("a line")]) == 0
    assert page_turn([]) == 0
