"""Running heads and feet are known by where they stand and by coming back."""

from __future__ import annotations

import numpy as np
import pytest

from documents.boxes import BoundingBox
from documents.inspection import InkGrid, Inspection, TextLine
from training.structure.tagged.furniture import furniture_role, recurrence, recurrences


def line(text, y, angle=0):
    return TextLine(text=text, box=BoundingBox(x0=60, y0=y, x1=200, y1=y + 10), font_size=9, angle=angle)


def page(number, *lines):
    ink = InkGrid.of(np.zeros((1, 1), bool), 4.0)
    return Inspection(number=number, width=600, height=800, lines=lines, ink=ink)


def test_a_line_comes_back_whatever_number_it_has_and_only_at_its_height():
    pages = [page(k, line(f"Minutes of {k} May", 770), line("Agenda", 60 + 40 * k)) for k in range(1, 4)]
    assert recurrences(pages) == {recurrence(line("Minutes of 9 May", 770))}
    assert recurrences(pages[:2]) == frozenset(), "two pages are not enough"


@pytest.mark.parametrize(
    ("text", "y", "role"),
    [
        ("Annual report", 30, "page_header"),
        ("Annual report", 770, "page_footer"),
        ("Annual report", 400, None),
        ("12", 770, "page_number"),
        ("- xii -", 30, "page_number"),
        ("Seite 3 von 10", 770, "page_number"),
        ("3 boats", 770, "page_footer"),
    ],
)
def test_the_place_and_the_number_say_what_furniture_it_is(text, y, role):
    assert furniture_role(line(text, y), page(1)) == role


def test_what_is_set_sideways_is_no_running_head():
    assert furniture_role(line("Annual report", 30, angle=90), page(1)) is None
