"""The counts of a bulk ingestion, and the JSON lines of what failed, which are written while it runs."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from examples.bulk_rows import Outcome
from examples.bulk_source import Document, file_system

COUNTS = ("found", "done", "written", "left", "failed")
FAILURES_FILE = "_failures.jsonl"  # readers of Parquet folders skip names that begin so


@dataclass(frozen=True, slots=True)
class BlockReport:
    """What became of the documents of a block."""

    num_written: int
    failures: tuple[dict[str, Any], ...]  # those with a row that is not `succeeded`, and those without a row


def failure(document: Document, outcome: Outcome, *, is_final: bool) -> dict[str, Any]:
    """A line of the report; not `is_final`: the next run takes the document up."""
    return {"path": document.path, "size": document.size, "is_final": is_final, **outcome}


class Report:
    """Holds counts; the lines are in a file of this machine until `publish` copies them to the rows."""

    def __init__(self) -> None:
        self._lines = tempfile.TemporaryFile()  # noqa: SIM115  `close` closes it
        self._counts: Counter[str] = Counter()

    @property
    def counts(self) -> dict[str, int]:
        """Documents: `found`, `done` before, `written` now, `left` without a row, `failed` of those with a row."""
        return {name: self._counts[name] for name in COUNTS}

    def listed(self, num_documents: int, finished: Mapping[Document, Outcome]) -> None:
        """Count a page of the listing, and those of its documents that have a row."""
        self._counts["found"] += num_documents
        self._counts["done"] += len(finished)
        for document, outcome in finished.items():
            if outcome.get("status", "succeeded") != "succeeded":
                self._add(failure(document, outcome, is_final=True))

    def ended(self, block: BlockReport) -> None:
        """Count a block."""
        self._counts["written"] += block.num_written
        for line in block.failures:
            self._add(line)

    def publish(self, out: str) -> None:
        """Write all lines beside the rows, in the place of those of an earlier run."""
        system, root = file_system(out)
        if system.type_name == "local":
            system.create_dir(root, recursive=True)
        self._lines.seek(0)
        with system.open_output_stream(f"{root}/{FAILURES_FILE}") as output:
            shutil.copyfileobj(self._lines, output)

    def close(self) -> None:
        self._lines.close()

    def _add(self, line: dict[str, Any]) -> None:
        self._counts["failed" if line["is_final"] else "left"] += 1
        self._lines.write(json.dumps(line).encode() + b"\n")
