"""Embedder: texts to vectors; the model loads beside the serving, so the graph is ready before it."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from configs import Settings
from retrieval.embedder import Embedder as Model


class Embedder:
    """One model in one thread; without weights every answer is None, and search is full text alone."""

    def __init__(self, settings: Settings) -> None:
        self._settings, self._device = settings.embedder, settings.device
        self._folder = Model.find(settings.embedder.model)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedder")  # one call of it at a time
        self._model: Model | None = None

    async def embed(self, texts: list[str]) -> np.ndarray | None:
        """float32 (n, dimension), normalised; None when no weights are there."""
        if self._folder is None:
            return None
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._embed, self._folder, texts)

    async def about(self) -> dict[str, Any]:
        """The model's name, or None where search is full text alone."""
        return {"model": self._settings.model if self._folder else None, "loaded": self._model is not None}

    def _embed(self, folder: Path, texts: list[str]) -> np.ndarray:
        if self._model is None:
            from deployments.device import choose_device  # here: loads torch

            self._model = Model(folder, choose_device(self._device), self._settings.batch_size)
        return self._model.embed(texts)
