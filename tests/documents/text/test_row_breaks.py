"""Rows that begin an item or an entry keep their lines; wrapped lines do not."""

from __future__ import annotations

import pytest
from page_making import box

from documents.text.list_markers import Lead
from documents.text.printed_rows import PrintedLine, printed_rows
from documents.text.running_text import running_text

FULL = "the study of Meyer tells, and so do many others that came after it, of"


def row(text, k, x=60.0, pitch=12):
    """A printed line with its first word; each letter is five points wide."""
    first, _, rest = text.partition(" ")
    start, y = x, 100 + pitch * k
    lead = Lead(box(start, y, start + 5 * len(first), y + 10), 5.0 if rest else 0.0)
    return PrintedLine(text, box(x, y, x + 5 * len(text), y + 10), lead=lead)


def read(*rows, pitch=12):
    lines = [
        row(text, k, pitch=pitch) if isinstance(text, str) else row(text[0], k, text[1]) for k, text in enumerate(rows)
    ]
    return running_text(printed_rows(lines), frozenset()).text


WRAPPED = [
    "z. B. Milch oder Kakao",
    "d. h. nicht",
    "i. e. never",
    "E. coli, but not only",
    "J. Smith argued otherwise",
    "p. 12 of the book",
    "S. 45 ff.",
    "24. Dezember beendet",
    "12. The court held",
    "– as it seems – wrongly",
    "e) of the act",
]  # fmt: skip


@pytest.mark.parametrize("wrapped", WRAPPED)
def test_a_full_line_goes_on_whatever_the_next_begins_with(wrapped):
    """Guards against sentences broken into lists where a line begins with an abbreviation, a name or a day."""
    assert read(FULL, wrapped, "and all of it is told.") == f"{FULL} {wrapped} and all of it is told."


@pytest.mark.parametrize("wrapped", WRAPPED)
def test_a_first_line_that_stands_in_makes_no_item_of_the_second(wrapped):
    assert "\n" not in read((FULL, 75.0), (wrapped, 60.0), (FULL, 60.0))


@pytest.mark.parametrize(
    ("rows", "items"),
    [
        ((f"{FULL}", "1. apples", "2. pears"), 2),  # a series
        (("The rules:", "a) no ships"), 1),  # a colon
        (("We ask for", "a) tea that is hot"), 1),  # the line above ends early
        ((FULL, ("b) no ships in the", 80.0), ("harbour", 80.0)), 1),  # it stands in
        ((FULL, "- apples that are", ("ripe", 70.0)), 1),  # its text hangs from its mark
        (("- apples,", "- pears, and", "- plums"), 2),  # bullets that come again
        ((f"i. {FULL}", f"ii. {FULL}", "iii. plums"), 2),
    ],
)
def test_items_are_known_by_series_place_or_the_end_of_the_line_above(rows, items):
    """Guards against lists told as one paragraph once a mark alone says nothing."""
    assert read(*rows).count("\n") == items


@pytest.mark.parametrize(
    "titles",
    [
        ("01 Safety notes 04", "02 Before first use 08", "03 Names of the parts 10", "04 Daily care 36"),
        ("Foreword vii", "Safety notes 4", "Before first use 8", "Daily care 36"),
        ("4 Safety notes", "8 Before first use", "10 Names of the parts"),
        ("04", "08", "10", "36"),
        ("36", "4", "17", "5"),
    ],
)
def test_each_title_with_its_number_has_a_line_of_its_own(titles):
    """Guards against contents in one line, where nobody knows which number is of which title."""
    assert read(*titles).split("\n\n") == list(titles)


def test_titles_that_stand_far_apart_have_a_line_each_and_a_manuscript_is_running_text():
    """Guards against lines that stand equally far apart and end early, told as one sentence; long ones go on."""
    titles = ["Safety notes for all", "Before first use", "Names of the parts, with their drawings", "Daily care"]
    assert read(*titles, pitch=24).split("\n\n") == titles
    short = ["Foreword", "Safety notes", "Before use", "Daily care", "If it fails"]
    assert read(*short, pitch=19).split("\n\n") == short
    assert read("Of the Harbour", "And the Mill", pitch=19) == "Of the Harbour And the Mill"
    assert read(FULL, FULL[2:], FULL, "the end.", pitch=24) == f"{FULL} {FULL[2:]} {FULL} the end."


def test_a_number_at_the_end_of_some_lines_makes_no_entries():
    lines = [f"{FULL} 12", FULL[:60], f"{FULL[:50]} 1950", FULL[:62], f"{FULL[:55]} 4", "the end."]
    assert "\n" not in read(*lines)
