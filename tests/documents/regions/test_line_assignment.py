"""Every line finds its place."""

from __future__ import annotations

import numpy as np
from page_making import detection_of, line

from documents.regions.line_assignment import assign_lines, group_ink, group_lines


def test_a_line_goes_where_most_of_it_lies_and_then_to_the_smaller_region():
    """Guards against a heading that goes up in the column around it."""
    whole, title = detection_of("plain text", 50, 90, 400, 300), detection_of("title", 50, 90, 400, 120)
    head, body, outside = line("Head", y=100), line("Body", y=200), line("Outside", y=500)
    held, orphans = assign_lines([head, body, outside], [whole, title])
    assert held == [[body], [head]]
    assert orphans == [outside]


def test_lines_left_over_become_paragraphs():
    """Guards against text outside all regions that comes out line by line."""
    first = [line("one", y=100, width=200), line("two", y=112, width=180)]
    second = [line("far away", y=300)]
    groups = group_lines([first[0], second[0], first[1]])
    assert sorted(sorted(one.text for one in group) for group in groups) == [["far away"], ["one", "two"]]


def test_a_line_that_comes_late_joins_its_paragraph():
    """Guards against a page that fails because the first line of a long paragraph was drawn last."""
    rows = [line(f"line {n}", y=100 + 12 * n, width=200) for n in range(6)]
    (group,) = group_lines([*rows[1:], rows[0]])
    assert sorted(one.text for one in group) == sorted(one.text for one in rows)


def test_patches_of_ink_are_boxes_and_specks_are_not():
    """Guards against dust of a scan that is sent to OCR."""
    ink = np.zeros((100, 100), bool)
    ink[10:13, 10:40] = ink[15:18, 10:30] = True
    ink[80, 80] = True
    (patch,) = group_ink(ink, 4.0)
    assert (patch.x0, patch.y0, patch.x1, patch.y1) == (40, 40, 160, 72)


def test_bullets_go_to_their_lines():
    """Guards against lists whose bullets come out as paragraphs of their own, before all items."""
    item = line("Accessibility: writers need no press.", x=108, y=100)
    bullet = line("•", x=90, y=100, width=5)
    assert group_lines([bullet, item]) == [[item, bullet]]
