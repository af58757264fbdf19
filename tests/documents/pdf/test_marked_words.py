"""Which words a mark means, by its boxes and those of the words."""

from __future__ import annotations

import pytest
from page_making import box, line

from documents.inspection import Word
from documents.pdf import marked_words
from documents.pdf.marked_words import MAX_WORDS, MarkedWords


def words_line(*texts, y=100, angle=0, **more):
    """Words that are 10 points high, 5 points wide per character, with 5 points between them."""
    words, x = [], 60
    for text in texts:
        place = box(x, y, x + 5 * len(text), y + 10) if not angle else box(y, x, y + 10, x + 5 * len(text))
        words.append(Word(text=text, box=place, font_size=10))
        x += 5 * len(text) + 5
    whole = box(60, y, x, y + 10) if not angle else box(y, 60, y + 10, x)
    return line(" ".join(texts), y=y, angle=angle, **more).model_copy(update={"words": tuple(words), "box": whole})


LINE = words_line("one", "two,", "three")


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ((60, 100, 95, 110), "one two"),
        ((60, 100, 100, 110), "one two,"),
        ((80, 98, 300, 112), "two, three"),
        ((60, 109, 300, 120), ""),  # it only touches the line's foot
        ((300, 100, 400, 110), ""),
        ((60, 108, 130, 109), ""),
        ((105, 100, 115, 110), "th"),
    ],
)
def test_words_under_a_box(part, words):
    assert MarkedWords([LINE]).under([box(*part)]) == words


def test_words_of_an_upright_line_are_marked_whole():
    turned = words_line("one", "two,", angle=90)
    assert MarkedWords([turned]).under([box(100, 60, 110, 76)]) == "one"


def test_a_line_that_nobody_sees_is_not_marked():
    assert MarkedWords([words_line("one", hidden="tiny")]).under([box(0, 0, 600, 800)]) == ""


def test_the_work_for_a_page_of_marks_is_bounded():
    marked = MarkedWords([words_line("one", y=100 + k % 7) for k in range(3000)])
    texts = [marked.under([box(0, 0, 600, 800)]) for _ in range(MAX_WORDS // 3000 + 2)]
    assert texts[0]
    assert texts[-1] == ""


def test_words_of_long_lines_are_counted(monkeypatch):
    """A mark of 200 parts on a line of 5,000 words compared each part with each word, for all marks of a page."""
    num_compared = 0

    def counted(part, word, angle):
        nonlocal num_compared
        num_compared += 1
        return ""

    monkeypatch.setattr(marked_words, "_covered", counted)
    monkeypatch.setattr(marked_words, "MAX_WORDS", 10_000)
    marked = MarkedWords([words_line(*["a"] * 500)])
    for _ in range(5):
        marked.under([box(0, 100, 6000, 110)] * 200)
    assert 0 < num_compared <= 10_000


def test_marks_beyond_the_limit_look_nothing_up(monkeypatch):
    monkeypatch.setattr(marked_words, "MAX_WORDS", 3)
    marked = MarkedWords([LINE])
    marked.under([box(0, 100, 600, 110)])
    assert "_index" in vars(marked)
    del marked._index
    assert marked.under([box(0, 100, 600, 110)]) == ""
    assert "_index" not in vars(marked)
