"""A trainer that begins with a checkpoint."""

from pathlib import Path

import numpy as np
from safetensors.torch import load_file

from documents.detector import Detector
from training.layout.evaluate import rows_of
from training.layout.trainer import Trainer, export

CHECKPOINT = Path(__file__).parents[3] / "checkpoints" / "layout-compact"


def test_what_is_adopted_is_what_is_exported(tmp_path):
    """A weight that is lost on the way makes each continued run begin worse than it ended."""
    trainer = Trainer("cpu")
    trainer.adopt(CHECKPOINT)
    export(trainer._averaged, tmp_path)
    shipped, again = (load_file(folder / "model.safetensors") for folder in (CHECKPOINT, tmp_path))
    assert set(shipped) == set(again)
    assert all((weight == again[name]).all() for name, weight in shipped.items())
    page = np.full((640, 448, 3), 255, np.uint8)
    page[100:120, 40:400:3] = 0
    before, after = (rows_of(Detector(folder), page, 0.01) for folder in (CHECKPOINT, tmp_path))
    assert np.allclose(before, after)


def test_a_state_is_written_in_parts(tmp_path):
    """What is too large to be carried off a borrowed machine is lost with it."""
    trainer = Trainer("cpu")
    trainer.save(tmp_path)
    sizes = [path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()]
    assert max(sizes) < 16 * 2**20
    assert Trainer("cpu").load(tmp_path)
