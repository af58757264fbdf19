"""Every character of a block but spaces stands in one printed line."""

from __future__ import annotations

from page_making import box, page, region

from documents.exports.flow import blocks
from documents.exports.printed import printed
from documents.values import Document, Span

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


def test_a_line_of_which_nothing_is_left_is_no_line():
    """Guards against empty citations."""
    one = region("text").model_copy(update=spans("\x07", "text", places=[(0, 0), (0, 4)]))
    assert lines_of(one) == [(1, BOXES[1], "text")]
