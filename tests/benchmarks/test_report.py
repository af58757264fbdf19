"""`benchmarks.report`: what is measured is kept whole."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.report import record, table


def test_a_result_says_what_where_and_when(tmp_path: Path) -> None:
    """Guards against figures that nobody can compare later."""
    file = tmp_path / "results" / "x.json"
    record(file, "x", {"a": 1.0}, [{"b": 2}], {"gpu": "none"})
    told = json.loads(file.read_text())
    assert (told["benchmark"], told["figures"], told["rows"]) == ("x", {"a": 1.0}, [{"b": 2}])
    assert told["machine"]["gpu"] == "none"
    assert told["versions"]["pagemill"]


def test_columns_stand_under_their_names() -> None:
    rows = [{"name": "long name", "value": 1.23456}, {"name": "b", "value": None}]
    assert table(rows).splitlines() == ["name       value", "long name  1.235", "b          -"]
    assert table([]) == ""
