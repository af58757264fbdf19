"""Each printed line is known again in the text that was made of it."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_making import box

from documents.text.placed_text import Mark, Place, PlacedText, aligned, concatenated
from documents.text.printed_rows import PrintedLine, printed_rows
from documents.text.program_text import program_text
from documents.text.running_text import normal, rows_as_lines, running_text

PATTERNS = [re.compile(pattern) for pattern in ("a", "b+", " {2,}", "[ab]b", "a*", r"\bb", "(?<=a)b(?=a)")]
WORDS = st.one_of(
    st.sampled_from(
        ["conti-", "nent", "self-", "made", "light- and heavy-", "soft\u00ad", "ware", "ﬁnd", "e\u0301te\u0301"]
    ),
    st.sampled_from(["• item", "1. item", "港务", "长。", "(שלום", ")עולם", "........", "12", "\x07", "- ", "end."]),
    st.text(max_size=8),
)
TEXTS = st.lists(WORDS, max_size=5).map(" ".join)


def letters(text):
    """Letters and digits, marks and compatibility forms aside."""
    return [character for character in unicodedata.normalize("NFKD", text) if character.isalnum()]


@given(st.text("ab ", max_size=30), st.sampled_from(PATTERNS), st.sampled_from(["", "x", "longer"]))
def test_a_text_is_edited_as_the_standard_library_does_it(text, pattern, replacement):
    placed = PlacedText(text, (Place(0, 0, len(text)),))
    assert placed.replaced(pattern, replacement).text == pattern.sub(replacement, text)


@given(st.lists(st.text("ab -", max_size=8), max_size=6), st.sampled_from([" ", "-", "- ?", " +"]))
def test_a_place_keeps_its_letters_when_others_are_removed_around_and_within_it(lines, pattern):
    """The oracle is the line alone, without what was removed."""
    placed = concatenated([PlacedText(line, (Place(k, 0, len(line)),)) for k, line in enumerate(lines)], " ")
    edited = placed.replaced(re.compile(pattern), "").stripped()
    assert [place.line for place in edited.places] == list(range(len(lines)))
    for place, line in zip(edited.places, lines, strict=True):
        assert letters(edited.text[place.start : place.end]) == letters(line)


@given(st.lists(TEXTS, max_size=8), st.sampled_from([running_text, rows_as_lines, program_text]), st.data())
def test_every_printed_line_is_found_in_the_running_text_letter_by_letter(texts, way, data):
    """The oracle is the printed line: whatever joins, breaks and brackets became, its letters stand in its place."""
    tops = [data.draw(st.sampled_from([12, 12, 12, 0, 40])) for _ in texts]
    lines = [
        PrintedLine(
            text, box(60 + 200 * (not top), 100 + sum(tops[: k + 1]), 250 + 200 * (not top), 110 + sum(tops[: k + 1]))
        )
        for k, (text, top) in enumerate(zip(texts, tops, strict=True))
    ]
    rows = printed_rows(lines)
    text, _, places = way(rows, frozenset()) if way is running_text else way(rows)
    assert sorted(place.line for place in places) == list(range(len(lines)))
    for place in places:
        assert letters(text[place.start : place.end]) == letters(texts[place.line])
    assert all(before.end <= after.start for before, after in pairwise(places))
    covered = {at for place in places for at in range(place.start, place.end)}
    assert all(not c.isalnum() for at, c in enumerate(text) if at not in covered)


def test_a_broken_word_stands_where_its_parts_are_printed():
    """Guards against a citation of one line for a word of two."""
    lines = [PrintedLine("the old har-", box(60, 100, 120, 110)), PrintedLine("bour wall", box(60, 112, 105, 122))]
    text, _, places = running_text(printed_rows(lines), frozenset())
    assert text == "the old harbour wall"
    assert [text[place.start : place.end] for place in places] == ["the old har", "bour wall"]


@pytest.mark.parametrize(
    ("lines", "text", "places"),
    [
        (["the old har-", "bour wall."], "the old harbour wall.", ["the old har", "bour wall."]),
        (["a “word”", "(more) of it"], "a “word” (more) of it", ["a “word”", "(more) of it"]),
        (["one", "***", "two"], "one\n\n***\n\ntwo", ["one", "***", "two"]),
        (["ﬁrst", "last"], "first last", ["first", "last"]),
        (["unlike"], "something else", []),
        ([], "nothing printed", []),
    ],
)
def test_lines_of_pages_that_kept_no_places_are_counted_off(lines, text, places):
    """Guards against citations of a whole region for documents that were stored before places were."""
    assert [text[place.start : place.end] for place in aligned(lines, text)] == places


@given(st.lists(TEXTS.map(normal), max_size=8))
def test_counting_off_lines_that_are_set_below_one_another_is_exact(lines):
    text = "\n".join(lines)
    places = aligned(lines, text)
    assert [text[place.start : place.end].split() for place in places] == (
        [line.split() for line in lines] if places else []
    )
    assert bool(places) == bool(text.split())


@pytest.mark.parametrize(
    ("ends", "links"),
    [
        (((4, 9), (10, 14)), ["ferry plan"]),
        (((4, 9), (9, 14)), ["ferry plan"]),
        (((0, 3), (4, 9)), ["The ferry"]),
        (((0, 3), (10, 14)), ["The", "plan"]),
    ],
)
def test_a_link_that_runs_over_a_lines_end_is_one(ends, links):
    """Guards against half an address each: the file links the words of each line by themselves."""
    places = tuple(Place(number, start, end, Mark("https://a.example/")) for number, (start, end) in enumerate(ends))
    assert [link.text for link in PlacedText("The ferry plan", places).links] == links
    other = (*places[:1], places[1]._replace(mark=Mark("https://b.example/")))
    assert len(PlacedText("The ferry plan", other).links) == 2
