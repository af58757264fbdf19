"""A training writes a checkpoint that the reader of pages loads, and says how right it was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from documents.layout.structure.structure_reader import StructureReader
from training.structure.network.examples import save
from training.structure.network.plain_pages import plain_page
from training.structure.network.train import main

SIZES = ("--width", "32", "--layers", "1", "--minutes", "0.03")


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    for name, seed in (("pages", 1), ("held", 2)):
        (tmp_path / name).mkdir()
        save([plain_page(12, seed=seed), plain_page(16, seed=seed + 10)], tmp_path / name / "a.pages")
    return tmp_path


def test_a_run_writes_a_checkpoint_that_is_read_and_how_right_it_was(pages: Path) -> None:
    out = pages / "out"
    assert main([str(out), "--pages", str(pages / "pages"), "--held", str(pages / "held"), *SIZES]) == 0
    log = json.loads((out / "training.json").read_text(encoding="utf-8"))
    assert {"role", "next", "before", "heading_f1"} <= set(log[-1])
    assert log[-1]["pages_seen"] > 0
    StructureReader(out)
