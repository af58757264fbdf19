"""The Search deployment: writes a document's chunks to the index in one commit, and answers queries from it."""

from __future__ import annotations

import asyncio
import importlib
import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from ray.util.metrics import Counter, Gauge, Histogram

from configs import Settings
from deployments.calls.background_tasks import detached
from deployments.calls.cancellable_calls import call
from deployments.calls.handles import EmbedderHandle
from deployments.errors import Busy
from deployments.library_internals.worker_start import without_pandas
from deployments.replicas.loop_watchdog import watch_loop
from deployments.search.index_storage import IndexStorage, names_outages
from retrieval.chunking.chunk import Chunk
from retrieval.embedding.vectors import Vectors
from retrieval.errors import IndexMismatch, NoEmbedder
from retrieval.search.passage import DocumentSource, IndexedDocument, StoredChunk
from retrieval.search.query import Query, Retrieved
from retrieval.search.query_cache import RetrievalCache

if TYPE_CHECKING:  # they load LanceDB, which whoever builds the graph can do without, and which starts threads
    from retrieval.index.index import Index
    from retrieval.index.maintenance import Upkeep
    from retrieval.index.sharded_index import ShardedIndex
    from retrieval.search.retriever import Retriever

logger = logging.getLogger("ray.serve")
SECONDS: list[float] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]


@dataclass(frozen=True, slots=True)
class _OpenedIndex:
    """The index, what keeps each of its tables compact, and what answers from it."""

    index: Index | ShardedIndex
    upkeeps: Sequence[Upkeep]  # by shard
    retriever: Retriever

    def table(self, shard: int) -> Index:
        """That of a shard. Raises Busy, where another replica must know more of them: shards are being added."""
        if shard >= len(self.index.shards):
            raise Busy(f"shard {shard} is not here yet")
        return self.index.shards[shard]


