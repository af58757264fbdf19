from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from tests.training.structure.cells.table_samples import plain_sample
from training.structure.cells.examples import example_of
from training.structure.cells.losses import batch_of, pair_truth
from training.structure.cells.samples import is_sound, load, save, with_narrow_groups
from training.structure.cells.wear import cut_out, realigned, tightened, worn


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


def test_what_is_cut_out_and_worn_keeps_the_cell_of_each_word() -> None:
    sample = plain_sample([[(0, f"label{k}"), (120, f"v{k}")] for k in range(8)])
    truth = {text: (int(r), int(c)) for text, r, c in zip(sample.words.texts, sample.row, sample.column, strict=True)}
    for seed in range(20):
        chance = np.random.default_rng(seed)
        look = worn(cut_out(sample, chance, 400), chance)
        assert len(look.words.texts) == len(look.row) == len(look.words.box)
        for text, r, c in zip(look.words.texts, look.row, look.column, strict=True):
            assert truth[text] == (int(r), int(c))


def test_pairs_share_rows_and_columns_and_pairs_outside_say_nothing() -> None:
    example = example_of(plain_sample())
    assert example is not None
    texts = ("name", "value", "a b", "1", "c", "2", "d", "3", "see note")
    pairs = pair_truth(batch_of([example], "cpu"))
    at = {text: index for index, text in enumerate(texts)}
    row, column = pairs.truth["row"][0], pairs.truth["column"][0]
    assert row[at["c"], at["2"]]
    assert not row[at["c"], at["3"]]
    assert column[at["1"], at["value"]]
    assert not column[at["1"], at["c"]]
    assert pairs.weight["column"][0, at["c"], at["see note"]] == 0
    assert pairs.weight["row"][0, at["c"], at["see note"]] > 0
    assert pairs.weight["row"][0, at["c"], at["c"]] == 0


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


def test_heads_move_within_the_room_of_their_columns() -> None:
    sample = plain_sample([[(0, "n"), (70, "v")], [(0, "a"), (60, "123456")], [(0, "b"), (60, "123456")]], note=False)
    places = {float(realigned(sample, np.random.default_rng(seed)).words.box[1, 0].round(1)) for seed in range(20)}
    assert len(places) == 3
    assert min(places) == 13.0  # 0.8 type sizes behind the first column
    assert max(places) == 85.0  # ends with the column


def test_columns_that_are_moved_close_keep_their_widths_and_a_gap() -> None:
    rows = [[(0, "name"), (90, "one"), (200, "two")], [(0, "a"), (90, "1"), (200, "2")]]
    sample = plain_sample(rows, note=False)
    box = tightened(sample, 0.5).words.box
    np.testing.assert_allclose(box[:, 0], [0, 25, 45, 0, 25, 45], atol=0.01)
    np.testing.assert_allclose(box[:, 2] - box[:, 0], sample.words.box[:, 2] - sample.words.box[:, 0], atol=0.01)
