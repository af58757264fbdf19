"""Tables that are made without a drawing: of no use to learn from, but to see that a training runs."""

from __future__ import annotations

import numpy as np

from documents.tables.judged.pieces import RegionWords
from training.structure.cells.samples import TableSample

COLUMN_WIDTH, ROW_HEIGHT, TYPE_SIZE = 60.0, 14.0, 10.0  # points


def plain_table(num_rows: int, num_columns: int) -> TableSample:
    """One word per cell, in rows and columns without rules; the first row is a head."""
    count = num_rows * num_columns
    row, column = np.divmod(np.arange(count, dtype=np.int16), np.int16(num_columns))
    low = np.stack([COLUMN_WIDTH * column, ROW_HEIGHT * row], 1)
    nothing = np.zeros(count, np.float32)
    ones = np.ones(count, np.int16)
    return TableSample(
        words=RegionWords(
            texts=tuple(f"name{k}" if k < num_columns else str(k) for k in range(count)),
            box=np.concatenate([low, low + np.array([COLUMN_WIDTH / 2, TYPE_SIZE])], 1).astype(np.float32),
            size=np.full(count, TYPE_SIZE, np.float32),
            bold=nothing,
            italic=nothing,
            spaced=np.ones(count, bool),
            rules=np.zeros((0, 4), np.float32),
        ),
        row=row,
        column=column,
        num_rows=ones,
        num_columns=ones,
        header=(row == 0).astype(np.int8),
    )
