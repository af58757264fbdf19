"""`benchmarks.nano_bench` in its tiny form."""

from benchmarks.nano_bench import asks, measured


def test_the_work_is_that_of_the_bench() -> None:
    """Guards against another order of drawing: the bench's own page counts its output tokens."""
    work = asks()
    assert len(work) == 256
    assert sum(ask.num_output for ask in work) == 133_966
    assert all(100 <= length <= 1024 for ask in work for length in (len(ask.prompt), ask.num_output))


def test_every_request_is_served_to_its_end_in_both_kinds_of_keys_and_values() -> None:
    """Guards against a figure of requests that ended early."""
    figures, rows = measured("torch", tiny=True)
    assert [row["work"] for row in rows] == ["greedy", "greedy_fp8", "greedy_few", "drawn_few"]
    assert [row["kv_dtype"] for row in rows] == ["model", "fp8", "model", "model"]
    assert all(row["requests"] == 6 and row["steps"] >= 4 for row in rows)
    assert figures.keys() == {f"{row['work']}_tokens_per_s" for row in rows}
    assert all(figure > 0 for figure in figures.values())
