"""Every character of a block but spaces stands in one printed line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_making import box, page, region

from documents.exports.printed_places import printed
from documents.exports.text_blocks import blocks
from documents.region_values import Span
from documents.values import Document

BOXES = [box(60, 100 + 12 * k, 300, 110 + 12 * k) for k in range(3)]


def lines_of(*regions):
    """Page, box and text of the lines of the only block."""
    pages = tuple(page(one, number=number) for number, one in enumerate(regions, 1))
    (block,) = blocks(Document(id="id", revision=1, pages=pages))
    return [(one.page, one.box, block.text[one.start : one.end]) for one in printed(block)]


def spans(*lines, places=None):
    made = [Span(text=text, box=where, source="text_layer") for text, where in zip(lines, BOXES, strict=False)]
    return {"spans": tuple(made if places is None else [one.placed(*at) for one, at in zip(made, places, strict=True)])}


def test_recorded_places_are_taken_as_they_are():
    """Guards against a guess where the truth is known: the stop belongs to the line that prints it."""
    one = region("old harbour . wall").model_copy(update=spans("old har-", "bour . wall", places=[(0, 7), (7, 18)]))
    assert lines_of(one) == [(1, BOXES[0], "old har"), (1, BOXES[1], "bour . wall")]


def test_lines_without_places_are_counted_off_over_the_end_of_a_page():
    """Guards against pages of an earlier version that are cited with whole regions."""
    first = region("lies in the old har-").model_copy(update=spans("lies in", "the old har-"))
    second = region("bour wall.", continues=True).model_copy(update=spans("bour", "wall."))
    assert lines_of(first, second) == [
        (1, BOXES[0], "lies in"),
        (1, BOXES[1], "the old har"),
        (2, BOXES[0], "bour"),
        (2, BOXES[1], "wall."),
    ]


def test_where_lines_do_not_tell_their_text_each_line_of_it_has_the_region_s_box():
    """Guards against text without a citation, such as a formula that a model wrote."""
    one = region("read at\nonce").model_copy(update=spans("something else"))
    assert lines_of(one) == [(1, one.box, "read at"), (1, one.box, "once")]


@pytest.mark.parametrize("places", [[(0, 0), (0, 0)], [(5, 5), (9, 9)]])
def test_a_text_of_which_no_line_has_a_part_has_the_region_s_box(places):
    """Guards against text that is in Markdown and not in search: its lines stood nowhere in it."""
    one = region("read at once").model_copy(update=spans("a", "b", places=places))
    assert lines_of(one) == [(1, one.box, "read at once")]


def test_what_stands_before_the_first_line_of_a_part_has_the_region_s_box():
    one = region("Note: old harbour").model_copy(update=spans("old harbour", places=[(6, 17)]))
    assert lines_of(one) == [(1, one.box, "Note:"), (1, BOXES[0], "old harbour")]
    second = region("bour wall.", continues=True).model_copy(update=spans("wall.", places=[(5, 10)]))
    first = region("the old har-").model_copy(update=spans("the old har-", places=[(0, 12)]))
    assert lines_of(first, second) == [
        (1, BOXES[0], "the old har"),
        (2, second.box, "bour"),
        (2, BOXES[0], "wall."),
    ]


@given(
    st.lists(st.tuples(st.sampled_from(["a b", "cd-", " ", "e"]), st.lists(st.integers(0, 4), max_size=4)), min_size=1)
)
def test_every_character_but_spaces_stands_in_one_line_whatever_places_are_recorded(parts):
    """Guards against the rest of a text that is lost where a stored page has odd places."""
    regions = [
        region(text, continues=k > 0).model_copy(
            update=spans(*"xyz"[: len(at) // 2], places=[tuple(at[j : j + 2]) for j in range(0, len(at) // 2 * 2, 2)])
        )
        for k, (text, at) in enumerate(parts)
    ]
    pages = tuple(page(one, number=number) for number, one in enumerate(regions, 1))
    for block in blocks(Document(id="id", revision=1, pages=pages)):
        lines = printed(block)
        assert "".join("".join(block.text[one.start : one.end].split()) for one in lines) == "".join(block.text.split())
        assert [one.start for one in lines] == sorted(one.start for one in lines)


def test_a_line_of_which_nothing_is_left_is_no_line():
    """Guards against empty citations."""
    one = region("text").model_copy(update=spans("\x07", "text", places=[(0, 0), (0, 4)]))
    assert lines_of(one) == [(1, BOXES[1], "text")]
