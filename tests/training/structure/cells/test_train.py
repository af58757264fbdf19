from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from documents.tables.judged.judge import grid_of
from documents.tables.judged.network import CellJudge
from tests.training.structure.cells.table_samples import plain_sample
from training.structure.cells.plain_tables import plain_table
from training.structure.cells.samples import save
from training.structure.cells.train import main

SHIPPED = Path(__file__).parents[4] / "checkpoints" / "structure-compact"


def test_a_run_writes_weights_that_the_judge_reads_and_how_right_they_are(tmp_path: Path) -> None:
    folder = tmp_path / "samples"
    (folder / "held").mkdir(parents=True)
    samples = [plain_sample(), plain_sample([[(0, f"x{k}"), (100, f"{k}.5")] for k in range(6)])]
    save(samples, folder / "a.tables")
    save(samples, folder / "held" / "b.tables")
    sizes = ("--width", "32", "--layers", "1", "--minutes", "0.03")
    assert main([str(tmp_path / "out"), "--samples", str(folder), *sizes]) == 0
    log = json.loads((tmp_path / "out" / "training.json").read_text(encoding="utf-8"))
    assert {"row", "column", "cell", "header", "wide", "tall", "outside"} <= set(log[-1])
    with np.load(tmp_path / "out" / "cells.npz") as weights:
        judge = CellJudge(dict(weights))
    assert grid_of(plain_sample().words, judge) is not None


def test_a_run_begins_with_the_weights_that_are_shipped(tmp_path: Path) -> None:
    """`model.safetensors` beside them is of another network: a run from there failed."""
    (tmp_path / "held").mkdir()
    for folder in (tmp_path, tmp_path / "held"):
        save([plain_table(5, 3), plain_table(6, 2)], folder / "a.tables")
    assert main([str(tmp_path / "out"), "--samples", str(tmp_path), "--from", str(SHIPPED), "--minutes", "0"]) == 0
    with np.load(tmp_path / "out" / "cells.npz") as written, np.load(SHIPPED / "cells.npz") as shipped:
        assert set(written.files) == set(shipped.files)
        assert all(np.array_equal(written[name], shipped[name]) for name in shipped.files)
