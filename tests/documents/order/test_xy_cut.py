"""Boxes are read as a person reads them."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from documents.boxes import BoundingBox
from documents.order.xy_cut import reading_order


def box(x0, y0, x1, y1):
    return BoundingBox(x0=x0, y0=y0, x1=x1, y1=y1)


def names(placed):
    """The names of a page's boxes in reading order; the page is listed in every of several orders."""
    box_names = set()
    for seed in range(5):
        listed = list(placed.items())
        random.Random(seed).shuffle(listed)
        box_names.add("".join(listed[i][0] for i in reading_order([b for _, b in listed])))
    assert len(box_names) == 1, box_names
    return box_names.pop()


def test_columns_are_read_one_after_the_other_below_a_title_that_spans_them():
    """Guards against lines that are read across the columns."""
    page = {
        "t": box(60, 60, 550, 80),
        "a": box(60, 100, 296, 300),
        "b": box(60, 312, 296, 700),
        "c": box(316, 100, 552, 310),
        "d": box(316, 322, 552, 700),
    }
    assert names(page) == "tabcd"


def test_a_figure_across_both_columns_parts_the_page():
    """Guards against text above a figure that is read after the text below it."""
    page = {
        "a": box(60, 60, 296, 300),
        "b": box(316, 60, 552, 300),
        "f": box(60, 320, 552, 460),
        "c": box(60, 480, 296, 700),
        "d": box(316, 480, 552, 700),
    }
    assert names(page) == "abfcd"


def test_a_title_that_reaches_over_the_gutter_does_not_mix_columns_with_their_notes():
    """Guards against cutting at the widest gap, far below, which left both notes for the end."""
    page = {
        "t": box(57, 108, 317, 124),
        "a": box(58, 155, 294, 381),
        "m": box(59, 684, 278, 702),
        "b": box(314, 155, 551, 393),
        "n": box(315, 684, 517, 692),
    }
    assert names(page) == "tambn"


def test_a_title_above_what_spans_the_columns_is_read_with_it():
    """Guards against "Abstract" between the authors, where one gutter runs beside both."""
    page = {
        "t": box(110, 65, 500, 85),
        "a": box(70, 100, 150, 138),
        "b": box(240, 100, 330, 138),
        "c": box(410, 100, 500, 138),
        "h": box(280, 155, 320, 166),
        "s": box(100, 172, 495, 240),
    }
    assert names(page) == "tabchs"
    assert names(page | {"h": box(70, 141, 150, 150), "s": box(100, 190, 495, 240)}) == "tahbcs"


def test_labels_in_the_margin_are_read_with_their_paragraphs():
    """Guards against reading a narrow column of questions' marks before all the answers."""
    page = {}
    for k in range(5):
        page["qrstu"[k]] = box(68, 100 + 64 * k, 81, 111 + 64 * k)
        page["abcde"[k]] = box(128, 100 + 64 * k, 526, 149 + 64 * k)
    assert names(page) == "qarbsctdue"


def test_columns_whose_rough_edges_overlap_are_still_columns():
    """Guards against a sidebar being read in the middle of the text beside it."""
    page = {
        "t": box(57, 57, 241, 73),
        "a": box(58, 95, 427, 161),
        "b": box(58, 173, 429, 239),
        "c": box(58, 250, 428, 302),
        "s": box(427, 116, 559, 256),
    }
    assert names(page) == "tabcs"


BOXES = st.lists(
    st.tuples(st.integers(0, 600), st.integers(0, 800), st.integers(0, 300), st.integers(0, 200)), max_size=25
).map(lambda rows: [box(x, y, x + w, y + h) for x, y, w, h in rows])


@settings(max_examples=150, deadline=None)
@given(BOXES, st.randoms())
def test_the_order_is_a_permutation_and_does_not_depend_on_how_boxes_are_listed(boxes, chance):
    """Guards against lost or doubled regions, and against results that follow the drawing order."""
    order = reading_order(boxes)
    assert sorted(order) == list(range(len(boxes)))
    shuffled = list(boxes)
    chance.shuffle(shuffled)
    assert [boxes[i] for i in order] == [shuffled[i] for i in reading_order(shuffled)]


@settings(max_examples=50, deadline=None)
@given(BOXES, st.integers(-300, 300), st.integers(-300, 300))
def test_shifting_a_page_keeps_its_order(boxes, x, y):
    """Guards against an order that depends on where on the sheet the text stands."""
    moved = [b.shifted(x, y) for b in boxes]
    assert [boxes[i] for i in reading_order(boxes)] == [
        b.shifted(-x, -y) for b in (moved[i] for i in reading_order(moved))
    ]


def test_a_thousand_boxes_are_ordered():
    """Guards against recursion that grows with the number of boxes."""
    column = [box(60, 12.0 * k, 500, 12.0 * k + 10) for k in range(1000)]
    assert reading_order(column) == list(range(1000))


def test_bands_of_columns_with_a_narrow_gutter_stay_together():
    """Guards against columns read by halves where a blank happens to run through both."""
    page = {
        "a": box(96, 117, 309, 161),
        "b": box(96, 173, 257, 183),
        "c": box(96, 196, 334, 221),
        "d": box(338, 117, 563, 172),
        "e": box(338, 185, 564, 220),
        "f": box(96, 230, 388, 241),
    }
    assert names(page) == "abcdef"
