"""Samples of tables are stored as they are, and unsound ones are known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from tests.training.structure.cells.table_samples import plain_sample
from training.structure.cells.samples import is_sound, load, save, with_narrow_groups


def test_samples_are_read_as_they_were_written(tmp_path: Path) -> None:
    sample = plain_sample()
    assert save([sample, sample], tmp_path / "a.tables") == 2
    (first, _) = load(tmp_path / "a.tables")
    assert first.words.texts == sample.words.texts
    np.testing.assert_allclose(first.words.box, sample.words.box, atol=0.06)
    for name in ("row", "column", "num_rows", "num_columns", "header"):
        np.testing.assert_array_equal(getattr(first, name), getattr(sample, name))
    np.testing.assert_array_equal(first.words.spaced, sample.words.spaced)


def test_cells_of_other_columns_one_below_the_other_are_not_sound() -> None:
    sample = plain_sample()
    assert is_sound(sample)
    column = sample.column.copy()
    column[sample.row == 2] = column[sample.row == 2][::-1]
    assert not is_sound(replace(sample, column=column))


def test_the_name_of_a_group_at_the_left_is_over_the_columns_that_its_letters_reach() -> None:
    rows = [[(0, "x"), (90, "1"), (150, "2")], [(0, "group")], [(0, "y"), (90, "3"), (150, "4")], [(60, "tables")]]
    sample = plain_sample(rows, note=False)
    lone = np.isin(sample.row, [1, 3])
    spanning = replace(sample, num_columns=np.where(lone, 3, 1).astype(np.int16), header=np.zeros_like(sample.header))
    assert with_narrow_groups(spanning).num_columns[lone].tolist() == [1, 1]
    words = spanning.words
    box = words.box.copy()
    box[lone, 2] = [100, 130]
    box[lone, 0] = [0, 95]  # the second stands in the middle
    wide = with_narrow_groups(replace(spanning, words=replace(words, box=box)))
    assert wide.num_columns[lone].tolist() == [2, 3]
