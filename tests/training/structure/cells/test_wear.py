"""Other looks of a table have the same cells."""

from __future__ import annotations

import numpy as np

from tests.training.structure.cells.table_samples import plain_sample
from training.structure.cells.wear import cut_out, realigned, tightened, worn


def test_what_is_cut_out_and_worn_keeps_the_cell_of_each_word() -> None:
    sample = plain_sample([[(0, f"label{k}"), (120, f"v{k}")] for k in range(8)])
    truth = {text: (int(r), int(c)) for text, r, c in zip(sample.words.texts, sample.row, sample.column, strict=True)}
    for seed in range(20):
        chance = np.random.default_rng(seed)
        look = worn(cut_out(sample, chance, 400), chance)
        assert len(look.words.texts) == len(look.row) == len(look.words.box)
        for text, r, c in zip(look.words.texts, look.row, look.column, strict=True):
            assert truth[text] == (int(r), int(c))


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
