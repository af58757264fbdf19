"""A trainer that begins with a checkpoint."""

import collections
from pathlib import Path

import numpy as np
from safetensors.torch import load_file

from documents.layout.doclayout.detector import Detector
from training.layout.batches import PageBatches, Phase
from training.layout.classes import SHARES, TAB_NOTE, TEXT, TITLE
from training.layout.evaluate import rows_of
from training.layout.pages.draw import draw
from training.layout.trainer import Trainer, _class_weights, export

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


def test_an_export_holds_the_trained_head_twice(tmp_path):
    """A file whose other head was never trained finds nothing for whoever asks that one."""
    trainer = Trainer("cpu")
    trainer.step(next(iter(PageBatches(0, 2, 0.0, (Phase(1.01, 128, 96),)))), 1.0)
    export(trainer._averaged, tmp_path)
    weights = load_file(tmp_path / "model.safetensors")
    other = [name for name in weights if ".one2one_" in name]
    assert other
    assert all((weights[name] == weights[name.replace("one2one_", "")]).all() for name in other)


def test_the_trained_head_is_the_one_that_is_written(tmp_path):
    """Copied the other way, an export would throw the training away."""
    trainer = Trainer("cpu")
    trainer.step(next(iter(PageBatches(0, 2, 0.0, (Phase(1.01, 128, 96),)))), 1.0)
    export(trainer._averaged, tmp_path)
    weights, rest = load_file(tmp_path / "model.safetensors"), trainer._averaged.state_dict()
    trained = [name for name in rest if ".23.cv" in name and rest[name].is_floating_point()]
    assert trained
    assert all((weights[name] == rest[name].half()).all() for name in trained)


def test_the_rarer_a_class_the_more_it_counts():
    """Six regions in ten are running text: with equal weights captions and notes are learnt last."""
    weights = _class_weights()
    assert weights[TEXT] == 1
    assert weights.argsort().tolist() == sorted(range(len(SHARES)), key=lambda cls: -SHARES[cls])
    counter = collections.Counter(cls for seed in range(40) for cls, _ in draw(seed).boxes)
    (common, _), *_ = counter.most_common()
    assert common == TEXT
    assert counter[TAB_NOTE] < counter[TITLE] < counter[TEXT]


def test_a_state_is_written_in_parts(tmp_path):
    """What is too large to be carried off a borrowed machine is lost with it."""
    trainer = Trainer("cpu")
    trainer.save(tmp_path)
    sizes = [path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()]
    assert max(sizes) < 16 * 2**20
    assert Trainer("cpu").load(tmp_path)
