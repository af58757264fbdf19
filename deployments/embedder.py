"""Embedder: texts to vectors; the model loads beside the serving, so the graph is ready before it."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np

from configs import Settings
from configs.settings import checkpoint_path
from retrieval.embedder import Embedder as Model


class Embedder:
    """One model in one thread; without weights every answer is None, and search is full text alone."""

    def __init__(self, settings: Settings) -> None:
        named = settings.embedder.model
        self._name = named
        self._folder = Model.find(checkpoint_path(named)) if named else None
        self._thread = asyncio.Lock()  # one encode at a time
        self._model: Model | None = None

    async def embed(self, texts: list[str]) -> np.ndarray | None:
        """float32 (n, dimension), normalised; None when no weights are there."""
        if self._folder is None:
            return None
        async with self._thread:
            return await asyncio.to_thread(self._embed, texts)

    async def about(self) -> dict[str, Any]:
        """The model's name, or None where search is full text alone."""
        return {"model": self._name if self._folder else None, "loaded": self._model is not None}

    def _embed(self, texts: list[str]) -> np.ndarray:
        if self._model is None:
            self._model = Model(self._folder)
        return self._model.embed(texts)
