"""Levels of list items: by indent, by marks, over columns and pages."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from page_making import box, page, region

from documents.document.nesting import with_levels
from documents.text.list_markers import list_items


def listed(*marks, x=60.0, y=100.0, column=(60, 500), **more):
    """A text region with an item a line; each mark has how far it stands in."""
    lines = [f"{mark} item" for mark, _ in marks]
    (*items,) = list_items(((line, None) for line in lines), box(0, 0, 1, 1))
    placed = tuple(
        item.model_copy(update={"box": box(x + by, y + 12 * k, x + by + 4 * len(mark), y + 12 * k + 10)})
        for k, (item, (mark, by)) in enumerate(zip(items, marks, strict=True))
    )
    corners = (column[0], y, column[1], y + 12 * len(marks))
    return region("\n".join(lines), corners=corners, items=placed, **more)


def levels(*pages):
    return [
        [(item.marker, item.level) for region in one.regions for item in region.items] for one in with_levels(pages)
    ]


def test_items_that_stand_further_in_are_of_a_lower_level():
    """Guards against lists in lists that come out flat."""
    nested = listed(("•", 0), ("–", 18), ("–", 18), ("▪", 36), ("•", 0))
    assert levels(page(nested)) == [[("•", 1), ("–", 2), ("–", 2), ("▪", 3), ("•", 1)]]


def test_the_same_indent_with_other_marks_is_a_list_in_the_list():
    """Guards against a. and b. that count on from 1. because the page sets them in no further."""
    flat = listed(("1.", 0), ("a)", 0), ("b)", 0), ("2.", 0), ("a)", 0), ("b)", 0))
    assert [level for _, level in levels(page(flat))[0]] == [1, 2, 2, 1, 2, 2]


def test_numbers_set_to_the_right_are_of_one_level():
    """Guards against 10. as the outer list of 9."""
    assert levels(page(listed(("8.", 4), ("9.", 4), ("10.", 0)))) == [[("8.", 1), ("9.", 1), ("10.", 1)]]


def test_a_letter_follows_its_alphabet_before_it_is_roman():
    """Guards against i) that begins a list in the list after h)."""
    marks = [(f"{sign})", 0) for sign in "fghij"]
    assert {level for _, level in levels(page(listed(*marks)))[0]} == {1}


def test_a_list_goes_on_in_the_next_column_and_on_the_next_page():
    """Guards against levels that follow the place of a column on the sheet."""
    first = listed(("1.", 0), ("a)", 18), ("b)", 18), column=(60, 290))
    second = listed(("c)", 18), ("2.", 0), x=316, column=(316, 550))
    third = listed(("a)", 18), ("b)", 18), ("3.", 0), x=316, column=(316, 550))
    assert [[level for _, level in one] for one in levels(page(first, second), page(third, number=2))] == [
        [1, 2, 2, 2, 1],
        [2, 2, 1],
    ]


def test_text_at_the_margin_ends_a_list_and_text_further_in_does_not():
    """Guards against items of one list under those of another, and items that lose the one they are under."""
    inner = listed(("–", 18), ("–", 18), y=200)
    between = region("A paragraph of its own.", corners=(60, 150, 500, 190))
    assert levels(page(listed(("•", 0)), between, inner))[0] == [("•", 1), ("–", 1), ("–", 1)]
    under = region("More of the item.", corners=(78, 150, 500, 190))
    assert levels(page(listed(("•", 0)), under, inner))[0] == [("•", 1), ("–", 2), ("–", 2)]


def test_a_mark_alone_that_may_be_anything_is_none():
    """Guards against lists made of initials, of lines that begin with the end of a year, and of dashes."""
    assert levels(page(listed(("A.", 0)))) == [[]]
    assert levels(page(listed(("a.", 0)))) == [[("a.", 1)]]  # no initial
    assert levels(page(listed(("2.", 0), ("a)", 18)))) == [[("2.", 1), ("a)", 2)]]
    assert levels(page(listed(("7.", 0)))) == [[("7.", 1)]]
    for text, marks in (("Text\n541. more", []), ("Text\n- more", []), ("Text\n1. more", ["1."]), ("Text\n• x", ["•"])):
        assert [marker for marker, _ in levels(page(region(text)))[0]] == marks


def test_notes_hold_no_lists():
    """Guards against the number of a note as an item."""
    assert levels(page(listed(("3.", 0), ("4.", 0), note="foot"))) == [[]]


MARKS = st.lists(st.tuples(st.sampled_from(["•", "▪", "1.", "(1)"]), st.integers(0, 60)), max_size=12)


@given(MARKS, st.integers(-50, 50))
def test_levels_rise_by_one_at_most_and_do_not_depend_on_the_margin(marks, by):
    """Guards against items under nothing, and against levels that change where a page is shifted."""
    list_levels = [level for _, level in levels(page(listed(*marks)))[0]]
    assert all(1 <= after <= before + 1 for before, after in pairwise([0, *list_levels]))
    moved = listed(*marks, x=60.0 + by, column=(60 + by, 500 + by))
    assert [level for _, level in levels(page(moved))[0]] == list_levels
