"""`benchmarks.quantisation` on a decoder that is small enough to be measured at once."""

from __future__ import annotations

from benchmarks.gpu_check import drawn_strips
from benchmarks.loads.workloads import random_qwen2
from benchmarks.quantisation import KINDS, measured, read_alike


def test_every_kind_is_measured_against_none() -> None:
    """Guards against a kind that is offered and not measured, or measured against itself."""
    sizes = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 1, "num_attention_heads": 2}
    figures, rows = measured(random_qwen2(**sizes, num_key_value_heads=1), (1, 2), rounds=1)
    assert [row["none_over_this"] for row in rows if row["kind"] == "none"] == [1, 1]
    for kind in KINDS[1:]:
        assert 0 < figures[f"{kind}_bytes_over_none"] < 0.3
        assert 0 < figures[f"{kind}_logit_error"] < 0.2
        assert figures[f"{kind}_speedup_2"] > 0
    assert len(rows) == 2 * len(KINDS)


def test_bytes_read_what_the_whole_matrices_read() -> None:
    """Guards against a decoder in 8 bits that reads other letters than the checkpoint."""
    figures = read_alike(drawn_strips(4))
    assert figures["int8_letters_apart"] <= 0.02
    assert figures["dynamic_int8_letters_apart"] <= 0.05
