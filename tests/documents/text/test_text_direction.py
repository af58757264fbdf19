"""Signs and words in reading order."""

from __future__ import annotations

import pytest
from page_making import box

from documents.inspection import Word
from documents.text.text_direction import from_the_right, readable, runs_backwards, splits_operator, turns


def char(sign, x0, x1):
    return {"c": sign, "bbox": (x0, 0, x1, 10)}


def word(text, x0, x1):
    return Word(text=text, box=box(x0, 0, x1, 10), font_size=10)


def text_of(chars):
    return "".join(one["c"] for one in readable(chars))


def test_a_ligature_of_lam_and_alef_is_read_lam_first():
    """Guards against the order in which MuPDF tells the parts of one glyph."""
    whole = [char("ك", 50, 55), char("ا", 50, 52.5), char("ل", 43, 50), char("ت", 35, 43)]
    assert text_of(whole) == "كلات"
    assert text_of([char("خ", 59, 66), char("ا", 59, 59), char("ل", 51, 59), char("ل", 45, 51)]) == "خلال"


def test_alef_before_lam_with_a_place_of_its_own_stays():
    assert text_of([char(" ", 50, 53), char("ا", 47, 50), char("ل", 44, 47)]) == " ال"


def test_glyphs_beside_a_text_given_for_all_of_them_say_nothing():
    chars = [char("\ufffd", 10, 20), char("ح", 20, 30), char("ب", 30, 30), char("ي", 30, 30)]
    assert text_of(chars) == "حبي"
    assert text_of([char("\ufffd", 10, 20), char("a", 20, 30)]) == "\ufffda"


def test_words_are_read_from_the_right_and_latin_ones_among_them_from_the_left():
    words = [word("York", 60, 80), word("في", 90, 100), word("New", 35, 55), word("مدينة", 10, 30)]
    result = from_the_right(words)
    assert [one.text for one in result] == ["في", "New", "York", "مدينة"]
    assert [one.spaced for one in result] == [False, True, True, True]


def test_a_line_is_backward_if_most_of_its_letters_are():
    assert runs_backwards("لغة R")
    assert not runs_backwards("the word لغة")
    assert turns("R", "ل")
    assert not turns("R", "1")


def test_room_around_an_operator_is_a_blank():
    assert splits_operator(char("∈", 0, 6), char("N", 8.5, 15), 10)
    assert not splits_operator(char("∈", 0, 6), char("N", 6.5, 15), 10)
    assert not splits_operator(char("a", 0, 6), char("b", 8.5, 15), 10)


def row(*pieces):
    """Words of one line, drawn from left to right: text, and the gap before it in points."""
    words, x = [], 60.0
    for text, gap in pieces:
        x += gap
        words.append(Word(text=text, box=box(x, 100, x + 5 * len(text), 110), font_size=10))
        x += 5 * len(text)
    return words


@pytest.mark.parametrize(
    ("pieces", "read"),
    [
        ((("(", 0), ("78", 0), (")", 0), ("נמל", 20)), "נמל (78)"),
        ((("נמל", 0), ("(", 20), ("78", 0), (")", 0)), "(78) נמל"),
        ((("נמל", 0), ("(", 20), ("78)", 0)), "(78) נמל"),
        ((("[", 0), ("1,234", 0), ("]", 0), ("נמל", 20)), "נמל [1,234]"),
        ((("גד", 0), ("(", 20), ("אב", 0), (")", 0), ("נמל", 20)), "נמל (אב) גד"),
        ((("(", 0), ("78", 0), ("אב", 20), (")", 0), ("נמל", 20)), "נמל (אב 78)"),
        ((("גד", 0), (")אב(", 20), ("נמל", 20)), "נמל (אב) גד"),
        ((("גד", 0), ("(אב)", 20), ("נמל", 20)), "נמל (אב) גד"),
    ],
)
def test_brackets_go_with_what_they_hold(pieces, read):
    """A number in brackets came out as `)78(` where each bracket is a line of its own."""
    ordered = from_the_right(row(*pieces))
    assert "".join(" " * word.spaced + word.text for word in ordered) == read
