"""Samples of plain tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.documents.tables.judged.table_making import region
from training.structure.cells.samples import TableSample

ROWS = [[(0, "name"), (90, "value")], [(0, "a b"), (90, "1")], [(0, "c"), (90, "2")], [(0, "d"), (90, "3")]]


def plain_sample(rows: Sequence[Sequence[tuple[float, str]]] = ROWS, *, note: bool = True) -> TableSample:
    """Each text is a cell; a note stands below the table."""
    entries = [*rows, [(0, "see note")]] if note else rows
    words = region(entries)
    row = [r for r, texts in enumerate(entries) for _, text in texts for _ in text.split()]
    column = [c for texts in entries for c, (_, text) in enumerate(texts) for _ in text.split()]
    outside = np.array(row) >= len(rows)
    ones = np.ones(len(row), np.int16)
    return TableSample(
        words=words,
        row=np.where(outside, -1, row).astype(np.int16),
        column=np.where(outside, -1, column).astype(np.int16),
        num_rows=ones,
        num_columns=ones.copy(),
        header=np.where(outside, -1, np.array(row) == 0).astype(np.int8),
    )
