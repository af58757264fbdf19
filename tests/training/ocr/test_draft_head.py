"""A few steps of the draft head's training."""

import shutil
from pathlib import Path

import torch
from safetensors.torch import load_file
from transformers import GotOcr2Config

from batching.inputs.got.draft_head import FILE_NAME, DraftHead
from training.ocr.draft_head import train

CHECKPOINT = Path(__file__).parents[3] / "checkpoints" / "ocr-compact"


def test_a_head_learns_and_is_written_as_the_engine_reads_it(tmp_path):
    """What the engine loads is what was trained; the next run goes on from it, and the reader's own files stay."""
    folder = tmp_path / "reader"
    shutil.copytree(CHECKPOINT, folder, ignore=shutil.ignore_patterns(FILE_NAME))
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    losses = train(folder, 60, out=tmp_path, rows_each=16, max_steps=12)
    assert losses[-1] < losses[0] / 2
    assert (tmp_path / FILE_NAME).stat().st_size < 1_000_000
    reader = GotOcr2Config.from_pretrained(CHECKPOINT).text_config
    head = DraftHead.of_folder(tmp_path, reader, torch.device("cpu"), torch.float32)
    assert head is not None
    tokens = torch.randn(2, 16, len(load_file(tmp_path / FILE_NAME)["norm.weight"]))
    with torch.inference_mode():
        assert torch.allclose(head(tokens)[1], head(tokens[1]), atol=1e-5)  # alone as in company
    again = train(folder, 60, out=tmp_path, rows_each=16, max_steps=1)
    assert again[0] < losses[0] / 2
    assert before == {path.name: path.read_bytes() for path in folder.iterdir()}
