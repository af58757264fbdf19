"""The race beside other engines: what is compared, and what is left out."""

import sys

import pytest

from benchmarks import cpu_race
from benchmarks.cpu_race import Side, pythons, ratios, requests_of

CELL = {"size": "small", "threads": 2, "precision": "float32", "work": "decode"}


def test_a_side_that_is_not_installed_or_fails_is_named_and_left_out(tmp_path, capsys, monkeypatch):
    """One peer that cannot be had must not cost the race of the others."""
    assert list(pythons(["openvino", "transformers"], tmp_path)) == ["ours", "transformers"]
    assert "openvino: skipped" in capsys.readouterr().out
    monkeypatch.setitem(cpu_race.PEERS, "vllm", "vllm")
    side = Side("vllm", sys.executable, {"model": "", "threads": 1, "precision": "float32", "running": 1})
    try:
        assert side.error == "ModuleNotFoundError: No module named 'vllm'"
        assert side.run([]) is None
    finally:
        side.close()


def test_a_ratio_above_one_says_that_ours_is_faster():
    """And a side that failed has none."""
    rows = [
        CELL | {"side": "ours", "seconds": 2.0, "cpu_seconds": 4.0, "equal": 1.0},
        CELL | {"side": "openvino", "seconds": 3.0, "cpu_seconds": 5.0, "equal": 0.75},
        CELL | {"side": "vllm", "error": "it ended"},
        CELL | {"side": "llama", "seconds": 1.0, "cpu_seconds": 2.0, "equal": 0.5},  # its keys are float16
    ]
    assert ratios(rows) == {
        "outputs_equal": 0.75,
        "ours_over_llama_float32_decode_small_2": 0.5,
        "ours_over_llama_float32_decode_small_2_cpu": 0.5,
        "ours_over_openvino_float32_decode_small_2": 1.5,
        "ours_over_openvino_float32_decode_small_2_cpu": 1.25,
    }


@pytest.mark.parametrize("work", cpu_race.WORK)
def test_requests_are_the_same_each_time_and_fit_the_model(work):
    """Sides are asked in turn, each by a call of its own."""
    requests = requests_of(work, "small")
    assert requests == requests_of(work, "small")
    assert all(0 < len(prompt) + count <= 2048 for prompt, count in requests)
