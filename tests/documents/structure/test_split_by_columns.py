"""Columns that one box holds are parted; what interleaves is one."""

from __future__ import annotations

from page_making import detection_of, line

from documents.structure.split_by_columns import merge_interleaved, split_columns

LEFT = [line("words of the left column", x=60, y=100 + 12 * k, width=230) for k in range(4)]
RIGHT = [line("words of the right column", x=310, y=100 + 12 * k, width=230) for k in range(4)]


def test_two_columns_in_one_box_are_two_regions():
    """Guards against lines read across the gutter."""
    region = (
        detection_of("plain text", 60, 100, 540, 148),
        [one for pair in zip(LEFT, RIGHT, strict=True) for one in pair],
    )
    assert [lines for _, lines in split_columns(region)] == [LEFT, RIGHT]


def test_a_list_with_its_bullets_stays_whole():
    """Guards against bullets that are taken for a column of their own."""
    lines = [line("•", x=60, y=100 + 12 * k, width=5) for k in range(3)]
    lines += [line("an item of the list", x=80, y=100 + 12 * k, width=200) for k in range(3)]
    region = (detection_of("plain text", 60, 100, 280, 148), lines)
    assert split_columns(region) == [region]


def test_a_table_is_never_parted():
    """Guards against columns of a table that are read as columns of the page."""
    region = (detection_of("table", 60, 100, 540, 148), [*LEFT, *RIGHT])
    assert split_columns(region) == [region]


def test_a_piece_within_a_paragraph_goes_up_in_it():
    """Guards against lines in the middle of a paragraph that are read after it."""
    outer = (detection_of("plain text", 60, 100, 290, 148), [LEFT[0], LEFT[3]])
    inner = (detection_of("figure_caption", 60, 112, 290, 136), [LEFT[1], LEFT[2]])
    ((detection, lines),) = merge_interleaved([inner, outer])
    assert detection.kind == "plain text"
    assert len(lines) == 4


def test_an_author_below_a_title_is_no_part_of_it():
    """Guards against headings that go on with the names and dates below them."""
    title, more = line("Of Tides and Men", size=22, y=60), line("in the North", size=22, y=84)
    author = line("By Anna Lund", size=10, y=110)
    (head, words), (below, named) = split_columns((detection_of("title", 60, 60, 400, 122), [author, more, title]))
    assert (head.kind, words) == ("title", [more, title])
    assert (below.kind, named) == ("plain text", [author])


def test_a_chapters_number_above_its_title_and_a_mark_beside_it_stay_with_it():
    """Guards against half a heading."""
    for lines in (
        [line("Chapter 3", size=12, y=60), line("Of Tides and Men", size=22, y=76)],
        [line("Of Tides and Men", size=22, y=60), line("1", x=300, size=8, y=60)],
        [line("Of Tides and Men", size=14, y=60), line("A Study", size=11, y=76)],
    ):
        assert len(split_columns((detection_of("title", 60, 60, 400, 122), lines))) == 1
