"""Digit strings: how they are counted, compared and marked."""

from collections import Counter

from documents.region_values import TextRange
from documents.text.digit_strings import (
    counted,
    counted_as_read,
    digit_strings,
    marked_text,
    most_said,
    ranges_of,
    without_marked,
)


def test_a_number_is_one_string_whatever_signs_part_its_digits():
    """Readings confuse points with commas; that is no other number."""
    assert counted(["1,234.50 and 1.234,50"]) == {"123450": 2}
    assert [one.value for one in digit_strings("12, 13; 7-26. 9")] == ["12", "13", "7", "26", "9"]


def test_digits_of_other_scripts_are_the_same_digits():
    assert counted(["٣٤ 34"]) == {"34": 2}


def test_spans_of_cells_are_no_digits_of_a_table():
    """A model writes them as markup; nobody prints them."""
    assert counted(['<table><tr><td colspan="2">17</td></tr></table> a <b 5>']) == {"17": 1, "5": 1}


def test_letters_drawn_like_digits_count_beside_a_digit_alone():
    """`OO1` may be 001; the word Oil is no number."""
    assert counted_as_read("OO1 Oil") == {"1": 1, "001": 1}


def test_several_looks_at_one_print_are_not_added():
    """Guards against a number that is proved twice because it was read twice."""
    assert most_said([Counter({"12": 1}), Counter({"12": 1, "7": 1})]) == {"12": 1, "7": 1}


def test_marks_stand_behind_what_is_not_proved():
    text = "12 and 1,300"
    assert ranges_of(text, {"1300": 1}) == (TextRange(start=7, end=12),)
    assert marked_text(text, ranges_of(text, {"12": 1, "1300": 1})) == "12[?] and 1,300[?]"
    assert counted([without_marked("12[?] and 1,300[?], 7")]) == {"7": 1}
