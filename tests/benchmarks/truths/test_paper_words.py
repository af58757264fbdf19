"""Words against a truth: what is right, misread and invented. The counts are worked out by hand."""

from __future__ import annotations

import pytest

from benchmarks.truths.paper_words import WordScore, score, total, words_of


def test_words_are_runs_of_letters_and_digits_whatever_their_case_and_form() -> None:
    assert words_of("Straße_No. 12.50 -- ﬁne\nÉTÉ") == ["strasse", "no", "12", "50", "fine", "été"]


def test_a_word_read_twice_is_right_once() -> None:
    result = score("to be or not to be", "be be be to")
    assert (result.num_true, result.num_read, result.num_right) == (6, 4, 3)


def test_the_order_of_words_does_not_matter() -> None:
    assert score("one two three", "three one two").f1 == 1.0


def test_a_word_like_one_that_is_missing_is_misread_and_any_other_is_invented() -> None:
    result = score("invoice total", "lnvoice total wstown")
    assert (result.num_right, result.num_invented) == (1, 1)


def test_a_missing_word_excuses_one_misreading_only() -> None:
    assert score("the consequence", "the conseguence consequenco").num_invented == 1


def test_a_page_without_words_of_which_none_are_read_is_perfect() -> None:
    assert score("", " - . -").figures() == {
        "precision": 1.0,
        "recall": 1.0,
        "f1": 1.0,
        "invented_per_page": 0.0,
        "wrong_per_page": 0.0,
    }


def test_all_pages_are_scored_as_one_text() -> None:
    whole = total(
        [WordScore(num_true=10, num_read=10, num_right=10), WordScore(num_true=30, num_read=10, num_invented=5)]
    )
    assert (whole.recall, whole.precision) == (0.25, 0.5)
    assert whole.figures()["invented_per_page"] == pytest.approx(2.5)
