"""The Embedder deployment: batches texts into vectors; queries have a queue of their own, so that no document
delays one.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import numpy as np
from ray import serve
from ray.util.metrics import Histogram

from configs import Settings
from deployments.calls.background_tasks import detached
from deployments.calls.cancellable_calls import together
from deployments.replicas.batch_loop import check_batch_loop, safe_batch_size
from deployments.replicas.model_thread import ModelThread
from retrieval.embedding.embedder import Embedder as Model
from retrieval.embedding.embedder import Encoded, batches
from retrieval.embedding.embedder_weights import Recipe, name_of
from retrieval.embedding.vectors import Vectors

SIZES: list[float] = [1, 2, 4, 8, 16, 32, 64, 128, 256]
STOP_MESSAGE = "the embedder replica is stopping"


@dataclass(frozen=True, slots=True)
class Slice:
    """Texts of one document that go through the model together."""

    model: Model
    encoded: Encoded


MAX_TEXTS = 512  # texts of a document that are tokenised at the same time
MAX_SLICES = 2  # slices of a document in the queue: one runs, and the next is ready when it ends


def cost(slices: list[Slice]) -> int:
    """Tokens of slices, padding counted."""
    return sum(part.encoded.num_tokens for part in slices)


class Embedder:
    """One model and two threads that use it: of documents, and of queries; without weights every answer is None."""

    def __init__(self, settings: Settings) -> None:
        options, search = settings.embedder, settings.search
        self._device = settings.device
        self._batch_tokens = options.batch_tokens
        self._folder = Model.find(options.model)
        self._name = None if self._folder is None else name_of(self._folder)
        if self._folder is not None:
            Recipe.of(self._folder)  # what cannot be loaded is refused at the start, not with the first document
        self._documents = ModelThread("embed-documents")
        self._queries = ModelThread("embed-queries")
        self._loading: asyncio.Task[Model] | None = None
        self._model: Model | None = None
        self._batch_size = Histogram("pagemill_embedder_batch_texts", "Texts per batch.", SIZES, ("lane",))
        lane: Any = self._query_batch  # what the decorator adds to the method is not typed
        lane.set_max_batch_size(search.prefetch_batch if search.prefetches else 1)
        lane.set_batch_wait_timeout_s(search.prefetch_wait_s if search.prefetches else 0)

    async def embed(self, texts: list[str]) -> Vectors | None:
        """A vector for each text of a document; None when no weights are there."""
        if self._folder is None:
            return None
        model = await self._loaded()
        values = np.zeros((len(texts), model.dimension), np.float32)
        for start in range(0, len(texts), MAX_TEXTS):
            values[start : start + MAX_TEXTS] = await self._embedded(model, texts[start : start + MAX_TEXTS])
        return Vectors(values, model.id)

    async def _embedded(self, model: Model, texts: list[str]) -> np.ndarray:
        """The vectors of some texts of a document, which has few slices in the queue: others' need not wait for all."""
        encoded = await self._documents.run(model.encode, texts)
        cut = batches([len(ids) for ids in encoded.token_ids], model.batch_tokens)
        places = asyncio.Semaphore(MAX_SLICES)
        values = np.zeros((len(texts), model.dimension), np.float32)

        async def run(batch: list[int]) -> None:
            async with places:
                part = Slice(model, Encoded(tuple(encoded.token_ids[k] for k in batch)))
                values[batch] = _checked(await self._document_batch(part))

        await together(map(run, cut))
        return values

    async def embed_query(self, text: str) -> Vectors | None:
        """The vector of a query, one row; None when no weights are there."""
        if self._folder is None:
            return None
        model = await self._loaded()
        return Vectors(_checked(await self._query_batch(text))[None], model.id)

    async def about(self) -> dict[str, Any]:
        """The model's name and identity, or None where search is full text alone."""
        if self._folder is None:
            return {"model": None, "loaded": False}
        loaded = self._model
        facts = {"model": self._name, "loaded": loaded is not None}
        return facts | ({"id": loaded.id, "dimension": loaded.dimension} if loaded else {})

    async def warm(self) -> None:
        """Return when the model is loaded and has run once: the first document does not wait for it."""
        if self._folder is not None:
            await self.embed_query("warm")

    async def check_health(self) -> None:
        """Raises when a model is stuck at a batch or no more batches are formed, so that Serve replaces the replica."""
        self._documents.check()
        self._queries.check()
        await check_batch_loop(self._document_batch)
        await check_batch_loop(self._query_batch)

    @serve.batch(max_batch_size=2048, batch_wait_timeout_s=0.005, batch_size_fn=safe_batch_size(cost))
    async def _document_batch(self, slices: list[Slice]) -> list[Any]:
        return await self._safely(self._documents, self._run_slices, slices)

    @serve.batch(max_batch_size=8, batch_wait_timeout_s=0.005)
    async def _query_batch(self, texts: list[str]) -> list[Any]:
        return await self._safely(self._queries, self._run_queries, texts)

    def _run_slices(self, slices: list[Slice]) -> list[Any]:
        model = slices[0].model
        token_ids = [ids for part in slices for ids in part.encoded.token_ids]
        values = np.zeros((len(token_ids), model.dimension), np.float32)
        for batch in batches([len(ids) for ids in token_ids], model.batch_tokens):
            self._batch_size.observe(len(batch), {"lane": "documents"})
            values[batch] = model.run(Encoded(tuple(token_ids[k] for k in batch)))
        return np.split(values, np.cumsum([len(part.encoded) for part in slices])[:-1])

    def _run_queries(self, texts: list[str]) -> list[Any]:
        assert self._model is not None
        self._batch_size.observe(len(texts), {"lane": "queries"})
        return list(self._model.embed(texts, "query").values)

    async def _safely(self, thread: ModelThread, work: Any, items: list[Any]) -> list[Any]:
        try:
            return await thread.run(work, items)
        except asyncio.CancelledError:  # would leave the callers of @serve.batch waiting for ever
            return [RuntimeError(STOP_MESSAGE)] * len(items)

    async def _loaded(self) -> Model:
        """The model, loaded once, by whoever comes first; that caller's leaving does not stop it."""
        if self._loading is None or _failed(self._loading):
            self._loading = detached(self._load())
        return await asyncio.shield(self._loading)

    async def _load(self) -> Model:
        model = await self._documents.run(self._read)
        lane: Any = self._document_batch
        lane.set_max_batch_size(model.batch_tokens)  # no slice has more
        self._model = model
        return model

    def _read(self) -> Model:
        from deployments.replicas.device import choose_device  # here: loads torch

        assert self._folder is not None
        return Model(self._folder, choose_device(self._device), self._batch_tokens)


def _checked(values: Any) -> np.ndarray:
    if isinstance(values, Exception):
        raise values
    return values


def _failed(task: asyncio.Task[Any]) -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)
