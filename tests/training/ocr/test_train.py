"""A few steps of the reader's training."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import GotOcr2ForConditionalGeneration

from documents.ocr_input.strip_folding import square
from training.ocr.batches import StripBatches, batch_of
from training.ocr.model import EOS, PAD
from training.ocr.read import Reader
from training.ocr.strips import StripPress
from training.ocr.train import train
from training.ocr.trainee import Trainee
from training.ocr.trainer import Trainer
from training.state import read_state

SIZES = (32, 96, 1, 2)
CHECKPOINT = Path(__file__).parents[3] / "checkpoints" / "ocr-compact"


def smoke(out, **settings):
    return train(out, 60, rows_each=16, sizes=SIZES, **settings)


def test_a_run_goes_on_from_its_state(tmp_path):
    """A run that starts again from nothing after each stop never gets anywhere."""
    first = smoke(tmp_path, max_steps=2)
    state = read_state(tmp_path, "cpu")
    resumed = Trainer(SIZES, "cpu")
    assert resumed.load(tmp_path)
    for name, weight in resumed.trainee.state_dict().items():
        assert torch.equal(weight, state["parts"][0][name])
    second = smoke(tmp_path, max_steps=1)
    assert (first.step, second.step) == (2, 3)
    assert second.num_strips > first.num_strips
    assert second.spent_s > first.spent_s
    moments = read_state(tmp_path, "cpu")["parts"][2]["state"]
    assert next(iter(moments.values()))["step"] == 3


def test_export_writes_what_the_checkpoint_folder_holds(tmp_path):
    """A file that is missing, or read by other rules, is found only when a server starts on it."""
    smoke(tmp_path, max_steps=1)
    exported = {path.name for path in (tmp_path / "export").iterdir()}
    afterwards = {"README.md", "confidence.json", "draft_head.safetensors"}
    assert exported == {path.name for path in CHECKPOINT.iterdir()} - afterwards
    for name in ("reading.json", "preprocessor_config.json", "tokenizer.json"):
        result, shipped = (json.loads((folder / name).read_text()) for folder in (tmp_path / "export", CHECKPOINT))
        assert result == shipped
    text = Reader(tmp_path / "export").texts([np.full((256, 256, 3), 255, np.uint8)])
    assert len(text) == 1


def test_the_exported_model_sees_as_the_trained_one(tmp_path):
    """Training sees one channel and few rows, the export three and a whole square: both must give the same tokens."""
    torch.manual_seed(0)
    trainee = Trainee(*SIZES).eval()
    _, rows, where = StripPress(1).strip(20)
    image = batch_of([("a", rows, np.full_like(where, -1))], 8).image
    with torch.inference_mode():
        visited = trainee.see(image)
    trainee.export(tmp_path)
    shipped = GotOcr2ForConditionalGeneration.from_pretrained(tmp_path, dtype=torch.float32).eval()
    with torch.inference_mode():
        pixels = torch.from_numpy(square(rows).copy()).permute(2, 0, 1)[None].float().div(127.5).sub(2.0)
        features = shipped.model.get_image_features(pixels).pooler_output
    assert torch.allclose(visited.flatten(), features.flatten(), atol=0.02)


def test_a_batch_asks_for_each_text_and_its_end():
    """A text without its end teaches the reader to go on for ever."""
    batch = next(iter(StripBatches(0, 16, 12)))
    assert batch.image.shape[0] == len(batch.targets)
    for row, looks in zip(batch.targets, batch.looks, strict=True):
        length = int((row != PAD).sum())
        assert row[length - 1] == EOS
        assert (row[length:] == PAD).all()
        assert looks[length - 1] == -1


@pytest.mark.slow
def test_worker_processes_draw_other_strips_than_one_another():
    """Two workers with one seed would double each drawing and not its number."""
    batches = itertools.islice(StripBatches(0, 16, 12).loader(num_workers=2), 4)
    expected = [tuple(batch.targets.flatten().tolist()) for batch in batches]
    assert len(set(expected)) == 4
