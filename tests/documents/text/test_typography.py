"""Words of one line as text."""

from __future__ import annotations

import pytest
from page_making import box

from documents.inspection import Word
from documents.text.placed_text import STRIKE_MARK, Mark
from documents.text.typography import level_text, marks_of, placed_text, risen, script, set_words


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


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ([word("up"), word("to"), word("1", "super"), word("⁄4", None, False), word("inch")], "up to 1/4 inch"),
        ([word("3", "super"), word("⁄", None, False), word("8", "sub", False)], "3/8"),
        ([word("length"), word("1", "super"), word("/n", None, False)], "length 1/n"),
        ([word("m"), word("2", "super", False), word("/s", None, False)], "m²/s"),
    ],
)
def test_small_figures_over_a_slash_are_a_fraction(words, text):
    """Guards against fractions that no search finds, and powers that lose their place."""
    assert set_words(words) == text
    scripts = [text[one.start : one.end] for one in placed_text(words).scripts]
    assert scripts == (["²"] if "²" in text else [])


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ([("10", None), ("−", "super"), ("3", "super")], "10⁻³"),
        ([("x", None), ("i", "sub"), ("+1", "sub")], "x_(i+1)"),
        ([("e", None), ("−", "super"), ("kt", "super")], "e^(−kt)"),
        ([("λ", None), ("g", "sub")], "λg"),
        ([("x", None), ("2", "super"), ("i", "sub"), ("+1", "sub")], "x²_(i+1)"),
        ([("4", None), ("th", "super")], "4th"),
    ],
)
def test_parts_of_one_index_in_several_types_are_one(parts, text):
    """Guards against `e⁻kt` and `xi₊₁`: each part was written by itself."""
    words = [word(part, rise, spaced=not k) for k, (part, rise) in enumerate(parts)]
    assert set_words(words) == text
    scripts = placed_text(words).scripts
    expected = [(rise, "".join(part for part, own in parts if own == rise)) for rise in dict(parts).values() if rise]
    plain = [(script.rise, level_text(text[script.start : script.end]).replace("-", "−")) for script in scripts]
    assert plain == list(dict.fromkeys(expected))


@pytest.mark.parametrize("text", ["2k", "g", "max", "-3", "i+1", "12", "a,b"])
@pytest.mark.parametrize("rise", ["super", "sub"])
def test_raised_and_lowered_text_can_be_read_level(text, rise):
    assert level_text(risen(text, rise)) == level_text(script(text, rise)) == text


def test_words_of_one_link_are_one_on_each_line():
    """Guards against a link a word, and links lost where they run over a line's end."""
    first = [word("See"), word("the").model_copy(update={"link": "u"}), word("ferry").model_copy(update={"link": "u"})]
    second = [word("plan").model_copy(update={"link": "u"}), word("now").model_copy(update={"link": "v"})]
    links = [link for words in (first, second) for link in placed_text(words).links]
    assert [(link.text, link.uri, link.start) for link in links] == [
        ("the ferry", "u", 4),
        ("plan", "u", 0),
        ("now", "v", 5),
    ]


def test_what_is_struck_out_and_linked_is_counted_off_in_the_text_of_its_line():
    """Guards against marks on other letters where a line's text has other spaces, or raised figures, than its words."""
    struck = {"struck": True}
    words = [word("10"), word("6", "super", False).model_copy(update=struck), word("old").model_copy(update=struck)]
    words.append(word("new").model_copy(update={"struck": True, "link": "u"}))
    text = "10⁶  old new"
    marks = [(text[mark.start : mark.end], mark.mark) for mark in marks_of(words, text)]
    assert marks == [("⁶", Mark(rise="super")), ("new", Mark("u")), ("⁶  old new", STRIKE_MARK)]
