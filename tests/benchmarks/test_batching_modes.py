"""The comparison of the policies: its counts, which no load of the machine changes."""

from benchmarks.batching_modes import ideal_steps, measured
from benchmarks.loads.workloads import Ask, eights


def test_the_workload_takes_the_steps_that_arithmetic_says(runner):
    """A policy that wastes a step makes the times worth nothing."""
    figures, rows = measured(runner, eights(), rounds=1)
    assert figures["steps_none"] == 680
    assert figures["steps_static"] == figures["steps_static_dropping"] == 400
    assert figures["steps_continuous"] <= 1.1 * figures["steps_ideal"] == 1.1 * 130
    assert figures["outputs_equal"] == 1
    assert [row["mode"] for row in rows] == ["none", "static", "static_dropping", "continuous"]
    assert {"static_over_continuous", "none_over_continuous", "static_dropping_over_continuous"} <= figures.keys()


def test_the_ideal_refills_a_place_in_the_very_next_step():
    """First come, first served, is part of it: sorting by length would be another promise."""
    assert ideal_steps([Ask((1,), item) for item in (5, 1, 1, 4)], 2) == 6
    assert ideal_steps(eights(), 8) == 130
