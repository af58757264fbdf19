"""`benchmarks.layout_batching`: what its figures are made of."""

from __future__ import annotations

from benchmarks.layout_batching import apart
from documents.boxes import BoundingBox
from documents.values import Detection


def detection(kind: str, x1: float) -> Detection:
    return Detection.model_validate(
        {"kind": kind, "box": BoundingBox(x0=1, y0=1, x1=x1, y1=9), "score": 0.5},
    )


def test_other_regions_are_infinitely_far_apart() -> None:
    """Guards against a figure that forgives a region that came or went with its batch mates."""
    assert apart([detection("title", 5)], [detection("title", 5.25)]) == 0.25
    assert apart([detection("title", 5)], [detection("table", 5)]) == float("inf")
    assert apart([detection("title", 5)], []) == float("inf")
    assert apart([], []) == 0
