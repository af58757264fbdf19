"""`benchmarks.harness.report`: what is measured is kept whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.harness.report import percentile, record, table


@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [([], 0.99, 0.0), ([3.0, 1.0, 2.0], 0.5, 2.0), ([5.0], 0.99, 5.0), ([*map(float, range(1, 101))], 0.99, 99.0)],
)
def test_a_percentile_is_the_value_of_its_rank(values: list[float], share: float, expected: float) -> None:
    """Guards against the greatest of a hundred values as their 99th percentile."""
    assert percentile(values, share) == expected


def test_a_result_says_what_where_and_when(tmp_path: Path) -> None:
    """Guards against figures that nobody can compare later."""
    file = tmp_path / "results" / "x.json"
    record(file, "x", {"a": 1.0}, [{"b": 2}], {"gpu": "none"})
    content = json.loads(file.read_text())
    assert (content["benchmark"], content["figures"], content["rows"]) == ("x", {"a": 1.0}, [{"b": 2}])
    assert content["machine"]["gpu"] == "none"
    assert content["versions"]["pagemill"]


def test_columns_stand_under_their_names() -> None:
    rows = [{"name": "long name", "value": 1.23456}, {"name": "b", "value": None}]
    assert table(rows).splitlines() == ["name       value", "long name  1.235", "b          -"]
    assert table([]) == ""
