"""Lines near a box, by their own places and sizes."""

from __future__ import annotations

from page_making import box, line

from documents.draft.near_lines import NearLines

SMALL = line("small", x=60, y=100, size=5, width=20)
LARGE = line("large", x=60, y=300, size=20, width=20)
PLACES = NearLines([SMALL, LARGE])


def test_a_line_touches_what_its_edges_meet():
    assert PLACES.touching(box(80, 0, 90, 101)) == [SMALL]
    assert PLACES.touching(box(81, 0, 90, 400)) == []


def test_room_is_counted_in_sizes_of_each_line_s_own_type():
    assert PLACES.touching(box(110, 0, 120, 400), 2.0) == [LARGE]
    assert PLACES.touching(box(110, 0, 120, 400), 6.0) == [SMALL, LARGE]


def test_a_line_s_middle_decides_where_a_box_holds_a_part_of_it():
    assert PLACES.with_middle_in(box(69, 0, 71, 400)) == [SMALL, LARGE]
    assert PLACES.with_middle_in(box(72, 0, 90, 400)) == []


def test_a_page_without_lines_has_none_near():
    assert NearLines([]).touching(box(0, 0, 600, 800), 3.0) == []