class Search:
    """Public to Ray jobs: `query`, `documents`, `chunks`, `rebuild`."""

    def __init__(self, settings: Settings, embedder: EmbedderHandle) -> None:
        self._settings = settings
        self._embedder = embedder
        self.storage = IndexStorage(settings.index_uri, settings.index.storage_options)
        self._opening = asyncio.Lock()
        self._opened_index: _OpenedIndex | None = None
        self._rebuilding: asyncio.Task[None] | None = None
        self._warm = False
        self._queries = Counter("pagemill_search_queries", "Queries answered.", ("mode", "cache"))
        self._seconds = Histogram("pagemill_search_seconds", "Seconds from call to answer.", SECONDS, ("cache",))
        self._kept = Gauge("pagemill_search_cache_entries", "Results in the cache.")
        self._vectors_written = Counter(
            "pagemill_search_chunk_vectors",
            "Chunks written to the index, by whether their vector is new or that of the earlier revision.",
            ("vector",),
        )
        self._unembedded = Counter("pagemill_search_unembedded_documents", "Documents indexed without vectors.")
        watch_loop(settings.limits.loop_stall_s)

    @names_outages
    async def replace(
        self,
        document_id: str,
        chunks: list[str],
        *,
        namespace: str,
        revision: int,
        metadata: Mapping[str, str] | None = None,
        source: DocumentSource | None = None,
        shard: int = 0,
    ) -> None:
        """Put a document's chunks (as JSON) in the place of an earlier revision, in one commit; a later one stays.

        A document stays in the table of one shard.

        Chunks that the earlier revision has, too, keep their vectors; the others are embedded. Where the index holds
        vectors of another model, the document is found by its text until the index is rebuilt.
        """
        opened = await self._opened()
        table = opened.table(shard)
        parsed = await asyncio.to_thread(lambda: list(map(Chunk.model_validate_json, chunks)))
        vectors: Vectors | None = None
        try:
            vectors = await self._vectors(opened.index, table, document_id, namespace, parsed)
            accepted = await table.replace(document_id, namespace, revision, parsed, vectors, metadata, source)
        except IndexMismatch as error:
            logger.warning("%s is indexed by its text only: %s", document_id, error)
            accepted = await table.replace(document_id, namespace, revision, parsed, None, metadata, source)
            vectors = None
        opened.upkeeps[shard].committed()
        if vectors is None and chunks:
            self._unembedded.inc()
        if not accepted:
            logger.info("revision %d of %s is not indexed: the index has a newer one", revision, document_id)

    @names_outages
    async def forget(self, document_id: str, *, namespace: str, shard: int = 0) -> None:
        """Remove a document from a shard of the index."""
        opened = await self._opened()
        await opened.table(shard).delete(document_id, namespace)
        opened.upkeeps[shard].committed()

    @names_outages
    async def query(
        self,
        query: Query | str,
        *,
        namespace: str = "default",
        bypass_cache: bool = False,
        **options: Any,
    ) -> Retrieved:
        """The passages that answer best, and how they were found; a text may come with `k` and what else Query knows.

        Nothing of another namespace is found. Raises IndexMismatch, NoEmbedder.
        """
        full_query = Query(text=query, **options) if isinstance(query, str) else query
        retriever = (await self._opened()).retriever
        retrieved = await retriever.retrieve(
            full_query.model_copy(update={"namespace": namespace}), bypass=bypass_cache
        )
        self._record(retriever, retrieved)
        return retrieved

    @names_outages
    async def documents(
        self, *, namespace: str = "default", after: str = "", limit: int = 100
    ) -> list[IndexedDocument]:
        """The documents that search knows, by their ids from `after` on."""
        return await (await self._opened()).retriever.searcher.documents(namespace, after, limit)

    @names_outages
    async def chunks(
        self, document_id: str, *, namespace: str = "default", first: int = 0, limit: int = 100
    ) -> list[StoredChunk]:
        """The chunks of a document in order, from the ordinal `first` on."""
        return await (await self._opened()).retriever.searcher.chunks(document_id, namespace, first, limit)

    @names_outages
    async def rebuild(self) -> dict[str, Any]:
        """Begin to give every chunk a vector of the embedder that is there now, unless that is under way.

        Raises NoEmbedder.
        """
        opened = await self._opened()
        if (await call(self._embedder.about.remote()))["model"] is None:
            raise NoEmbedder("the index cannot be rebuilt without an embedder: set embedder.model")
        if self._rebuilding is None:
            self._rebuilding = detached(self._rebuild(opened))
        return await self.state()

    @names_outages
    async def state(self) -> dict[str, Any]:
        """What the index holds, and how far its rebuilding is."""
        opened = await self._opened()
        index, cache = opened.index, opened.retriever.cache
        embedder = await index.embedder()
        return {
            "num_chunks": await index.count(),
            "num_without_vector": await index.num_without_vector(),
            "embedder": None if embedder is None else embedder[0],
            "version": await index.version(),
            "rebuilding": self._rebuilding is not None,
            "cache": dict(cache.counts) if cache else None,
        }

    @names_outages
    async def about(self) -> dict[str, Any]:
        """The search mode: `hybrid`, or `full_text` without an embedder. Raises IndexAway."""
        if not self._warm:  # once: a server is ready when its first document need not wait for a model
            await self._opened()
            await call(self._embedder.warm.remote())
            self._warm = True
        await self.storage.check()
        embedder = await call(self._embedder.about.remote())
        return {"mode": "full_text" if embedder["model"] is None else "hybrid", "embedder": embedder}

    async def _rebuild(self, opened: _OpenedIndex) -> None:
        from retrieval.index.rebuild import rebuild

        try:
            num_embedded = await rebuild(opened.index, self._embed, ahead=self._settings.search.ahead)
            logger.info("the index was rebuilt: %d chunks embedded", num_embedded)
        except Exception:
            logger.exception("rebuilding the index was interrupted; the next call resumes it")
        finally:
            self._rebuilding = None
            for upkeep in opened.upkeeps:  # as many commits as batches, and the vector index went with the vectors
                upkeep.committed()

    async def _vectors(
        self, index: Index | ShardedIndex, table: Index, document_id: str, namespace: str, chunks: list[Chunk]
    ) -> Vectors | None:
        """One for each chunk, by the embedder of now; None: there is none. Raises IndexMismatch."""
        stored, embedder = await table.vectors(document_id, namespace)
        made = await self._made(chunks, stored)
        if made is None:
            return None
        # a table without vectors takes those of the others' model alone
        await (table if await table.embedder() is not None else index).check(made)
        if embedder not in (None, (made.embedder, made.dimension)):  # the index was rebuilt meanwhile
            stored = {}
            if (made := await self._made(chunks, stored)) is None:
                return None
        for kind, count in (("new", len(made)), ("kept", len(chunks) - len(made))):
            if count:  # a counter refuses 0
                self._vectors_written.inc(count, {"vector": kind})
        return await asyncio.to_thread(_completed, chunks, stored, made)

    async def _made(self, chunks: list[Chunk], stored: Collection[str]) -> Vectors | None:
        """Vectors of the chunks that have none stored."""
        return await call(self._embedder.embed.remote(await asyncio.to_thread(_texts, chunks, stored)))

    async def _embed(self, texts: list[str]) -> Vectors:
        vectors: Vectors | None = await call(self._embedder.embed.remote(texts))
        if vectors is None:
            raise NoEmbedder("the embedder stopped")
        return vectors

    async def _embed_query(self, text: str) -> Vectors | None:
        return await call(self._embedder.embed_query.remote(text))

    async def _opened(self) -> _OpenedIndex:
        async with self._opening:
            if self._opened_index is None:
                self._opened_index = await self._open()
            return self._opened_index

    async def _open(self) -> _OpenedIndex:
        await asyncio.to_thread(_load_lancedb)
        from retrieval.index.index import Index
        from retrieval.index.maintenance import Upkeep
        from retrieval.index.sharded_index import ShardedIndex
        from retrieval.search.retriever import Retriever

        where, search, num_shards = self._settings.index, self._settings.search, self._settings.shards
        opening = self._settings.index_uri, where.storage_options, where.consistency_s, where.cache_mb
        index = await (Index.open(*opening) if num_shards == 1 else ShardedIndex.open(*opening, num_shards))
        upkeeps = [
            Upkeep(shard, commits=where.tidy_commits, wait_s=where.tidy_s, vector_rows=where.vector_rows)
            for shard in index.shards
        ]
        for upkeep in upkeeps:
            upkeep.committed()  # of a process before this one, perhaps
        cache = RetrievalCache(search.cache_entries) if search.caches else None
        return _OpenedIndex(index, upkeeps, Retriever(index, self._embed_query, cache=cache))

    def _record(self, retriever: Retriever, retrieved: Retrieved) -> None:
        tier = retrieved.cache.tier
        self._queries.inc(tags={"mode": retrieved.result.mode, "cache": tier})
        self._seconds.observe(sum(retrieved.timings.values()), {"cache": tier})
        if retriever.cache is not None:
            self._kept.set(len(retriever.cache))


def _load_lancedb() -> None:
    """Import what opens the index, which takes a second."""
    with without_pandas():
        importlib.import_module("retrieval.index.rebuild")
        importlib.import_module("retrieval.index.maintenance")
        importlib.import_module("retrieval.search.retriever")


def _texts(chunks: Iterable[Chunk], stored: Collection[str]) -> list[str]:
    """What is to be embedded: the texts of the chunks that have no vector."""
    return [chunk.embedding_text for chunk in chunks if chunk.id not in stored]


def _completed(chunks: Sequence[Chunk], stored: Mapping[str, np.ndarray], made: Vectors) -> Vectors:
    """The vectors that were made, between the stored ones."""
    values = np.empty((len(chunks), made.dimension), np.float32)
    new = iter(made.values)
    for row, chunk in enumerate(chunks):
        values[row] = next(new) if chunk.id not in stored else stored[chunk.id]
    return Vectors(values, made.embedder)
