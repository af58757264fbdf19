"""DraftHead: reads a picture's text from its image tokens alone, for drafts that the decoder verifies."""

# torch tells only part of its types, so unknowns that come from it are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import logging
from pathlib import Path
from typing import Any, Self

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

log = logging.getLogger(__name__)

FILE_NAME = "draft_head.safetensors"  # lies beside the weights
COLUMNS = 8  # of an image token: two a letter, so that CTC can part equal ones
MAX_DISTANCE = 2  # tokens to either side that one layer sees


class DraftHead(nn.Module):
    """CTC over columns of the image tokens in reading order."""

    def __init__(self, width: int, narrow: int, vocabulary: int, depth: int) -> None:
        """`width` of an image token, `narrow` of a column; `depth` layers in which a token sees its neighbours."""
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.mixes = nn.ModuleList(
            nn.Conv1d(width, width, 2 * MAX_DISTANCE + 1, padding=MAX_DISTANCE) for _ in range(depth)
        )
        self.columns = nn.Linear(width, COLUMNS * narrow)
        self.tokens = nn.Linear(narrow, vocabulary)

    def forward(self, features: Tensor) -> Tensor:
        """Logits (..., tokens * COLUMNS, vocabulary) of image tokens (..., tokens, width)."""
        features = self.norm(features)
        for mix in self.mixes:
            features = features + functional.gelu(mix(features.mT).mT)
        columns = functional.gelu(self.columns(features)).unflatten(-1, (COLUMNS, -1))
        return self.tokens(columns).flatten(-3, -2)

    @classmethod
    def of_folder(cls, folder: Path, reader: Any, device: torch.device, dtype: torch.dtype) -> Self | None:
        """That of a checkpoint; None, and a line in the log, if it does not fit `reader`, its text config."""
        file = folder / FILE_NAME
        if not file.is_file():
            return None
        try:
            weights = load_file(file)
            narrow = weights["columns.bias"].shape[0] // COLUMNS
            depth = sum(name.startswith("mixes.") for name in weights) // 2  # a weight and a bias of each
            head = cls(reader.hidden_size, narrow, reader.vocab_size, depth)
            head.load_state_dict(weights)
        except (KeyError, RuntimeError, SafetensorError) as error:
            log.warning("%s is not a draft head of its checkpoint, which reads without drafts: %s", file, error)
            return None
        return head.to(device, dtype).eval()
