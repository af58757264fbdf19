"""Words in their places."""

from __future__ import annotations

from page_making import box, printed

from documents.inspection import Word
from documents.tables.cells import PlacedWord, baselines, clusters, is_number, placed_words


def test_words_on_one_baseline_are_a_row_from_the_left():
    words = placed_words([printed("b", 100, 100), printed("a", 60, 101), printed("c", 60, 120)], 0)
    assert [[one.word.text for one in row] for row in baselines(words)] == [["a", "b"], ["c"]]


def test_a_raised_figure_stays_in_its_row():
    mark = Word(text="1", box=box(81, 96, 84, 102), font_size=6, rise="super", spaced=False)
    words = [*placed_words([printed("Rope", 60, 100)], 0), PlacedWord(mark, mark.box)]
    assert [[one.word.text for one in row] for row in baselines(words)] == [["Rope", "1"]]


def test_near_values_are_one():
    assert clusters([10.0, 0.0, 1.0, 11.0], 2.0) == [0.5, 10.5]


def test_figures_are_told_from_words():
    assert all(map(is_number, ["1,240", "(85)", "3,902.5", "12%", "$4.00", "5h"]))
    assert not any(map(is_number, ["-", "Rope", "Rope 17 m of hemp"]))
