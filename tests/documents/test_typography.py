"""Words of one line as text."""

from __future__ import annotations

from page_making import box, line

from documents.inspection import Word
from documents.typography import links_in, set_words
from documents.values import Link


def word(text, rise=None, spaced=True):
    return Word(text=text, box=box(0, 0, 1, 1), font_size=10, rise=rise, spaced=spaced)


def test_raised_and_lowered_figures_stay_so():
    """Guards against 10^6 read as 106, and a note's mark read as a digit of the number before it."""
    assert (
        set_words([word("10"), word("6", "super", False), word("H"), word("2", "sub", False), word("O", None, False)])
        == "10⁶ H₂O"
    )


def test_a_raised_word_that_no_sign_shows_is_left_as_it_is():
    assert set_words([word("1"), word("st", "super", False)]) == "1st"


def test_words_of_one_link_are_one_on_each_line():
    """Guards against a link a word, and links lost where they run over a line's end."""
    first = [word("See"), word("the").model_copy(update={"link": "u"}), word("ferry").model_copy(update={"link": "u"})]
    second = [word("plan").model_copy(update={"link": "u"}), word("now").model_copy(update={"link": "v"})]
    lines = [line("See the ferry", words=tuple(first)), line("plan now", words=tuple(second))]
    assert links_in(lines) == (Link(text="the ferry", uri="u"), Link(text="plan", uri="u"), Link(text="now", uri="v"))
