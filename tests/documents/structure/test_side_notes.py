"""Notes in the margin are told from columns, labels and sidebars."""

from __future__ import annotations

import pytest
from page_making import box

from documents.structure.side_notes import MarginCandidate, side_notes

LONG = "The ferry leaves with the tide and comes back at night, as it has done for years. " * 4
NOTE = "So the almanac of that year."


def column(top, bottom, left=60, right=400):
    return MarginCandidate("plain text", box(left, top, right, bottom), LONG, 10.0)


def margin(top, bottom, text=NOTE, size=8.0, *, left=412, italic=False, kind="plain text"):
    return MarginCandidate(kind, box(left, top, left + 100, bottom), text, size, italic)


@pytest.mark.parametrize("note", [margin(212, 236), margin(212, 236, size=10.0, italic=True)])
def test_small_or_slanted_text_beside_a_column_is_a_note_of_its_paragraph(note):
    """Guards against notes read where a column would be, far from what they are about."""
    regions = [column(60, 190), column(200, 330), column(340, 480), note, margin(420, 440)]
    assert side_notes(regions, 10.0) == {3: 1, 4: 2}


def test_notes_on_the_left_are_notes_too():
    """Guards against a rule for right-hand pages only."""
    regions = [column(60, 190, 180, 520), column(200, 330, 180, 520), margin(210, 230, left=60)]
    assert side_notes(regions, 10.0) == {2: 1}


def test_beside_two_columns_the_nearer_has_the_note():
    """Guards against a note placed in a column on the other side of the page."""
    regions = [column(60, 300, 60, 220), column(60, 300, 230, 400), margin(100, 130)]
    regions[2] = regions[2]._replace(box=box(412, 100, 480, 130))
    assert side_notes(regions, 10.0) == {2: 1}


@pytest.mark.parametrize(
    "beside",
    [
        margin(212, 236, size=10.0),  # the body's own type: labels or a column
        margin(60, 330, LONG * 3),  # a sidebar
        margin(212, 236, kind="title"),
        margin(700, 720),  # beside nothing
    ],
)
def test_columns_labels_and_sidebars_are_no_notes(beside):
    """Guards against a narrow column taken apart among the paragraphs of the one beside it."""
    assert side_notes([column(60, 190), column(200, 330), beside], 10.0) == {}


def test_small_blocks_that_follow_closely_are_one_text():
    """Guards against the paragraphs of a sidebar strewn over the page."""
    parts = [margin(60 + 40 * k, 96 + 40 * k, "word " * 25) for k in range(3)]
    assert side_notes([column(60, 190), column(200, 330), *parts], 10.0) == {}


def test_a_page_without_text_has_no_notes():
    assert side_notes([margin(60, 80, kind="figure")], 10.0) == {}
