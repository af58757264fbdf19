"""`benchmarks.loads.arrivals`: what a caller sees, and the schedule that nothing beats."""

import pytest

from batching import EngineConfig
from benchmarks.batching_modes import measured_arrivals
from benchmarks.loads.arrivals import Arrival, StepCost, ideal, poisson, served, summary
from benchmarks.loads.workloads import Ask, spread

COST = StepCost(any=1.0, decode=0.0, prefill=0.0)


def test_a_place_that_is_freed_is_taken_in_the_next_step():
    """Two places, steps of a second: the third comes in when the short one has ended."""
    arrivals = [Arrival(Ask((1,), 5), 0.0), Arrival(Ask((1,), 2), 0.0), Arrival(Ask((1,), 1), 0.5)]
    visited = ideal(arrivals, 2, COST)
    assert [item.tokens for item in visited] == [[1, 2, 3, 4, 5], [1, 2], [3]]
    assert visited[2].ttft == 2.5


def test_an_idle_engine_waits_for_the_next_to_come():
    visited = ideal([Arrival(Ask((1,), 1), 0.0), Arrival(Ask((1,), 1), 9.0)], 2, COST)
    assert [item.tokens for item in visited] == [[1], [10]]


def test_the_summary_is_told_from_the_first_arrival():
    """Guards against a rate that rises with the wait before the first request."""
    late = ideal([Arrival(Ask((1,), 4), 100.0)], 1, COST)
    assert summary(late) == pytest.approx(
        {"tokens_per_s": 1.0, "ttft_p50_s": 1.0, "ttft_p99_s": 1.0, "itl_p50_s": 1.0, "itl_p99_s": 1.0}
    )


def test_the_cost_of_a_step_is_found_again(runner):
    arrivals = poisson(spread(4), rate=1000.0)
    assert [arrival.at for arrival in arrivals] == sorted(arrival.at for arrival in arrivals)
    assert arrivals[-1].at == pytest.approx(4 / 1000)
    visited, steps = served(runner, arrivals, lambda on_step: EngineConfig(on_step=on_step))
    assert [len(arrival.tokens) for arrival in visited] == [item.ask.num_output for item in arrivals]
    cost = StepCost.of(steps)
    assert cost(0, 0) >= 0
    predicted = sum(cost(step.num_decodes, step.num_prefill_tokens) for step in steps)
    assert predicted == pytest.approx(sum(step.step_s for step in steps), rel=0.5)


def test_every_policy_is_measured_under_the_same_arrivals(runner):
    figures, rows = measured_arrivals(runner, spread(4))
    assert [row["arrivals"] for row in rows] == [
        "ideal",
        "continuous",
        "continuous_steady",
        "static_dropping",
        "static",
        "none",
    ]
    assert figures["arrivals_continuous_over_ideal"] > 0
