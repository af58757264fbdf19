"""Which pages of a set are taken, and how pages become figures of a kind."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.paper import by_kind, sample

ROW = {"num_true": 10, "num_read": 10, "num_right": 9, "num_invented": 1, "seconds": 2.0}


def test_pages_are_taken_evenly_from_one_split(tmp_path: Path) -> None:
    pages = [{"file": str(k), "split": "judge" if k % 2 else "tune", "text": ""} for k in range(20)]
    (tmp_path / "truth.json").write_text(json.dumps(pages), encoding="utf-8")
    assert [page["file"] for page in sample(tmp_path, "judge", 5)] == ["1", "5", "9", "13", "17"]
    assert len(sample(tmp_path, "tune", 100)) == 10


def test_each_kind_and_reader_has_a_row_and_kinds_weigh_the_same() -> None:
    rows = [
        {"kind": "forms", "reader": "ours", **ROW},
        {"kind": "forms", "reader": "ours", **ROW},
        {"kind": "books", "reader": "ours", **ROW, "num_right": 5},
        {"kind": "books", "reader": "theirs", **ROW},
    ]
    table = by_kind(rows[:3])
    assert [(row["kind"], row["f1"]) for row in table] == [("forms", 0.9), ("books", 0.5), ("mean", 0.7)]
    assert table[0]["pages"] == 2
    assert table[0]["seconds_per_page"] == 2.0
