"""A trainer that begins with a checkpoint."""

from pathlib import Path

import torch
from transformers import GotOcr2ForConditionalGeneration

from training.ocr.batches import StripBatches
from training.ocr.trainer import LAST_LONGEST, SIZES, Trainer

CHECKPOINT = Path(__file__).parents[3] / "checkpoints" / "ocr-compact"


def test_what_is_adopted_is_what_is_exported(tmp_path):
    """A weight that is lost on the way makes each continued run begin worse than it ended."""
    trainer = Trainer(SIZES, "cpu")
    trainer.adopt(CHECKPOINT)
    trainer.trainee.export(tmp_path)
    shipped, again = (
        GotOcr2ForConditionalGeneration.from_pretrained(folder, dtype=torch.float32).state_dict()
        for folder in (CHECKPOINT, tmp_path)
    )
    assert set(shipped) == set(again)
    for name, weight in shipped.items():
        assert torch.allclose(weight, again[name], atol=2e-3), name


def test_an_adopted_reader_knows_its_letters_at_once():
    """A rate that is too high, or a lost weight, shows as a loss of chance."""
    trainer = Trainer(SIZES, "cpu")
    trainer.adopt(CHECKPOINT)
    assert trainer.progress.longest == LAST_LONGEST
    batch = next(iter(StripBatches(0, 8, 20, {"plain": 1.0})))
    heads = [weight.clone() for weight in trainer.trainee.heads.parameters()]
    read, look, *_ = trainer.step(batch, 0.1).tolist()
    assert read < 1.0
    assert look < 1.0
    assert all(torch.equal(old, new) for old, new in zip(heads, trainer.trainee.heads.parameters(), strict=True))
