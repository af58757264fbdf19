"""What queries find in tables: the best hits of several, and rows as Python's."""

from __future__ import annotations

import asyncio
import operator
from collections.abc import Sequence
from typing import Any, Literal

import pyarrow as pa

ROWS_PER_CONVERSION = 100
Row = dict[str, Any]
Ranking = tuple[str, Literal["ascending", "descending"]]
VECTOR_ORDER: Ranking = ("_distance", "ascending")
TEXT_ORDER: Ranking = ("_score", "descending")


async def best_rows(tables: Sequence[pa.Table], ranking: Ranking, limit: int) -> list[Row]:
    """The rows that come first; ties are in the order of their keys, whichever table they are from."""
    if len(tables) == 1 and len(tables[0]) <= limit:  # faster than below
        rows = sorted(await rows_of(tables[0]), key=operator.itemgetter("key"))
        return sorted(rows, key=operator.itemgetter(ranking[0]), reverse=ranking[1] == "descending")
    hits = pa.concat_tables(tables) if tables else pa.table({})
    if not len(hits):
        return []
    places = hits.select([ranking[0], "key"]).append_column("place", pa.array(range(len(hits))))
    order = places.sort_by([ranking, ("key", "ascending")])["place"]
    return await rows_of(hits.take(order[:limit]))


async def rows_of_query(query: Any) -> list[Row]:
    """The rows that a query finds."""
    return await rows_of(await query.to_arrow())


async def rows_of(table: pa.Table) -> list[Row]:
    """The rows of a table. They become Python's in a thread, a few at a time: each conversion is one call that keeps
    the interpreter's lock.
    """
    batches = table.to_batches(max_chunksize=ROWS_PER_CONVERSION)
    return await asyncio.to_thread(lambda: [row for batch in batches for row in batch.to_pylist()])
