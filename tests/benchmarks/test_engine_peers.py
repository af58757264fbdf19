"""The comparison with other engines: that it compares like with like."""

from benchmarks.engine_peers import measured
from benchmarks.workloads import spread


def test_peers_are_asked_the_same_and_say_the_same(runner):
    """A peer that is asked for less is fast."""
    figures, rows = measured(runner._model, runner, spread(6), 4, rounds=1)
    assert figures["outputs_equal"] == 1
    assert [row["equal"] for row in rows] == [1.0, 1.0, 1.0, 1.0]
    assert figures["steps_static_over_continuous"] > 1
