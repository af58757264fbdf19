"""`benchmarks.long_prompt`: which gap belongs to which phase, and that the measurement runs."""

import asyncio

from benchmarks import long_prompt
from benchmarks.harness.inference_client import byte_tokenizer


def test_a_gap_over_a_bound_is_one_of_the_prompts():
    """Guards against the very gap that a prompt made being counted for the time before or after it."""
    moments = [0.0, 1.0, 1.5, 2.5, 3.0, 4.5, 5.0]
    before, during, after = long_prompt.gaps_of([moments], (0.5, 2.0, 4.0, 9.0))
    assert (before, during, after) == ([0.5], [1.0, 0.5, 1.5], [0.5])


def test_it_measures_all_phases(tmp_path, monkeypatch):
    monkeypatch.setattr(long_prompt, "PROMPT", "tide " * 20_000)
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1}
    long_prompt.save_model(tmp_path, byte_tokenizer(), **sizes)
    rows = asyncio.run(long_prompt.measured(tmp_path, 1, 0.1))
    assert [row["phase"] for row in rows] == ["before", "during", "after"]
    assert all(row["tokens"] > 0 for row in rows)
    figures = long_prompt.figures_of(rows)
    assert figures["largest_ms_during"] == rows[1]["largest_ms"]
