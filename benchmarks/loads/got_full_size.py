"""A GOT-OCR2 of the published size and form with random weights: `python -m benchmarks.loads.got_full_size FOLDER`.

Sizes are transformers' defaults of GotOcr2Config, which are the published ones; the vocabulary is made of letters, so
that its text can be read, with the published count of tokens and places of the special ones.
"""

from __future__ import annotations

import base64
import itertools
import string
import sys
from pathlib import Path
from typing import Any

import torch

NUM_RANKS = 151_643  # of qwen.tiktoken
INITIAL = 0.02  # standard deviation of the weights
EMBEDDING = 0.002  # of the tied embedding: with larger ones every token brings itself forth again
DECODER = 0.06  # of the decoder's matrices


def ranks() -> list[bytes]:
    """All bytes, then pairs of letters, then letters behind pairs: each token is a merge of two before it."""
    letters = (string.ascii_letters + string.digits).encode()
    tokens = [bytes([byte]) for byte in range(256)]
    for length in (2, 3):
        tokens += [bytes(token) for token in itertools.product(letters, repeat=length)]
    return tokens[:NUM_RANKS]


def write_ranks(file: Path) -> None:
    """As qwen.tiktoken: a token in base64 and its rank per line."""
    lines = [f"{base64.b64encode(token).decode()} {rank}" for rank, token in enumerate(ranks())]
    file.write_text("\n".join(lines) + "\n", encoding="ascii")


def deviation(name: str) -> float:
    """The standard deviation of a weight's numbers, so that a reading goes on with new tokens."""
    if "language_model.embed_tokens" in name:
        return EMBEDDING
    return DECODER if "language_model.layers" in name else INITIAL


def make(folder: Path) -> None:
    """The folder of a checkpoint in bfloat16, 1.1 GB."""
    from transformers import GotOcr2Config, GotOcr2ForConditionalGeneration, GotOcr2ImageProcessor, GotOcr2Processor

    from batching.inputs.got.original_checkpoint import load_tokenizer

    folder.mkdir(parents=True, exist_ok=True)
    write_ranks(folder / "qwen.tiktoken")
    tokenizer = load_tokenizer(folder / "qwen.tiktoken")
    config: Any = GotOcr2Config()
    assert tokenizer.convert_tokens_to_ids("<imgpad>") == config.image_token_id
    with torch.device("meta"):
        shapes = GotOcr2ForConditionalGeneration(config).state_dict()
    torch.manual_seed(7)
    weights = {
        name: torch.ones(tensor.shape, dtype=torch.bfloat16)
        if "norm" in name and name.endswith("weight")
        else torch.empty(tensor.shape, dtype=torch.bfloat16).normal_(std=deviation(name))
        for name, tensor in shapes.items()
        if name != "lm_head.weight"  # tied
    }
    model = GotOcr2ForConditionalGeneration.from_pretrained(
        None, config=config, state_dict=weights, dtype=torch.bfloat16
    )
    model.save_pretrained(folder)
    size = config.vision_config.image_size
    GotOcr2Processor(GotOcr2ImageProcessor(size={"height": size, "width": size}), tokenizer).save_pretrained(folder)


if __name__ == "__main__":
    make(Path(sys.argv[1]))
