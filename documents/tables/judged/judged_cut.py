"""The table that the judge of cells sees in the words of an area."""

from __future__ import annotations

from collections.abc import Sequence

from documents.inspection import Ruling
from documents.tables.cells import Cut, PlacedWord, Slot
from documents.tables.judged.decode import DecodedGrid
from documents.tables.judged.judge import grid_of
from documents.tables.judged.network import CellJudge
from documents.tables.judged.placing import GridCell
from documents.tables.judged.region_words import region_words
from documents.text.text_direction import runs_backwards


def cut_by_judge(words: Sequence[PlacedWord], rules: Sequence[Ruling], judge: CellJudge) -> Cut | None:
    """Its columns count from the left; None where there are no two rows and columns. Boxes are upright."""
    mirrored = runs_backwards("".join(one.word.text for one in words))
    grid = grid_of(region_words(words, rules, mirrored=mirrored), judge)
    if grid is None or grid.num_rows < 2 or grid.num_columns < 2:
        return None
    slots = [_slot(cell, grid, words, mirrored=mirrored) for cell in grid.cells]
    return Cut(grid.num_rows, grid.num_columns, slots, grid.num_header_rows or None)


def _slot(cell: GridCell, grid: DecodedGrid, words: Sequence[PlacedWord], *, mirrored: bool) -> Slot:
    column = grid.num_columns - cell.column - cell.num_columns if mirrored else cell.column
    return Slot(cell.row, column, cell.num_rows, cell.num_columns, [words[index] for index in cell.pieces])
