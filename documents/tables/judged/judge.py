"""The grid of a table's words by the judge of cells: however many there are, in bands of lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from documents.tables.judged.decode import DecodedGrid, GridCell, decoded
from documents.tables.judged.features import features_of, numeric
from documents.tables.judged.lattice import lattice_of
from documents.tables.judged.network import CellJudge, CellScores
from documents.tables.judged.pairs import pair_buckets
from documents.tables.judged.pieces import Pieces, RegionWords, pieces_of
from documents.tables.judged.roles import MARKS, RELATIONS

MAX_BAND = 400  # pieces that are judged at once
MAX_PIECES = 3000
OVERLAP = 0.25  # of a band, that the next one has too
UNRELATED = {"cell": -8.0, "row": -8.0, "column": 0.0}  # of pieces that no band holds together


def grid_of(words: RegionWords, judge: CellJudge) -> DecodedGrid | None:
    """The grid, its cells with the indices of words; None where the words make no table, or are too many."""
    if len(words.texts) < 2:
        return None
    pieces = pieces_of(words)
    if not 2 <= len(pieces.line) <= MAX_PIECES:
        return None
    lattice = lattice_of(pieces)
    if len(pieces.line) <= MAX_BAND:
        scores = judge.scores(features_of(pieces, lattice), pair_buckets(pieces, lattice, numeric(pieces)))
    else:
        scores = _by_bands(pieces, judge)
    grid = decoded(pieces, scores, lattice.box[:, 0], lattice.box[:, 2])
    return None if grid is None else _of_words(grid, pieces)


def _of_words(grid: DecodedGrid, pieces: Pieces) -> DecodedGrid:
    def words(members: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(word for piece in members for word in pieces.words[piece])

    cells = tuple(
        GridCell(words(cell.pieces), cell.row, cell.column, cell.num_rows, cell.num_columns) for cell in grid.cells
    )
    return replace(grid, cells=cells, outside=words(grid.outside))


def _by_bands(pieces: Pieces, judge: CellJudge) -> CellScores:
    """The mean of what the bands say that hold two pieces together."""
    count = len(pieces.line)
    sums = {name: np.zeros((count, count), np.float32) for name in RELATIONS}
    marks = {name: np.zeros(count, np.float32) for name in MARKS}
    times, seen = np.zeros((count, count), np.float32), np.zeros(count, np.float32)
    for index in _bands(pieces):
        band = _part(pieces, index)
        lattice = lattice_of(band)
        scores = judge.scores(features_of(band, lattice), pair_buckets(band, lattice, numeric(band)))
        square = np.ix_(index, index)
        times[square] += 1
        seen[index] += 1
        for name, value in scores.relations.items():
            sums[name][square] += value
        for name, value in scores.marks.items():
            marks[name][index] += value
    known = times > 0
    return CellScores(
        relations={name: np.where(known, sums[name] / np.maximum(times, 1), UNRELATED[name]) for name in RELATIONS},
        marks={name: value / np.maximum(seen, 1) for name, value in marks.items()},
    )


def _bands(pieces: Pieces) -> Iterator[np.ndarray]:
    """Runs of whole lines with as many pieces as one band may have; neighbours share some lines."""
    ends = np.cumsum(np.bincount(pieces.line, minlength=pieces.num_lines))
    start = 0
    while True:
        before = int(ends[start - 1]) if start else 0
        end = max(start + 1, int(np.searchsorted(ends, before + MAX_BAND, side="right")))
        index = np.arange(before, min(int(ends[end - 1]), before + MAX_BAND))
        yield index
        if end >= pieces.num_lines:
            return
        start = max(start + 1, end - max(1, int(OVERLAP * (end - start))))


def _part(pieces: Pieces, index: np.ndarray) -> Pieces:
    return Pieces(
        texts=tuple(pieces.texts[k] for k in index.tolist()),
        words=tuple(pieces.words[k] for k in index.tolist()),
        box=pieces.box[index],
        size=pieces.size[index],
        bold=pieces.bold[index],
        italic=pieces.italic[index],
        line=np.unique(pieces.line[index], return_inverse=True)[1].astype(np.int32),
        rules=pieces.rules,
        typed=pieces.typed,
    )
