"""Search: the index of chunks; a document's revision is replaced in one commit, and found as passages."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import numpy as np
from ray.serve.handle import DeploymentHandle

from configs import Settings
from deployments.calls import call
from retrieval.chunk import Chunk
from retrieval.index import Index
from retrieval.passage import Passage

logger = logging.getLogger("ray.serve")


class Search:
    """Public to Ray jobs: `query`."""

    def __init__(self, settings: Settings, embedder: DeploymentHandle) -> None:
        self._uri, self._embedder = settings.index_uri, embedder
        self._opening = asyncio.Lock()
        self._index: Index | None = None

    async def replace(
        self,
        document_id: str,
        chunks: list[Chunk],
        vectors: np.ndarray | None,
        *,
        namespace: str,
        revision: int,
    ) -> None:
        """Put a document's chunks in the place of an earlier revision, in one commit; a later one stays."""
        index = await self._opened()
        if not await index.replace(document_id, namespace, revision, chunks, vectors):
            logger.info("revision %d of %s is not indexed: a newer one is there", revision, document_id)

    async def forget(self, document_id: str, *, namespace: str) -> None:
        """Remove a document from the index."""
        index = await self._opened()
        await index.delete(document_id, namespace)

    async def query(self, text: str, *, k: int = 10, namespace: str = "default") -> list[Passage]:
        """The `k` passages that answer best: vectors and full text where an embedder is there, else full text."""
        vectors = await call(self._embedder.embed.remote([text]))
        index = await self._opened()
        return await index.query(text, None if vectors is None else vectors[0], k, namespace=namespace)

    async def about(self) -> dict[str, Any]:
        embedder = await call(self._embedder.about.remote())
        return {"mode": "full_text" if embedder["model"] is None else "hybrid", "embedder": embedder}

    async def _opened(self) -> Index:
        async with self._opening:
            if self._index is None:
                self._index = await Index.open(self._uri)
            return self._index
