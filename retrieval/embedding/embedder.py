"""Computes embedding vectors of texts and queries with a local model: tokenizing, batching, pooling, normalizing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from retrieval.chunking.chunk_size import limit_of
from retrieval.embedding.embedder_weights import Recipe, find, name_of
from retrieval.embedding.vectors import Vectors

if TYPE_CHECKING:
    import torch

Purpose = Literal["document", "query"]


@dataclass(frozen=True, slots=True)
class Encoded:
    """Texts as token ids, special ones among them, cut where the model sees no further."""

    token_ids: tuple[tuple[int, ...], ...]

    def __len__(self) -> int:
        return len(self.token_ids)

    @property
    def num_tokens(self) -> int:
        """What the texts cost when they share a batch: all are as long as the longest."""
        return max(map(len, self.token_ids), default=0) * len(self.token_ids)


class Embedder:
    """An encoder of a sentence-transformers folder; any thread may call it, and it never contacts the network."""

    def __init__(self, path: Path, device: str = "cpu", batch_tokens: int = 2048) -> None:
        """Load the weights of a folder; `batch_tokens` bounds a batch, padding counted.

        Raises WrongWeights where the folder needs more than an encoder and one of the known poolings.
        """
        from transformers import AutoModel, AutoTokenizer  # here: `find` serves processes that never import torch

        self.folder = path
        self._recipe = Recipe.of(path)
        self.name = name_of(path)
        self.id = f"{self.name}@{self._recipe.fingerprint(path)}"  # equal for equal weights, pooling and prompts
        self._limit = limit_of(path)
        self.batch_tokens = max(batch_tokens, self._limit)
        self._device = device
        own: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}  # no code of a checkpoint is run
        self._tokenizer: Any = AutoTokenizer.from_pretrained(path, **own)
        self._model = AutoModel.from_pretrained(path, **own, use_safetensors=True).eval().to(device)
        self.dimension: int = self._model.config.hidden_size

    @staticmethod
    def find(setting: str | None) -> Path | None:
        """See `retrieval.embedding.embedder_weights.find`."""
        return find(setting)

    def embed(self, texts: list[str], purpose: Purpose = "document") -> Vectors:
        """A vector for each text; what the model does not see of a text is cut: see `tokens`."""
        encoded = self.encode(texts, purpose)
        values = np.zeros((len(texts), self.dimension), np.float32)
        for batch in batches([len(ids) for ids in encoded.token_ids], self.batch_tokens):
            values[batch] = self.run(Encoded(tuple(encoded.token_ids[k] for k in batch)))
        return Vectors(values, self.id)

    def encode(self, texts: list[str], purpose: Purpose = "document") -> Encoded:
        """The tokens of texts, under the prompt that the model was trained with for this purpose."""
        if not texts:
            return Encoded(())
        prompt = getattr(self._recipe.prompts, purpose)
        encoded = self._tokenizer([prompt + text for text in texts], truncation=True, max_length=self._limit)
        return Encoded(tuple(map(tuple, encoded["input_ids"])))

    def run(self, encoded: Encoded) -> np.ndarray:
        """float32 (n, dimension) in one pass of the model; the caller bounds what is in it."""
        import torch

        if not len(encoded):
            return np.zeros((0, self.dimension), np.float32)
        padded = self._tokenizer.pad({"input_ids": [list(ids) for ids in encoded.token_ids]}, return_tensors="pt")
        padded = {name: value.to(self._device) for name, value in padded.items()}
        with torch.inference_mode():
            hidden = self._model(**padded).last_hidden_state
            pooled = _pooled(hidden, padded["attention_mask"], self._recipe.pooling)
            return torch.nn.functional.normalize(pooled.float(), dim=1).cpu().numpy()


def batches(lengths: Sequence[int], max_tokens: int) -> list[list[int]]:
    """Indices of texts of these lengths in batches of like lengths, none over `max_tokens` when padded, unless a text
    is so alone.
    """
    cut: list[list[int]] = []
    for k in sorted(range(len(lengths)), key=lambda k: lengths[k]):  # the longest of a batch comes last
        if cut and (len(cut[-1]) + 1) * lengths[k] <= max_tokens:
            cut[-1].append(k)
        else:
            cut.append([k])
    return cut


def _pooled(hidden: torch.Tensor, attention: torch.Tensor, pooling: str) -> torch.Tensor:
    """(n, tokens, dimension) to (n, dimension); special tokens count, padding does not."""
    import torch

    if pooling == "cls":
        return hidden[torch.arange(len(hidden)), attention.argmax(1)]
    if pooling == "lasttoken":
        width = attention.shape[1]
        return hidden[torch.arange(len(hidden)), width - 1 - attention.flip(1).argmax(1)]
    mask = attention[..., None].to(hidden.dtype)
    if pooling == "max":
        return hidden.masked_fill(mask == 0, -torch.inf).max(1).values
    return (hidden * mask).sum(1) / mask.sum(1)
