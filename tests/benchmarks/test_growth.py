"""`benchmarks.growth`: what counts as worse than linear."""

from benchmarks.growth import ladder, worst


def test_each_step_is_compared_with_the_one_before():
    """Guards against a fixed cost of the first step that hides a square."""
    seconds = iter([10.0, 11.0, 50.0, 8.0, 12.0, 40.0])
    rows = ladder("pages", (1, 10, 20), lambda _: next(seconds), rounds=2)
    assert [row["seconds"] for row in rows] == [8.0, 11.0, 40.0]
    assert [row["ratio_to_linear"] for row in rows] == [None, 11 / 8 / 10, 40 / 11 / 2]
    assert worst(rows) == {"worst_ratio_to_linear": 40 / 11 / 2, "pages_ratio_to_linear": 40 / 11 / 2}
