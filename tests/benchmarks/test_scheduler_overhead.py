"""`benchmarks.scheduler_overhead`: what is counted as outside the model."""

from benchmarks import scheduler_overhead


def test_the_time_between_two_steps_is_not_the_models(monkeypatch):
    """Guards against a share that is small because the model's own seconds are in both parts."""
    monkeypatch.setattr(scheduler_overhead, "STEP_S", 0.001)
    figures, rows = scheduler_overhead.measured((1, 4), 5)
    assert {"overhead_share_1", "overhead_share_4", "overhead_share_streaming_4"} <= figures.keys()
    assert all(0 < figure < 1 for figure in figures.values())
    for row in rows:
        assert row["model_ms"] >= 1
        assert row["share"] == row["outside_ms"] / (row["outside_ms"] + row["model_ms"])
