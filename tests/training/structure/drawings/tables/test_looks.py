"""Looks of tables are as various as those of real ones."""

from __future__ import annotations

from training.structure.drawings.tables.looks import random_grid_look
from training.structure.drawings.web.documents import sheet


def test_gaps_between_words_may_be_wider_than_those_between_columns() -> None:
    looks = [random_grid_look(sheet(seed, "tables"), is_large=False) for seed in range(150)]
    assert any("0.3em" in look.padding and "word-spacing:0.5em" in look.css for look in looks)
