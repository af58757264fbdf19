"""A reader of the index sees all chunks of one revision of a document, or none; the newest revision stays."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Self

import lancedb
import numpy as np
from lancedb.db import AsyncConnection
from lancedb.expr import Expr, col, lit
from lancedb.index import FTS, BTree
from lancedb.rerankers import RRFReranker
from lancedb.table import AsyncTable

from retrieval.chunk import Chunk
from retrieval.errors import IndexMismatch
from retrieval.passage import Passage
from retrieval.table import COLUMNS, dimension_of, passage_of, rows_of, vector_field

TABLE = "chunks"
RRF_K = 60  # Cormack, Clarke, Büttcher 2009
RETURNED = ["chunk_id", "document_id", "revision", "text", "kind", "heading_path", "spans"]


class Index:
    """One LanceDB table of chunks, in a folder or behind an object storage URL; many may have it open."""

    def __init__(self, connection: AsyncConnection, table: AsyncTable) -> None:
        self._connection, self._table = connection, table

    @classmethod
    async def open(cls, uri: str, dimension: int | None = None, storage_options: dict[str, str] | None = None) -> Self:
        """Open or make the index. `dimension` is that of the vectors to come, where it is known: else the first decide.

        Raises IndexMismatch.
        """
        connection = await lancedb.connect_async(
            uri,
            read_consistency_interval=timedelta(0),  # without it a reader never sees what others write
            storage_options=storage_options,
        )
        known = (await connection.list_tables()).tables
        if TABLE in known:
            table = await connection.open_table(TABLE)
        else:
            table = await connection.create_table(TABLE, schema=COLUMNS, exist_ok=True)
        index = cls(connection, table)
        await index._prepare()
        if dimension is not None:
            await index._hold_vectors(dimension)
        return index

    async def replace(
        self, document_id: str, namespace: str, revision: int, chunks: list[Chunk], vectors: np.ndarray | None
    ) -> bool:
        """Put `chunks` in the place of all that the document had, in one commit; no chunks: it has none.

        `vectors` is float32 (len(chunks), dimension), or None: found by text alone. Returns whether the revision was
        taken: False where a newer one is held, which stays as it is.

        Raises RejectedChunks, IndexMismatch.
        """
        if vectors is not None and len(vectors):
            await self._hold_vectors(vectors.shape[1])
        rows = rows_of(document_id, namespace, revision, chunks, vectors, await self._table.schema())
        if await self._holds_newer(document_id, namespace, revision):
            return False
        up_to_this = _is_document(document_id, namespace) & (col("revision") <= lit(revision))
        await (
            self._table.merge_insert(["key"])
            .when_matched_update_all(where="target.revision <= source.revision")
            .when_not_matched_insert_all()
            .when_not_matched_by_source_delete(up_to_this)
            .execute(rows)
        )
        # the merge guards what it updates and deletes, but not what it inserts beside a revision that came meanwhile
        if await self._holds_newer(document_id, namespace, revision):
            await self._table.delete(up_to_this)
            return False
        return True

    async def delete(self, document_id: str, namespace: str) -> None:
        """Forget a document; one that is not there is as good as forgotten."""
        await self._table.delete(_is_document(document_id, namespace))

    async def query(
        self,
        text: str,
        vector: np.ndarray | None,
        k: int,
        document_ids: list[str] | None = None,
        namespace: str | None = None,
    ) -> list[Passage]:
        """The best `k` passages, best first: by text and vector where there is one, else by text alone.

        `document_ids` and `namespace` narrow the search before it begins; None is no limit.
        """
        if document_ids == []:
            return []
        search = self._table.query().nearest_to_text(text, columns=["text"])
        dimension = dimension_of(await self._table.schema())
        if vector is None or dimension is None:
            found = search.select([*RETURNED, "_score"])
        elif len(vector) == dimension:
            found = search.nearest_to(vector).distance_type("cosine").rerank(RRFReranker(K=RRF_K))
        else:
            raise IndexMismatch(f"the index holds vectors of {dimension} numbers, the query has {len(vector)}")
        if (wanted := _narrowed(document_ids, namespace)) is not None:
            found = found.where(wanted)
        return [passage_of(row) for row in await found.limit(k).to_list()]

    async def count(self, document_id: str | None = None, namespace: str | None = None) -> int:
        """Chunks of a document, or of all."""
        wanted = _narrowed(None if document_id is None else [document_id], namespace)
        return await self._table.count_rows(wanted.to_sql() if wanted is not None else None)

    async def close(self) -> None:
        self._table.close()
        self._connection.close()

    async def _holds_newer(self, document_id: str, namespace: str, revision: int) -> bool:
        newer = _is_document(document_id, namespace) & (col("revision") > lit(revision))
        return await self._table.count_rows(newer.to_sql()) > 0

    async def _hold_vectors(self, dimension: int) -> None:
        """Give the table its column of vectors, or see that it is of that dimension."""
        held = dimension_of(await self._table.schema())
        if held is None:
            await self._table.add_columns(vector_field(dimension))
        elif held != dimension:
            raise IndexMismatch(f"the index holds vectors of {held} numbers, the embedder makes {dimension}: reindex")

    async def _prepare(self) -> None:
        """Declare the key and the indices of a new table."""
        if not await self._table.list_indices():
            # undeclared, two writers that insert the same new key would both succeed
            await self._table.set_unenforced_primary_key(["key"])
            await self._table.create_index("text", config=FTS())
            await self._table.create_index("document_id", config=BTree())


def _is_document(document_id: str, namespace: str) -> Expr:
    return (col("document_id") == lit(document_id)) & (col("namespace") == lit(namespace))


def _narrowed(document_ids: list[str] | None, namespace: str | None) -> Expr | None:
    parts: list[Any] = []
    if document_ids is not None:
        parts.append(col("document_id").isin(document_ids))
    if namespace is not None:
        parts.append(col("namespace") == lit(namespace))
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else parts[0] & parts[1]
