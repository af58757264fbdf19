"""Words in their places."""

from __future__ import annotations

import pytest
from page_making import box, printed
from work import steps_of

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


@pytest.mark.parametrize("words_per_row", [1, 8])
def test_printed_rows_take_work_in_line_with_the_words(words_per_row):
    """Guards against a table of 14,000 lines that took about a minute."""

    def words_of(num):
        return placed_words(
            [printed("word", 30 * (k % words_per_row), 12 * (k // words_per_row)) for k in range(num)], 0
        )

    small, large = words_of(128), words_of(512)
    assert len(baselines(large)) == 512 // words_per_row
    assert steps_of(lambda: baselines(large)) < 6 * steps_of(lambda: baselines(small))
