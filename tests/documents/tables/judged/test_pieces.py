from __future__ import annotations

from dataclasses import replace

import numpy as np

from documents.tables.judged.pieces import pieces_of, printed_lines
from tests.documents.tables.judged.table_making import region


def test_words_a_space_apart_are_one_piece_and_columns_are_not() -> None:
    pieces = pieces_of(region([[(0, "net sales"), (80, "of the year")]]))
    assert pieces.texts == ("net sales", "of the year")


def test_two_numbers_a_space_apart_are_two_pieces() -> None:
    assert pieces_of(region([[(0, "1,204 1,377")]])).texts == ("1,204", "1,377")


def test_what_an_upright_rule_parts_is_no_piece() -> None:
    words = region([[(0, "ab cd")]])
    ruled = replace(words, rules=np.array([[11.2, -5, 11.3, 20]], np.float32))
    assert pieces_of(words).texts == ("ab cd",)
    assert pieces_of(ruled).texts == ("ab", "cd")


def test_a_sign_of_a_currency_is_one_piece_with_its_number_however_far() -> None:
    """Guards against signs at the left edge of a column, which stand nearer to the number of the column before it."""
    rows = [[(0, "rent"), (60, "1,204"), (90, "$"), (140, "377")], [(0, "heat"), (65, "811"), (90, "$"), (145, "(9)")]]
    assert pieces_of(region(rows)).texts == ("rent", "1,204", "$377", "heat", "811", "$(9)")


def test_a_sign_of_a_currency_that_ends_lines_stands_behind_its_numbers() -> None:
    words = region([[(0, "1,204 €"), (60, "377 €")], [(0, "due"), (60, "in May")]])
    assert pieces_of(words).texts[:3] == ("1,204", "€", "377 €")


def test_a_sign_of_a_currency_in_a_text_is_of_that_text() -> None:
    """Guards against heads such as `Sales in $`, whose sign would take the year over the next column."""
    rows = [[(0, "Sales in $"), (80, "2019")], [(0, "sold by weight"), (80, "12")], [(0, "sold by piece"), (80, "9")]]
    assert pieces_of(region(rows)).texts[:2] == ("Sales in $", "2019")


def test_a_sign_of_a_currency_does_not_reach_over_a_rule() -> None:
    row = [[(0, "$"), (60, "377")], [(0, "a"), (60, "b")]]
    assert pieces_of(region(row)).texts[0] == "$377"
    assert pieces_of(region(row, rules=[[40, -5, 40.2, 30]])).texts[:2] == ("$", "377")


def test_bold_and_plain_words_are_two_pieces() -> None:
    words = region([[(0, "ab cd")]])
    assert pieces_of(replace(words, bold=np.array([1, 0], np.float32))).texts == ("ab", "cd")


def test_dots_that_lead_to_a_value_are_a_piece_of_their_own() -> None:
    assert pieces_of(region([[(0, "Rent ........ due")]])).texts == ("Rent", "........", "due")


def test_every_word_is_in_one_piece() -> None:
    words = region([[(0, "a b"), (60, "1 2")], [(0, "c"), (60, "3")]])
    members = sorted(index for piece in pieces_of(words).words for index in piece)
    assert members == list(range(len(words.texts)))


def test_a_raised_word_stays_in_its_line() -> None:
    box = np.array([[0, 0, 20, 10], [20, -2, 24, 5], [0, 12, 20, 22]], np.float32)
    assert printed_lines(box) == [[0, 1], [2]]


def test_words_are_apart_where_other_lines_have_a_gap_at_the_same_place() -> None:
    rows = [[(0, "12345"), (28, "ABC")], [(0, "98765"), (28, "DEF")], [(0, "45678"), (28, "GHI")]]
    assert pieces_of(region(rows)).texts == ("12345", "ABC", "98765", "DEF", "45678", "GHI")
    over = [[(0, "12345"), (28, "ABC")], [(0, "longer-than-that")], [(0, "and-as-long-too")]]
    assert pieces_of(region(over)).texts[0] == "12345ABC"
