"""The judge of cells that comes with the shipped structure network."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from documents.tables.judged.network import CellJudge

WEIGHTS = Path(__file__).resolve().parents[3] / "checkpoints" / "structure-compact" / "cells.npz"


@cache
def cell_judge() -> CellJudge:
    """Its weights are read once; who may open no file later calls this before."""
    with np.load(WEIGHTS, allow_pickle=False) as weights:
        return CellJudge({name: weights[name] for name in weights.files})
