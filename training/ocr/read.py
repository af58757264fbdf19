"""The checkpoint read by `generate()` of transformers: what evaluation measures, and the oracle of the engine."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import AutoTokenizer, GotOcr2ForConditionalGeneration

from documents.strips import cut


class Reader:
    """A loaded checkpoint; it reads greedily."""

    def __init__(self, folder: str | Path) -> None:
        self._tokenizer: Any = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        self._model: Any = GotOcr2ForConditionalGeneration.from_pretrained(
            folder, dtype=torch.float32, local_files_only=True
        ).eval()
        begin, end = self._tokenizer.convert_tokens_to_ids(["<img>", "</img>"])
        config = self._model.config
        self._prompt = torch.tensor([[begin, *[config.image_token_id] * config.image_seq_length, end]])

    @torch.inference_mode()
    def texts(self, squares: list[np.ndarray], batch_size: int = 16) -> list[str]:
        """The text of each square, uint8 (256, 256, 3), in order."""
        found: list[str] = []
        for start in range(0, len(squares), batch_size):
            image = torch.from_numpy(np.stack(squares[start : start + batch_size])).permute(0, 3, 1, 2)
            prompt = self._prompt.expand(len(image), -1)
            out = self._model.generate(
                input_ids=prompt, attention_mask=torch.ones_like(prompt), pixel_values=image.float().div(127.5).sub(2.0)
            )
            found += self._tokenizer.batch_decode(out[:, prompt.shape[1] :], skip_special_tokens=True)
        return found

    def joined(self, lines: list[tuple[np.ndarray, ...]]) -> list[str]:
        """The text of each line, whose squares are given from the left."""
        found = iter(self.texts(list(itertools.chain(*lines))))
        return [" ".join(itertools.islice(found, len(squares))) for squares in lines]

    def region(self, picture: np.ndarray) -> str:
        """The text of a region's picture, uint8 (height, width, 3) or (height, width), a line for each line of it."""
        return "\n".join(self.joined([strip.squares for strip in cut(picture)]))
