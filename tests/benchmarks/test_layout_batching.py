"""`benchmarks.layout_batching`: what its figures are made of."""

from __future__ import annotations

from pathlib import Path

from benchmarks.layout_batching import apart, plot
from documents.values import BoundingBox, Detection


def found(kind: str, x1: float) -> Detection:
    return Detection.model_validate(
        {"kind": kind, "box": BoundingBox(x0=1, y0=1, x1=x1, y1=9), "score": 0.5},
    )


def test_other_regions_are_infinitely_far_apart() -> None:
    """Guards against a figure that forgives a region that came or went with its batch mates."""
    assert apart([found("title", 5)], [found("title", 5.25)]) == 0.25
    assert apart([found("title", 5)], [found("table", 5)]) == float("inf")
    assert apart([found("title", 5)], []) == float("inf")
    assert apart([], []) == 0


def test_the_plot_is_a_picture(tmp_path: Path) -> None:
    """Guards against a benchmark that runs for minutes and fails at its end."""
    rows = [
        {"mode": mode, "offered_per_s": rate, "p50_s": 0.1, "p99_s": 0.3, "mean_batch": 3.0}
        for mode in ("one by one", "dynamic")
        for rate in (None, 2.0, 4.0)
    ]
    plot(rows, tmp_path / "made" / "plot.png")
    assert (tmp_path / "made" / "plot.png").read_bytes()[:4] == b"\x89PNG"
