"""The grid that scores of pieces mean: rows and columns are intervals, found exactly, and every piece is in one cell.

Rows part the printed lines, columns the width: of all ways to part them, the one is chosen whose pairs of pieces agree
best with their scores. Two pieces are in one column if no cut lies between them; what a cut crosses spans columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from documents.tables.judged.bands import MAX_LOGIT, BandedScores
from documents.tables.judged.intervals import MIN_CROSSING, cuts_of, rows_of
from documents.tables.judged.pieces import Pieces, is_leader
from documents.tables.judged.placing import GridCell, cells_of, piece_places

MAX_HEADER_LOGIT = 4.0  # maximum logit of one piece
MAX_SPACE = 0.5  # type sizes between words of one text
MIN_HEADER = 0.5  # probability that a piece is a head of columns


@dataclass(frozen=True, slots=True)
class DecodedGrid:
    """A table of cells that cover no place twice; `outside` are pieces that are not of it."""

    num_rows: int
    num_columns: int
    num_header_rows: int
    cells: tuple[GridCell, ...]
    outside: tuple[int, ...]


def decoded(pieces: Pieces, scores: BandedScores, left: np.ndarray, right: np.ndarray) -> DecodedGrid | None:
    """None where no two pieces are left; `left` and `right` are edges in type sizes."""
    is_outside = _are_outside(pieces, scores.marks["outside"])
    own = np.flatnonzero(~is_outside)
    if len(own) < 2:
        return None
    scores, left, right = scores.chosen(own, len(is_outside)), left[own], right[own]
    chance = {name: _chance(value) for name, value in scores.marks.items()}
    lines = np.unique(pieces.line[own], return_inverse=True)[1]
    row = rows_of(lines, scores, 1 - chance["tall"])
    cuts = cuts_of(left, right, scores, chance["wide"])
    cuts = _without_shifted_heads(cuts, row, left, right, chance["header"])
    leads = np.array([is_leader(pieces.texts[index]) for index in own.tolist()])
    cuts = _without_spaces(cuts, lines, left, np.where(leads, left, right))
    is_name = _are_group_names(row, left, cuts, chance["header"])
    chance["wide"] = np.where(is_name, 0.0, chance["wide"])
    places = piece_places(row, cuts, left, right, scores, chance)
    cells = cells_of(places, scores)
    rows, columns = _numbered(cells)
    kept = [
        replace(
            cell,
            row=int(rows[cell.row]),
            column=int(columns[cell.column]),
            num_rows=int(rows[cell.row + cell.num_rows] - rows[cell.row]),
            num_columns=int(columns[cell.column + cell.num_columns] - columns[cell.column]),
        )
        for cell in cells
    ]
    num_header_rows = _num_header_rows(kept, scores.marks["header"], int(rows[-1]))
    return DecodedGrid(
        num_rows=int(rows[-1]),
        num_columns=int(columns[-1]),
        num_header_rows=num_header_rows,
        cells=tuple(_with_pieces(cell, own) for cell in with_tall_heads(kept, num_header_rows)),
        outside=tuple(np.flatnonzero(is_outside).tolist()),
    )


def _with_pieces(cell: GridCell, numbers: np.ndarray) -> GridCell:
    return replace(cell, pieces=tuple(numbers[list(cell.pieces)].tolist()))


def with_tall_heads(cells: Sequence[GridCell], num_header_rows: int) -> list[GridCell]:
    """Heads of one column reach as far up and down in the header as no other stands there."""
    taken = {
        (row, column)
        for cell in cells
        for row in range(cell.row, cell.row + cell.num_rows)
        for column in range(cell.column, cell.column + cell.num_columns)
    }
    tall: list[GridCell] = []
    for cell in sorted(cells, key=lambda cell: (cell.row, cell.column)):
        top, end = cell.row, cell.row + cell.num_rows
        if cell.num_columns == 1 and end <= num_header_rows:
            while top > 0 and (top - 1, cell.column) not in taken:
                top -= 1
            while end < num_header_rows and (end, cell.column) not in taken:
                end += 1
            taken |= {(row, cell.column) for row in range(top, end)}
        tall.append(replace(cell, row=top, num_rows=end - top))
    return tall


def _chance(logit: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-np.clip(logit, -30, 30)))


def _are_outside(pieces: Pieces, logit: np.ndarray) -> np.ndarray:
    """Whole lines at the top and the bottom of the region that are not of the table."""
    letters = np.array([max(1, len(text)) for text in pieces.texts], float)
    logit = np.clip(logit, -MAX_LOGIT, MAX_LOGIT)
    total = np.bincount(pieces.line, letters * logit, pieces.num_lines)
    inside = np.flatnonzero(total <= 0)
    if not len(inside):
        return np.zeros(len(logit), bool)
    return (pieces.line < inside[0]) | (pieces.line > inside[-1])


def _without_shifted_heads(
    cuts: np.ndarray, row: np.ndarray, left: np.ndarray, right: np.ndarray, header: np.ndarray
) -> np.ndarray:
    """Without the cut between heads that nothing stands below and what stands below them beside, without a head."""
    first = np.searchsorted(cuts, left, side="right")
    is_single = first == np.searchsorted(cuts, right - MIN_CROSSING, side="right")
    is_head = header >= MIN_HEADER
    rows = [row[is_single & (first == column)] for column in range(len(cuts) + 1)]
    heads = [is_head[is_single & (first == column)] for column in range(len(cuts) + 1)]
    kept: list[float] = []
    was_joined = False
    for column, cut in enumerate(cuts.tolist()):
        pair = [(rows[k], heads[k]) for k in (column, column + 1)]
        upper, lower = sorted(pair, key=lambda one: one[0].min(initial=len(row)))
        is_shifted = (
            len(upper[0])
            and len(lower[0])
            and upper[0].max() < lower[0].min()
            and upper[1].all()
            and not lower[1].any()
        )
        was_joined = bool(is_shifted) and not was_joined
        if not was_joined:
            kept.append(cut)
    return np.array(kept)


def _without_spaces(cuts: np.ndarray, lines: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Without the cuts at which what stands beside them on one side is no more than a space away in any of its lines.

    So are words of one text parted: those of a head over narrow values, that no line below runs over. Leaders take no
    width: they reach the value that they lead to.
    """
    kept = [-np.inf]
    for cut, end in pairwise([*cuts.tolist(), np.inf]):
        is_before, is_behind = right <= cut + MIN_CROSSING, left >= cut
        before, behind = np.full(int(lines.max()) + 1, -np.inf), np.full(int(lines.max()) + 1, np.inf)
        np.maximum.at(before, lines[is_before], right[is_before])
        np.minimum.at(behind, lines[is_behind], left[is_behind])
        gaps = behind - before
        beside = [lines[is_before & (left >= kept[-1])], lines[is_behind & (left < end)]]
        if not any(len(own) and gaps[own].max() <= MAX_SPACE for own in beside):
            kept.append(cut)
    return np.array(kept[1:])


