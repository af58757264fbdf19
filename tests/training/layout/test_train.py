"""A few steps of the layout network's training."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
import torch

from documents.layout.doclayout.detector import Detector
from training.layout import batches
from training.layout.batches import PageBatches, Phase
from training.layout.train import train
from training.layout.trainer import Trainer
from training.state import read_state

CHECKPOINT = Path(__file__).parents[3] / "checkpoints" / "layout-compact"
SMALL = (Phase(1.01, 128, 96),)


@pytest.fixture(autouse=True)
def few_pages(monkeypatch):
    monkeypatch.setattr(batches, "MIN_KEPT", 2)


def smoke(out, **settings):
    return train(out, 60, batch_size=2, phases=SMALL, **settings)


def test_a_run_goes_on_from_its_state_and_its_export_detects(tmp_path):
    """A run that starts again from nothing never gets anywhere; an export that does not load is worth nothing."""
    first = smoke(tmp_path, max_steps=2)
    state = read_state(tmp_path, "cpu")
    resumed = Trainer("cpu")
    assert resumed.load(tmp_path)
    for name, weight in resumed._model.state_dict().items():
        assert torch.equal(weight, state["parts"][0][name])
    second = smoke(tmp_path, max_steps=1)
    assert (first.step, second.step) == (2, 3)
    assert second.spent_s > first.spent_s
    made, shipped = (json.loads((folder / "config.json").read_text()) for folder in (tmp_path / "export", CHECKPOINT))
    assert made == shipped
    (result,) = Detector(tmp_path / "export").detect([np.full((64, 48, 3), 255, np.uint8)], [None])
    assert isinstance(result, list)


def test_images_grow_with_the_run():
    """Small images early are what makes a run of an hour possible; the last must be as detection's."""
    drawing = PageBatches(0, 2, 0.0)
    stream = iter(drawing)
    sides = []
    for share in (0.0, 0.5, 0.9):
        drawing.share_done = share
        sides.append(max(next(stream)["img"].shape[2:]))
    assert sides == [448, 640, 640]


def test_a_batch_has_its_boxes_in_shares_of_the_image():
    """The loss takes centres and sizes in 0..1; pixels would be lost to clipping without a word."""
    batch = next(iter(PageBatches(0, 3, 0.0, SMALL)))
    assert batch["img"].shape[:2] == (3, 3)
    assert 0 <= batch["img"].min() <= batch["img"].max() <= 1
    assert len(batch["bboxes"]) == len(batch["cls"]) == len(batch["batch_idx"]) > 0
    assert 0 <= batch["bboxes"].min() <= batch["bboxes"].max() <= 1


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a worker stopped while it sends aborts
def test_worker_processes_draw_other_pages_than_one_another():
    """Two workers with one seed would double each page and not its number."""
    drawing = itertools.islice(PageBatches(0, 2, 0.0, SMALL).loader(num_workers=2), 4)
    sums = {float(batch["img"].sum()) for batch in drawing}
    assert len(sums) == 4
