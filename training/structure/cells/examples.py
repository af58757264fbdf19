"""Samples as the network learns them: what it is given of a table's pieces, and what is true of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from documents.tables.judged.features import features_of, numeric
from documents.tables.judged.lattice import lattice_of
from documents.tables.judged.pairs import pair_buckets
from documents.tables.judged.pieces import pieces_of
from training.structure.cells.samples import TableSample

MIN_PIECES, MAX_PIECES = 4, 400


@dataclass(frozen=True, slots=True)
class CellExample:
    """`n` pieces of a table.

    Attributes:
        numbers: float16 (n, NUM_FEATURES).
        buckets: uint8 (n, n, features of a pair).
        line: int16 (n,).
        left, right: float32 (n,), edges in type sizes.
        cells: int16 (n, 4), the first row and column of a piece's cell, and those behind its last; -1 outside.
        marks: int8 (n, 4), as MARKS; -1 unknown.
    """

    numbers: np.ndarray
    buckets: np.ndarray
    line: np.ndarray
    left: np.ndarray
    right: np.ndarray
    cells: np.ndarray
    marks: np.ndarray

    def __len__(self) -> int:
        return len(self.line)


def example_of(sample: TableSample) -> CellExample | None:
    """None if it has too few pieces, or too many."""
    if not len(sample.row):
        return None
    pieces = pieces_of(sample.words)
    if not MIN_PIECES <= len(pieces.line) <= MAX_PIECES:
        return None
    lattice = lattice_of(pieces)
    first = np.array([_main(sample, members) for members in pieces.words])
    row, column = sample.row[first], sample.column[first]
    is_inside = row >= 0
    ends = row + sample.num_rows[first], column + sample.num_columns[first]
    cells = np.where(is_inside[:, None], np.stack([row, column, *ends], 1), -1)
    marks = np.stack(
        [
            np.where(is_inside, sample.header[first], -1),
            np.where(is_inside, sample.num_columns[first] > 1, -1),
            np.where(is_inside, sample.num_rows[first] > 1, -1),
            ~is_inside,
        ],
        1,
    )
    return CellExample(
        numbers=features_of(pieces, lattice).astype(np.float16),
        buckets=np.ascontiguousarray(pair_buckets(pieces, lattice, numeric(pieces)).transpose(1, 2, 0)),
        line=pieces.line.astype(np.int16),
        left=lattice.box[:, 0].astype(np.float32),
        right=lattice.box[:, 2].astype(np.float32),
        cells=cells.astype(np.int16),
        marks=marks.astype(np.int8),
    )


def _main(sample: TableSample, members: tuple[int, ...]) -> int:
    """The word whose cell most letters of a piece are of."""
    letters: dict[tuple[int, int], list[int]] = {}
    for word in members:
        entry = letters.setdefault((int(sample.row[word]), int(sample.column[word])), [0, word])
        entry[0] += len(sample.words.texts[word])
    return max(letters.values(), key=lambda entry: entry[0])[1]