def _are_group_names(row: np.ndarray, left: np.ndarray, cuts: np.ndarray, header: np.ndarray) -> np.ndarray:
    """Pieces of rows that hold nothing but the name of a group at their left: it takes what its letters reach."""
    first = cuts[0] if len(cuts) else np.inf
    count = int(row.max()) + 1
    others = np.bincount(row, left >= first, count)
    is_head = np.bincount(row, header - 0.5, count) > 0
    return (others[row] == 0) & ~is_head[row]


def _numbered(cells: Sequence[GridCell]) -> tuple[np.ndarray, np.ndarray]:
    """New numbers of the rows and columns in which a cell begins, and of those behind them."""
    rows = np.zeros(max(cell.row + cell.num_rows for cell in cells) + 1, int)
    columns = np.zeros(max(cell.column + cell.num_columns for cell in cells) + 1, int)
    for cell in cells:
        rows[cell.row + 1] = 1
        columns[cell.column + 1] = 1
    return rows.cumsum(), columns.cumsum()


def _num_header_rows(cells: Sequence[GridCell], logit: np.ndarray, num_rows: int) -> int:
    """The rows from the top whose pieces are heads of columns in the mean."""
    values = np.clip(logit, -MAX_HEADER_LOGIT, MAX_HEADER_LOGIT).tolist()
    total = [0.0] * num_rows
    for cell in cells:
        own = sum(values[piece] for piece in cell.pieces)
        for row in range(cell.row, cell.row + cell.num_rows):
            total[row] += own
    count = 0
    while count < num_rows - 1 and total[count] > 0:
        count += 1
    return count
