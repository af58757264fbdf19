"""The grid of a table's words by the judge of cells."""

from __future__ import annotations

from dataclasses import replace

from documents.tables.judged.bands import judged
from documents.tables.judged.decode import DecodedGrid, decoded
from documents.tables.judged.lattice import type_size
from documents.tables.judged.network import CellJudge
from documents.tables.judged.pieces import Pieces, RegionWords, pieces_of

MAX_WORDS = 8000
MAX_PIECES = 4000  # some ten bands, each a twentieth of a second
MAX_LINES = 1200


def grid_of(words: RegionWords, judge: CellJudge) -> DecodedGrid | None:
    """The grid, its cells with the indices of words; None where the words make no table, or are too many."""
    if not 2 <= len(words.texts) <= MAX_WORDS:
        return None
    pieces = pieces_of(words)
    if not 2 <= len(pieces.line) <= MAX_PIECES or pieces.num_lines > MAX_LINES:
        return None
    edges = (pieces.box - pieces.box[:, 0].min()) / type_size(pieces)
    grid = decoded(pieces, judged(pieces, judge), edges[:, 0], edges[:, 2])
    return None if grid is None else _of_words(grid, pieces)


def _of_words(grid: DecodedGrid, pieces: Pieces) -> DecodedGrid:
    def words(members: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(word for piece in members for word in pieces.words[piece])

    cells = tuple(replace(cell, pieces=words(cell.pieces)) for cell in grid.cells)
    return replace(grid, cells=cells, outside=words(grid.outside))
