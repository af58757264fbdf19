"""`benchmarks.autoscaling`: its figures and its plot of a load that was made up."""

from __future__ import annotations

import pytest

from benchmarks.autoscaling import MAX_REPLICAS, Watched, figures_of, rows_of, stepped
from configs import Settings

PHASES = (10.0, 30.0, 20.0)


def watched(at: float) -> Watched:
    """Two more replicas `at` seconds after the step, gone 15 s after it; calls twice as fast with them."""
    samples = [
        {"at_s": float(t), "replicas": 3 if 10 + at <= t < 55 else 1, "waiting_tokens": 100.0} for t in range(60)
    ]
    calls = [(float(t), 4.0 if t < 20 else 2.0, t != 11) for t in range(1, 60)]
    return Watched(calls=calls, samples=samples)


def test_figures_are_counted_from_the_step() -> None:
    """Guards against seconds of the benchmark's own clock, and against a failed call that nobody counts."""
    figures = figures_of(watched(5.0), PHASES)
    assert figures["seconds_to_scale_up"] == pytest.approx(5.0)
    assert figures["seconds_to_scale_down"] == pytest.approx(15.0)
    assert (figures["replicas_before"], figures["replicas_most"]) == (1, 3)
    assert (figures["p50_early_s"], figures["p50_late_s"]) == (4.0, 2.0)
    assert figures["failed_share"] == pytest.approx(1 / 59)


def test_what_never_happened_is_not_zero_seconds() -> None:
    """Guards against a run without scaling that looks like one that scaled at once."""
    figures = figures_of(watched(100.0), PHASES)
    assert (figures["seconds_to_scale_up"], figures["seconds_to_scale_down"]) == (-1, -1)


def test_every_sample_and_call_is_kept_for_the_plot() -> None:
    """Guards against a picture that cannot be drawn again."""
    samples = watched(5.0)
    rows = rows_of(samples, PHASES)
    assert [(row["from_s"], row["callers"]) for row in rows[:4]] == [(0, 1), (10, 12), (40, 1), (60, 0)]
    assert len(rows) == 4 + len(samples.samples) + len(samples.calls)


def test_the_graph_under_load_is_the_one_that_is_served() -> None:
    """Guards against a benchmark of settings that nobody runs."""
    (application,) = stepped()["applications"]
    Settings.model_validate(application["args"])
    (ocr,) = (item for item in application["deployments"] if item["name"] == "Ocr")
    assert ocr["autoscaling_config"]["policy"]["policy_function"] == "deployments.replicas.scaling:WaitingWork"
    assert ocr["autoscaling_config"]["max_replicas"] == MAX_REPLICAS
