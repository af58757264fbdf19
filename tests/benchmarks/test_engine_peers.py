"""The comparison with other engines: that it compares like with like."""

import json

from benchmarks import engine_peers
from benchmarks.engine_peers import measured
from benchmarks.loads.workloads import spread


def test_peers_are_asked_the_same_and_say_the_same(runner):
    """A peer that is asked for less is fast."""
    figures, rows = measured(runner.model, runner, spread(6), 4, rounds=1)
    assert figures["outputs_equal"] == 1
    assert figures["difference_in_float64"] == 0
    assert [row["equal"] for row in rows] == [1.0, 1.0, 1.0, 1.0]
    assert figures["steps_static_over_continuous"] > 1


def test_a_hybrid_is_compared_with_padded_generate_alone(monkeypatch, tmp_path):
    """No other engine has a place for a state."""
    monkeypatch.setattr("sys.argv", ["", "--recurrent", "--tiny", "--json", str(tmp_path / "peers.json")])
    assert engine_peers.main() == 0
    result = json.loads((tmp_path / "peers.json").read_text())
    assert result["figures"]["outputs_equal"] == 1
    assert [row["peer"] for row in result["rows"]] == [
        "ours",
        "padded_generate",
        "ours_batch8",
        "padded_generate_batch8",
    ]


def zeros(model, asks, running):
    """A peer that is there at once and says nothing right."""
    return [[0] * ask.num_output for ask in asks], 1, 1.0


def run_main(monkeypatch, tmp_path, runner, **peers):
    """The exit status and the figures of a small comparison in which some peers are others."""
    for name, peer in peers.items():
        monkeypatch.setattr(engine_peers, name, peer)
    monkeypatch.setattr(engine_peers, "decoder", lambda: runner.model)
    monkeypatch.setattr(engine_peers, "load_causal_lm", lambda *_, **__: runner)
    monkeypatch.setattr("sys.argv", ["", "--tiny", "--json", str(tmp_path / "peers.json")])
    return engine_peers.main(), json.loads((tmp_path / "peers.json").read_text())["figures"]


def test_outputs_that_differ_are_a_figure_and_no_failure(runner, monkeypatch, tmp_path):
    """In bfloat16 they may differ, and the GPU queue must not note its step as failed."""

    status, figures = run_main(monkeypatch, tmp_path, runner, _padded=zeros, _transformers=zeros, _concatenating=zeros)
    assert status == 0
    assert figures["outputs_equal"] == 0
    assert figures["difference_in_float64"] > 1e-3, "more than rounding"


def test_a_peer_that_fails_is_left_out_and_the_rest_is_compared(runner, monkeypatch, tmp_path):
    """Guards against the figures of three engines being lost with a fourth that cannot run here."""

    def broken(model, asks, running):
        raise RuntimeError("does not run here")

    status, figures = run_main(monkeypatch, tmp_path, runner, _padded=zeros, _transformers=broken)
    assert status == 1
    assert figures["ours_over_padded_generate"] > 0
    assert "ours_over_transformers_continuous" not in figures


def test_a_peer_that_fails_in_a_later_round_is_left_out_too(runner, monkeypatch, tmp_path):
    """Guards against an exit status of 0 and a figure of a peer that was said to be left out."""
    calls = []

    def failing_later(model, asks, running):
        calls.append(running)
        if len(calls) == 3:  # the second round of the batches of eight
            raise RuntimeError("out of memory")
        return zeros(model, asks, running)

    status, figures = run_main(
        monkeypatch, tmp_path, runner, _padded=zeros, _transformers=failing_later, _concatenating=zeros
    )
    assert (len(calls), status) == (3, 1)
    assert "ours_over_transformers_continuous" in figures
    assert "ours_over_transformers_continuous_batch8" not in figures
