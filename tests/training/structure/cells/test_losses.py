"""What is true of two pieces of a table, and which pairs count."""

from __future__ import annotations

from tests.training.structure.cells.table_samples import plain_sample
from training.structure.cells.examples import example_of
from training.structure.cells.losses import batch_of, pair_truth


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
