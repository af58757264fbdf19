"""A trainer that begins with a checkpoint."""

from pathlib import Path

import torch
from safetensors.torch import load_file
from transformers import GotOcr2ForConditionalGeneration

from training.ocr.batches import StripBatches
from training.ocr.trainee import DRAFT_HEAD, Trainee
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
    late = [weight.clone() for weight in trainer.trainee.heads[1].parameters()]
    read, look, *_ = trainer.step(batch, 0.1).tolist()
    assert read < 1.0
    assert look < 1.0
    assert all(torch.equal(old, new) for old, new in zip(late, trainer.trainee.heads[1].parameters(), strict=True))


def test_a_new_draft_head_learns_without_moving_what_the_reader_sees():
    """What a head of chance weights asks for at first would spoil a reader that is good already."""
    trainer = Trainer(SIZES, "cpu")
    trainer.adopt(CHECKPOINT)
    batch = next(iter(StripBatches(0, 8, 20, {"plain": 1.0})))
    for help_by, moved in (("lone draft", False), ("draft", True)):
        _, _, place, text = trainer.trainee(*batch, help_by)
        grads = torch.autograd.grad(
            place + text, (trainer.trainee.position, trainer.trainee.heads[0][1].weight), allow_unused=True
        )
        assert grads[1].abs().sum() > 0
        assert (grads[0] is not None) == moved


def test_the_draft_head_reads_the_projectors_tokens_as_it_did_in_training(tmp_path):
    """A head that is kept beside weights that it does not fit drafts at random."""
    trainee = Trainee(32, 96, 1, 2).eval()
    trainee.export(tmp_path)
    rest = load_file(tmp_path / DRAFT_HEAD)
    tokens = torch.randn(3, 96)
    normed = torch.nn.functional.layer_norm(tokens, (96,), rest["0.weight"].float(), rest["0.bias"].float())
    drafted = torch.nn.functional.linear(normed, rest["1.weight"].float(), rest["1.bias"].float())
    assert torch.allclose(drafted, trainee.heads[0](tokens), atol=0.05)
