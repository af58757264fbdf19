"""Lines of headings: parted from other type in the same region, joined where they are one heading."""

from __future__ import annotations

from page_making import box, inspection, line

from documents.inspection import Word
from documents.structure.heading_lines import OneHeading, TypeChanges, join_headings, part_by_type
from documents.structure.page_draft import PageDraft, Part
from documents.structure.text_source import Layer
from documents.values import BoundingBox, Detection

BODY = "The quays were widened in the year of the flood and have not been touched since then by anyone"


def page_of(*parts):
    lines = [one for _, own in parts for one in own]
    page_inspection = inspection(*lines)
    made = []
    for kind, own in parts:
        around = BoundingBox.around([one.box for one in own])
        made.append(Part.of(Detection(kind=kind, box=around, score=0.8), tuple(own)))
    return PageDraft(inspection=page_inspection, layer=Layer(page_inspection), parts=tuple(made))


def texts(page):
    return [" ".join(one.text for one in part.lines) for part in page.parts]


def parted(*lines, kind="plain text"):
    return texts(part_by_type(page_of((kind, lines)), TypeChanges()))


def joined(*parts):
    return texts(
        join_headings(page_of(*parts, ("plain text", [line(BODY, y=500 + 12 * k) for k in range(9)])), OneHeading())
    )[:-1]


def test_a_bold_line_above_text_of_one_size_is_a_region_of_its_own():
    """Guards against headings without a size of their own that are lost in a paragraph."""
    lines = [line("Our Purpose", bold=True), line(BODY, y=112), line(BODY, y=124)]
    assert parted(*lines) == ["Our Purpose", f"{BODY} {BODY}"]


def test_a_line_in_another_colour_is_one_as_well():
    assert parted(line("Our Purpose", colour=0x2E74B5), line(BODY, y=112)) == ["Our Purpose", BODY]


def linked(one, num_words):
    """The line, its first words a link."""
    words = [word.model_copy(update={"link": "https://example.org"}) for word in one.words[:num_words]]
    return one.model_copy(update={"words": (*words, *one.words[num_words:])})


def test_a_line_that_is_mostly_a_link_stays_in_its_paragraph():
    """Guards against a paragraph in three, because a link in it fills a line in blue."""
    first, last = words_of(f"{BODY}.", 0), words_of(f"{BODY}.", 0, y=124)
    blue = words_of("Federal Information Processing Standard, and more", 0, y=112, colour=0x0000FF)
    assert len(parted(first, blue, last)) == 3
    assert len(parted(first, linked(blue, 4), last)) == 1


def test_a_heading_in_another_colour_is_one_though_links_are_near():
    heading, text = words_of("Our Purpose", 0, colour=0x2E74B5), words_of(f"{BODY}.", 0, y=112)
    assert len(parted(heading, linked(text, 1))) == 2
    assert len(parted(linked(heading, 2), text)) == 2


def test_a_line_of_another_family_is_one_where_its_size_differs_a_little():
    """Guards against `8.1.3 Logging` in slanted Arial glued to the line of a control in Times below it."""
    other = ("ABCDEF+Times New Roman,BoldItalic", "Times New Roman")
    arial = ("Arial,Italic",)
    times = ("TimesNewRomanPS-BoldMT", "Times New Roman")
    for size, family, count in ((10.8, arial, 2), (10.8, times, 1), (10.2, arial, 1), (10.8, (), 1)):
        title = line("8.1.3 Logging", size=size).model_copy(update={"fonts": family})
        assert len(parted(title, line(BODY, y=112).model_copy(update={"fonts": other}))) == count


def test_a_sentence_that_changes_type_on_its_way_stays_whole():
    lines = [line(f"{BODY},", bold=True), line("and so it stays", y=112)]
    assert len(parted(*lines)) == 1


def words_of(text, num_bold, **more):
    """A line whose first words are bold; all of it is where most of it is."""
    parts = text.split()
    one = line(text, bold=2 * num_bold > len(parts), **more)
    wide = one.box.width / len(parts)
    places = [one.box.x0 + wide * k for k in range(len(parts))]
    words = [
        Word(text=part, box=box(x, one.box.y0, x + wide, one.box.y1), font_size=10, bold=k < num_bold)
        for k, (part, x) in enumerate(zip(parts, places, strict=True))
    ]
    return one.model_copy(update={"words": tuple(words)})


def test_a_run_in_heading_that_fills_most_of_its_line_stays_in_its_paragraph():
    """Guards against `Contract Award: The Air` as a heading above `Force CDO`."""
    lines = [words_of("Our Purpose and Aim: The", 4), words_of(BODY, 0, y=112)]
    assert len(parted(*lines)) == 1
    assert len(parted(words_of("Our Purpose and Aim", 4), words_of(BODY, 0, y=112))) == 2


def test_a_run_in_heading_goes_on_in_the_next_line_where_it_had_no_room():
    """Guards against a heading joined to a paragraph that begins in bold type, and one cut in two."""
    full, short = (words_of("Our Purpose and Aim", 4, width=width) for width in (470, 90))
    below = words_of(BODY, 1, y=112)
    assert len(parted(full, below)) == 1
    assert len(parted(short, below)) == 2


def test_an_item_s_lines_stay_together_in_any_colour():
    """Guards against the link in blue below `• Reports on water:` as a paragraph without its item."""
    item = words_of("• Reports on water and snow", 0)
    behind = item.words[1].box.x0
    blue = line("Drought in California", x=behind, y=112, colour=0x0000FF)
    assert len(parted(item, blue)) == 1
    assert len(parted(item, blue.model_copy(update={"box": blue.box.shifted(-9, 0)}))) == 2


def test_two_numbered_titles_found_as_one_are_two():
    lines = [line("1. Tides", size=14), line("1.1 Of the bay", y=116, size=14)]
    assert parted(*lines, kind="title") == ["1. Tides", "1.1 Of the bay"]


def test_a_title_that_had_no_room_left_goes_on_in_the_next_line():
    first = line("A very long title that fills the whole of the column as", size=16, width=440)
    assert joined(("title", [first]), ("title", [line("far as it goes", y=118, size=16)])) == [
        "A very long title that fills the whole of the column as far as it goes"
    ]


def test_two_short_titles_one_below_the_other_stay_two():
    """Guards against a chapter and its first section made one: the first had room for the second's first word."""
    assert len(joined(("title", [line("Tides", size=16)]), ("title", [line("Of the bay", y=118, size=16)]))) == 2


def test_titles_in_other_type_stay_two():
    first = line("A very long title that fills the whole of the column as", size=16, width=440)
    assert len(joined(("title", [first]), ("title", [line("far as it goes", y=118, size=13)]))) == 2


def test_a_title_of_the_right_column_goes_on_with_nothing_of_the_left():
    left = line("The left column ends in a title that has no room", x=60, size=12, width=230)
    right = line("a title of the right one", x=320, y=113, size=12, width=200)
    assert len(joined(("title", [left]), ("title", [right]))) == 2


def test_the_box_of_a_part_is_that_of_its_lines():

    page = part_by_type(page_of(("plain text", [line("Our Purpose", bold=True), line(BODY, y=112)])), TypeChanges())
    assert page.parts[0].detection.box == box(60, 100, 60 + 5 * len("Our Purpose"), 110)
