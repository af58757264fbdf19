"""Which words a mark means, by its boxes and those of the words."""

from __future__ import annotations

import pytest
from page_making import box, line

from documents.inspection import Word
from documents.pdf.marked_words import MAX_LINES, MarkedWords


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
    texts = [marked.under([box(0, 0, 600, 800)]) for _ in range(MAX_LINES // 3000 + 2)]
    assert texts[0]
    assert texts[-1] == ""
