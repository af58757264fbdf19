"""The Parquet files of a bulk ingestion: which documents have a row, without holding all of them, and new rows."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyarrow import fs, parquet

from examples.bulk_source import Document, file_system

ROW = pa.schema(
    {
        "path": pa.string(),
        "size": pa.int64(),
        "document_id": pa.string(),
        "job_id": pa.string(),
        "status": pa.string(),
        "num_pages": pa.int64(),
        "failed_pages": pa.list_(pa.int64()),
        "error": pa.string(),
        "markdown": pa.large_string(),
    }
)
OUTCOME_COLUMNS = ("status", "error", "failed_pages")
NUM_READERS = 16  # files that are looked at concurrently
MAX_CACHED_ROWS = 20_000  # whose paths are in memory, besides those that a page needs
LAST_PATH = "\U0010ffff"
Outcome = dict[str, Any]  # status, error and failed pages of a row


@dataclass(frozen=True, slots=True)
class RowFile:
    """A file of rows, and the first and last path in it."""

    name: str
    first: str
    last: str


class FinishedRows:
    """Knows of each file only between which paths its rows are; the rows are read for the documents of a page.

    Files whose paths are close together are read once: a run writes them in the order of its listing.
    """

    def __init__(self, out: str) -> None:
        """A file that a killed run cut off is removed, so that it counts for no document."""
        self._system, root = file_system(out)
        self._readers = ThreadPoolExecutor(NUM_READERS)
        infos = self._system.get_file_info(fs.FileSelector(root, recursive=True, allow_not_found=True))
        names = [info.path for info in infos if info.path.endswith(".parquet")]
        self._files = [file for file in self._readers.map(self._looked_at, names) if file is not None]
        self._cache: OrderedDict[str, dict[Document, Outcome]] = OrderedDict()

    def of(self, page: Sequence[Document]) -> dict[Document, Outcome]:
        """Those of the documents that have a row, and what it says."""
        first, last = min(page).path, max(page).path
        names = [file.name for file in self._files if file.first <= last and file.last >= first]
        missing = [name for name in names if name not in self._cache]
        self._cache.update(zip(missing, self._readers.map(self._read, missing), strict=True))
        finished: dict[Document, Outcome] = {}
        for name in names:
            self._cache.move_to_end(name)
            rows = self._cache[name]
            finished.update((document, rows[document]) for document in page if document in rows)
        while sum(map(len, self._cache.values())) > MAX_CACHED_ROWS:
            self._cache.popitem(last=False)
        return finished

    def close(self) -> None:
        self._readers.shutdown()

    def _looked_at(self, name: str) -> RowFile | None:
        """None: a file that was cut off, or is somebody else's."""
        with self._system.open_input_file(name) as content:
            try:
                file = parquet.ParquetFile(content)
            except pa.ArrowInvalid:
                self._system.delete_file(name)
                return None
            if not {"path", "size"} <= set(file.schema_arrow.names):
                return None
            column = file.metadata.schema.names.index("path")
            groups = [file.metadata.row_group(group).column(column) for group in range(file.num_row_groups)]
            ranges = [group.statistics for group in groups]
        if not all(statistics is not None and statistics.has_min_max for statistics in ranges):
            return RowFile(name, "", LAST_PATH)
        firsts = [statistics.min for statistics in ranges]
        lasts = [statistics.max for statistics in ranges]
        return RowFile(name, min(firsts), max(lasts)) if ranges else None

    def _read(self, name: str) -> dict[Document, Outcome]:
        with self._system.open_input_file(name) as content:
            file = parquet.ParquetFile(content)
            known = set(file.schema_arrow.names)
            table = file.read(["path", "size", *(column for column in OUTCOME_COLUMNS if column in known)])
        return {Document(row.pop("path"), row.pop("size")): row for row in table.to_pylist()}


def write_rows(out: str, documents: Iterable[Document], rows: list[dict[str, Any]]) -> None:
    """A file of the documents' rows, whole or not there; written again it takes the place of the first."""
    system, root = file_system(out)
    name = hashlib.sha256(repr(list(documents)).encode()).hexdigest()[:32]
    path = f"{root}/{name}.parquet"
    table = pa.Table.from_pylist(rows, schema=ROW)
    if system.type_name != "local":  # an object is there once it is whole
        parquet.write_table(table, path, filesystem=system)
        return
    system.create_dir(root, recursive=True)
    staged = f"{root}/.{name}.part"
    parquet.write_table(table, staged, filesystem=system)
    system.move(staged, path)
