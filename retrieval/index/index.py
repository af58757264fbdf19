"""One table of the LanceDB index: replaces a document's chunks in one commit, and is searched by text and vector."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from typing import Self

import lancedb
import numpy as np
import pyarrow as pa
from lancedb.db import AsyncConnection
from lancedb.expr import Expr, col, lit
from lancedb.index import FTS, BTree
from lancedb.table import AsyncTable

from retrieval.chunking.chunk import Chunk
from retrieval.embedding.vectors import Vectors
from retrieval.errors import IndexMismatch
from retrieval.index.connection import CACHE_MB, connected
from retrieval.index.fulltext_terms import fulltext_query
from retrieval.index.hits import TEXT_ORDER, VECTOR_ORDER, Row, best_rows, rows_of_query
from retrieval.index.table import (
    ADDED_COLUMNS,
    COLUMNS,
    RESULT_COLUMNS,
    StoredVectors,
    embedder_of,
    rows_of,
    stored_vectors,
    vector_field,
)
from retrieval.search.passage import DocumentSource

TABLE_NAME = "chunks"
REFINE_FACTOR = 10  # exact distances are calculated for this factor times k candidates of the vector index
NUM_PROBES = 32  # number of partitions of a vector index that are searched
NUM_ATTEMPTS = 3
REBUILD_HINT = "call POST /v1/index/rebuild (Index.rebuild), or name the earlier model in embedder.model"


class Index:
    """One LanceDB table of chunks, in a folder or behind an object storage URL; many may have it open."""

    def __init__(self, connection: AsyncConnection, table: AsyncTable, session: lancedb.Session) -> None:
        self._connection = connection
        self.table = table
        self._session = session
        self.shards = (self,)  # as of `ShardedIndex`

    @classmethod
    async def open(
        cls,
        uri: str,
        storage_options: Mapping[str, str] | None = None,
        consistency_s: float | None = 0,
        cache_mb: int = CACHE_MB,
    ) -> Self:
        """Open or make the index of `uri`, which is one table. As `connected` and `of_shard`."""
        return await cls.of_shard(*await connected(uri, storage_options, consistency_s, cache_mb))

    @classmethod
    async def of_shard(cls, connection: AsyncConnection, session: lancedb.Session, shard: int = 0) -> Self:
        """Open or make the table of a shard; it never holds vectors of two models.

        Raises IndexMismatch for a table of another layout.
        """
        name = f"{TABLE_NAME}_{shard}" if shard else TABLE_NAME
        try:
            table = await connection.open_table(name)
        except ValueError:  # LanceDB has no class for a table that is not there
            table = await connection.create_table(name, schema=COLUMNS, exist_ok=True)
        for column in ADDED_COLUMNS:
            await _add_column(table, column)
        if missing := set(COLUMNS.names) - set((await table.schema()).names):
            lacks = f"the index at {connection.uri} lacks {', '.join(sorted(missing))}"
            raise IndexMismatch(f"{lacks}: move it away, ingest again")
        index = cls(connection, table, session)
        await index._prepare()
        return index

    async def replace(
        self,
        document_id: str,
        namespace: str,
        revision: int,
        chunks: list[Chunk],
        vectors: Vectors | None,
        metadata: Mapping[str, str] | None = None,
        source: DocumentSource | None = None,
    ) -> bool:
        """Put `chunks` in the place of all that the document had, in one commit; no chunks: it has none.

        `vectors` has one per chunk, or is None: found by text alone.
        `source` is what passages are cited with. Returns whether the revision was taken: False where
        a newer one is held, which stays as it is.

        Raises RejectedChunks, IndexMismatch.
        """
        if vectors is not None and len(vectors):
            await self._hold(vectors)
        schema = await self.table.schema()
        rows = await asyncio.to_thread(
            rows_of, document_id, namespace, revision, chunks, vectors, metadata or {}, schema, source
        )
        if await self._holds_newer(document_id, namespace, revision):
            return False
        up_to_this = _is_document(document_id, namespace) & (col("revision") <= lit(revision))
        await (
            self.table.merge_insert(["key"])
            .when_matched_update_all(where="target.revision <= source.revision")
            .when_not_matched_insert_all()
            .when_not_matched_by_source_delete(up_to_this)
            .execute(rows, on_bad_vectors="error" if vectors is not None else "null")
        )
        # the merge guards what it updates and deletes, but not what it inserts beside a revision that came meanwhile
        if await self._holds_newer(document_id, namespace, revision):
            await self.table.delete(up_to_this)
            return False
        return True

    async def vectors(self, document_id: str, namespace: str) -> StoredVectors:
        """Those of a document's chunks; chunks that are found by their text alone are left out."""
        if await self.embedder() is not None:
            embedded = f"{_is_document(document_id, namespace).to_sql()} AND vector IS NOT NULL"
            with contextlib.suppress(ValueError):  # the index is being rebuilt: the column went away meanwhile
                table = await self.table.query().select(["chunk_id", "vector"]).where(embedded).to_arrow()
                return await asyncio.to_thread(stored_vectors, table)
        return StoredVectors({}, None)

    async def delete(self, document_id: str, namespace: str) -> None:
        """Forget a document; one that is not there is as good as forgotten."""
        await self.table.delete(_is_document(document_id, namespace))

    async def by_text(self, text: str, where: Expr | None, limit: int) -> list[Row]:
        """The rows whose text under its headings fits best by BM25, best first, ties by key, with `_score`."""
        return await best_rows([await self.text_hits(text, where, limit)], TEXT_ORDER, limit)

    async def text_hits(self, text: str, where: Expr | None, limit: int, columns: Sequence[str] = ()) -> pa.Table:
        """As `by_text`, in no order of ties; with further columns."""
        search = (
            self.table.query()
            .nearest_to_text(fulltext_query(text), columns=["searched"])
            .select([*RESULT_COLUMNS, "_score", *columns])
        )
        return await (search if where is None else search.where(where)).limit(limit).to_arrow()

    async def by_vector(self, vector: np.ndarray, where: Expr | None, limit: int, *, exact: bool = False) -> list[Row]:
        """The rows nearest to `vector`, best first, ties by key, with `_distance` (1 - cosine); `exact` leaves the
        vector index aside.
        """
        return await best_rows(await self.vector_hits(vector, where, limit, exact=exact), VECTOR_ORDER, limit)

    async def vector_hits(
        self, vector: np.ndarray, where: Expr | None, limit: int, *, exact: bool = False
    ) -> list[pa.Table]:
        """As `by_vector`, in no order of ties; no table where there are no vectors."""
        if "vector" not in (await self.table.schema()).names:
            return []
        search = self.table.query().nearest_to(vector).distance_type("cosine").select([*RESULT_COLUMNS, "_distance"])
        search = search.bypass_vector_index() if exact else search.nprobes(NUM_PROBES).refine_factor(REFINE_FACTOR)
        return [await (search if where is None else search.where(where)).limit(limit).to_arrow()]

    async def rows(self, where: Expr | None, limit: int | None = None) -> list[Row]:
        """All rows that match, in no order."""
        query = self.table.query().select(RESULT_COLUMNS)
        query = query if where is None else query.where(where)
        return await rows_of_query(query if limit is None else query.limit(limit))

    async def document_ids(self, where: Expr | None, limit: int) -> tuple[str, ...]:
        """The first `limit` documents of the rows that match, in the order of their ids; each of them once."""
        query = self.table.query().select(["document_id"])
        column = (await (query if where is None else query.where(where)).to_arrow())["document_id"]
        return await asyncio.to_thread(lambda: tuple(column.unique().sort().slice(0, limit).to_pylist()))

    async def documents(self, where: Expr | None) -> list[Row]:
        """Of each document of the rows that match: id, revision, metadata, `num_chunks` and `num_embedded`."""
        marked = "vector IS NOT NULL" if "vector" in (await self.table.schema()).names else "false"
        columns = {name: name for name in ("document_id", "revision", "metadata")}
        query = self.table.query().select(columns | {"has_vector": marked})
        return await asyncio.to_thread(_documents, await (query if where is None else query.where(where)).to_arrow())

    async def embedder(self) -> tuple[str, int] | None:
        """Whose vectors the index holds, and their dimension; None: it has none yet."""
        return embedder_of(await self.table.schema())

    async def check(self, vectors: Vectors) -> None:
        """Raises IndexMismatch where the index holds vectors that `vectors` cannot be compared with."""
        embedder = await self.embedder()
        if embedder is not None and embedder != (vectors.embedder, vectors.dimension):
            raise IndexMismatch(
                f"the index holds vectors of {embedder[0]}, the embedder is {vectors.embedder}: {REBUILD_HINT}"
            )

    async def version(self) -> int:
        """Grows with every commit."""
        return await self.table.version()

    async def count(self, where: Expr | None = None) -> int:
        """Chunks that match, or all."""
        return await self.table.count_rows(None if where is None else where.to_sql())

    @property
    def cached_bytes(self) -> int:
        """What of the index is in memory."""
        return self._session.size_bytes

    async def num_without_vector(self) -> int:
        """Chunks that are found by their text alone."""
        for _ in range(NUM_ATTEMPTS):
            if await self.embedder() is None:
                break
            try:
                return await self.table.count_rows("vector IS NULL")
            except ValueError as error:  # LanceDB has no class for it
                if "No field named vector" not in str(error):
                    raise  # else the index is being rebuilt: the column went away after we had looked
        return await self.count()

    async def close(self) -> None:
        self.table.close()
        self._connection.close()

    async def _holds_newer(self, document_id: str, namespace: str, revision: int) -> bool:
        return await self.count(_is_document(document_id, namespace) & (col("revision") > lit(revision))) > 0

    async def _hold(self, vectors: Vectors) -> None:
        """Give the table its column of vectors, or see that it is theirs."""
        if await self.embedder() is None:
            try:
                await self.table.add_columns(vector_field(vectors.dimension, vectors.embedder))
            except Exception:  # another writer may have been first; LanceDB has no error class for it
                if await self.embedder() is None:
                    raise
        await self.check(vectors)

    async def _prepare(self) -> None:
        """Declare the key and the indices of a new table."""
        if not await self.table.list_indices():
            # undeclared, two writers that insert the same new key would both succeed
            await self.table.set_unenforced_primary_key(["key"])
            await self.table.create_index("searched", config=FTS())
            await self.table.create_index("document_id", config=BTree())


def _documents(marks: pa.Table) -> list[Row]:
    firsts = [(name, "first") for name in ("revision", "metadata")]
    counts = [("has_vector", "count"), ("has_vector", "sum")]
    table = marks.group_by("document_id", use_threads=False).aggregate([*firsts, *counts])
    names = ("document_id", "revision", "metadata", "num_chunks", "num_embedded")
    return table.rename_columns(list(names)).to_pylist()


async def _add_column(table: AsyncTable, column: pa.Field) -> None:
    """Give a table of an earlier version a column of nulls, unless it has it."""
    if column.name in (await table.schema()).names:
        return
    try:
        await table.add_columns(column)
    except Exception:  # another reader may have been first; LanceDB has no error class for it
        if column.name not in (await table.schema()).names:
            raise


def _is_document(document_id: str, namespace: str) -> Expr:
    return (col("document_id") == lit(document_id)) & (col("namespace") == lit(namespace))
