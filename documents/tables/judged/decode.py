"""The grid that scores of pieces mean: rows and columns are intervals, found exactly, and every piece is in one cell.

Rows part the printed lines, columns the width: of all ways to part them, the one is chosen whose pairs of pieces agree
best with their scores. Two pieces are in one column if no cut lies between them; what a cut crosses spans columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from documents.tables.judged.network import CellScores
from documents.tables.judged.pieces import Pieces

MAX_LOGIT = 8.0
MAX_CUTS = 160
SAME_EDGE = 0.12  # type sizes between left edges that are one
CROSSED = 0.15  # type sizes by which a piece must reach over a cut to be crossed
MAX_CROSSED = 6.0  # what it costs at most that a cut crosses a piece


@dataclass(frozen=True, slots=True)
class GridCell:
    """Pieces by their index, and the rows and columns that they take."""

    pieces: tuple[int, ...]
    row: int
    column: int
    num_rows: int = 1
    num_columns: int = 1


@dataclass(frozen=True, slots=True)
class DecodedGrid:
    """A table of cells that cover no place twice; `outside` are pieces that are not of it.

    `agreement` is the mean of what the scores of pairs say for the grid: logits, positive where they agree.
    """

    num_rows: int
    num_columns: int
    num_header_rows: int
    cells: tuple[GridCell, ...]
    outside: tuple[int, ...]
    agreement: float


def decoded(pieces: Pieces, scores: CellScores, left: np.ndarray, right: np.ndarray) -> DecodedGrid | None:
    """None where no two pieces are left; `left` and `right` are edges in type sizes."""
    outside = _outside(pieces, scores)
    own = np.flatnonzero(~outside)
    if len(own) < 2:
        return None
    logits = {name: np.clip(value[np.ix_(own, own)], -MAX_LOGIT, MAX_LOGIT) for name, value in scores.relations.items()}
    chance = {name: _chance(value[own]) for name, value in scores.marks.items()}
    lines = np.unique(pieces.line[own], return_inverse=True)[1]
    row = _rows(lines, logits["row"], 1 - chance["tall"])
    cuts = _cuts(left[own], right[own], logits["column"], chance["wide"])
    names = _group_names(row, left[own], cuts, chance["header"])
    placed = _placed(row, cuts, left[own], right[own], logits, chance | {"wide": np.where(names, 0.0, chance["wide"])})
    cells = _cells(placed, logits["cell"])
    rows, columns = _used(cells)
    kept = tuple(
        GridCell(
            pieces=tuple(own[list(cell.pieces)].tolist()),
            row=int(rows[cell.row]),
            column=int(columns[cell.column]),
            num_rows=int(rows[cell.row + cell.num_rows] - rows[cell.row]),
            num_columns=int(columns[cell.column + cell.num_columns] - columns[cell.column]),
        )
        for cell in cells
    )
    return DecodedGrid(
        num_rows=int(rows[-1]),
        num_columns=int(columns[-1]),
        num_header_rows=_header_rows(kept, scores.marks["header"], int(rows[-1])),
        cells=kept,
        outside=tuple(np.flatnonzero(outside).tolist()),
        agreement=_agreement(placed, logits),
    )


def _chance(logit: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-np.clip(logit, -30, 30)))


def _outside(pieces: Pieces, scores: CellScores) -> np.ndarray:
    """Whole lines at the top and the bottom of the region that are not of the table."""
    logit = scores.marks["outside"]
    count = pieces.num_lines
    letters = np.array([max(1, len(text)) for text in pieces.texts], float)
    mean = np.bincount(pieces.line, letters * np.clip(logit, -MAX_LOGIT, MAX_LOGIT), count) / np.bincount(
        pieces.line, letters, count
    )
    inside = np.flatnonzero(mean <= 0)
    if not len(inside):
        return np.zeros(len(logit), bool)
    return (pieces.line < inside[0]) | (pieces.line > inside[-1])


def _rows(lines: np.ndarray, logit: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The row of each piece: lines parted into runs."""
    count = int(lines.max()) + 1
    members = np.zeros((count, len(lines)), np.float64)
    members[lines, np.arange(len(lines))] = weight
    gain = _within(np.triu(members @ logit @ members.T, 1))  # of pieces of two lines
    bounds = _best_parts(gain)
    return np.searchsorted(bounds, lines, side="right") - 1


def _cuts(left: np.ndarray, right: np.ndarray, logit: np.ndarray, wide: np.ndarray) -> np.ndarray:
    """Where columns begin, the first aside: just before left edges."""
    edges = np.sort(left)
    places = edges[np.concatenate([[True], np.diff(edges) > SAME_EDGE])]
    if len(places) > MAX_CUTS + 1:
        places = np.concatenate([places[:1], places[1:][np.linspace(0, len(places) - 2, MAX_CUTS).astype(int)]])
    places = places - 0.01
    starts = np.searchsorted(places, left, side="right") - 1  # the last place that a piece begins behind
    ends = np.searchsorted(places, right - 2 * CROSSED, side="right") - 1  # and that it reaches
    ends = np.maximum(starts, ends)
    weight = (1 - wide)[:, None] * (1 - wide)
    before = right[:, None] <= left[None] + 2 * CROSSED  # i left of j, side by side
    first, second = np.nonzero(before & ~before.T)
    count = len(places)
    values = (logit * weight)[first, second]
    pairs = np.bincount(ends[first] * count + starts[second], values, count * count).reshape(count, count)
    crossing = np.zeros(count + 1)
    cost = np.minimum(-np.log(np.maximum(wide, 1e-9)), MAX_CROSSED)
    np.add.at(crossing, starts + 1, cost)
    np.add.at(crossing, ends + 1, -cost)
    penalty = crossing.cumsum()[:count]  # of a cut at each place
    penalty[0] = 0.0
    bounds = _best_parts(_within(pairs) - np.append(penalty, 0.0)[:, None])
    return places[bounds[1:]]


def _group_names(row: np.ndarray, left: np.ndarray, cuts: np.ndarray, header: np.ndarray) -> np.ndarray:
    """Pieces of rows that hold nothing but the name of a group at their left: it takes what its letters reach."""
    first = cuts[0] if len(cuts) else np.inf
    count = int(row.max()) + 1
    others = np.bincount(row, left >= first, count)
    is_head = np.bincount(row, header - 0.5, count) > 0
    return (others[row] == 0) & ~is_head[row]


def _within(pairs: np.ndarray) -> np.ndarray:
    """(count + 1, count + 1): the sum of all from the first index to before the second, in both axes."""
    sums = np.pad(pairs.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    whole = np.diagonal(sums)
    return whole[None] + whole[:, None] - sums - sums.T


def _best_parts(gain: np.ndarray) -> np.ndarray:
    """The first index of each part, of the parts with the largest sum of `gain[start, end]`."""
    count = len(gain) - 1
    best = np.full(count + 1, -np.inf)
    best[0] = 0.0
    origin = np.zeros(count + 1, int)
    for end in range(1, count + 1):
        totals = best[:end] + gain[:end, end]
        origin[end] = int(totals.argmax())
        best[end] = totals[origin[end]]
    bounds: list[int] = []
    end = count
    while end > 0:
        end = int(origin[end])
        bounds.append(end)
    return np.array(bounds[::-1])


@dataclass(frozen=True, slots=True)
class _Placed:
    """(n,) each: the first and last row and column of a piece; base_... are those that it stands in."""

    row: np.ndarray
    last_row: np.ndarray
    column: np.ndarray
    last_column: np.ndarray
    base_column: np.ndarray
    base_last: np.ndarray


def _placed(
    row: np.ndarray,
    cuts: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    logits: dict[str, np.ndarray],
    chance: dict[str, np.ndarray],
) -> _Placed:
    base = np.searchsorted(cuts, left, side="right")
    last = np.maximum(base, np.searchsorted(cuts, right - 2 * CROSSED, side="right"))
    column, last_column = base.copy(), last.copy()
    single = (base == last) & (chance["wide"] < 0.5)
    for index in np.flatnonzero(chance["wide"] >= 0.5).tolist():
        weight = np.where(single, logits["column"][index], 0.0)
        weight[index] = 0.0
        votes = np.bincount(base[single], weight[single], len(cuts) + 1)
        column[index], last_column[index] = _extended(votes, int(base[index]), int(last[index]))
    first_row, last_row = row.copy(), row.copy()
    low = chance["tall"] < 0.5
    for index in np.flatnonzero(~low).tolist():
        weight = np.where(low, logits["row"][index], 0.0)
        votes = np.bincount(row[low], weight[low], int(row.max()) + 1)
        first_row[index], last_row[index] = _extended(votes, int(row[index]), int(row[index]))
    return _Placed(first_row, last_row, column, last_column, base, last)


def _extended(votes: np.ndarray, first: int, last: int) -> tuple[int, int]:
    """The run around `first` to `last` that has the most votes."""
    before = np.cumsum(votes[:first][::-1])
    after = np.cumsum(votes[last + 1 :])
    if len(before) and before.max() > 0:
        first -= 1 + int(before.argmax())
    if len(after) and after.max() > 0:
        last += 1 + int(after.argmax())
    return first, last


def _cells(placed: _Placed, same: np.ndarray) -> list[GridCell]:
    """Pieces by the places they take; pieces that meet in a place are one cell, or keep to where they stand."""
    groups: dict[tuple[int, int, int, int], list[int]] = {}
    for index, place in enumerate(zip(placed.row, placed.last_row, placed.column, placed.last_column, strict=True)):
        groups.setdefault(tuple(map(int, place)), []).append(index)  # pyright: ignore[reportArgumentType]
    boxes = [(list(place), members) for place, members in groups.items()]
    boxes.sort(key=lambda box: ((box[0][1] - box[0][0] + 1) * (box[0][3] - box[0][2] + 1), box[0]))
    owner: dict[tuple[int, int], int] = {}
    cells: list[tuple[list[int], list[int]]] = []
    for place, members in boxes:
        _place(place, members, placed, same, owner, cells)
    return [
        GridCell(tuple(sorted(members)), place[0], place[2], place[1] - place[0] + 1, place[3] - place[2] + 1)
        for place, members in cells
        if members
    ]


def _place(
    place: list[int],
    members: list[int],
    placed: _Placed,
    same: np.ndarray,
    owner: dict[tuple[int, int], int],
    cells: list[tuple[list[int], list[int]]],
) -> None:
    """Give a group its place; where others are, it takes the rest of its place, or joins them."""
    free = _free(place, members, placed, owner)
    if free is not None:
        _take(free, members, owner, cells)
        return
    base = _base(members, placed)
    met = {owner[at] for at in _places(base) if at in owner}
    best = max(met, key=lambda k: (float(same[np.ix_(members, cells[k][1])].mean()), -k))
    cells[best][1].extend(members)


def _base(members: Sequence[int], placed: _Placed) -> list[int]:
    index = list(members)
    rows = (
        placed.row[index]
        if (placed.row[index] == placed.last_row[index]).all()
        else (placed.row[index] + placed.last_row[index]) // 2
    )
    return [int(rows.min()), int(rows.max()), int(placed.base_column[index].min()), int(placed.base_last[index].max())]


def _places(place: Sequence[int]) -> list[tuple[int, int]]:
    return [(r, c) for r in range(place[0], place[1] + 1) for c in range(place[2], place[3] + 1)]


def _free(place: list[int], members: list[int], placed: _Placed, owner: dict[tuple[int, int], int]) -> list[int] | None:
    """The place, or as much of it around where the pieces stand as nobody has; None where not even that is free."""
    if not any(at in owner for at in _places(place)):
        return place
    base = _base(members, placed)
    if any(at in owner for at in _places(base)):
        return None
    top, bottom, left, right = base
    while left > place[2] and not any((r, left - 1) in owner for r in range(top, bottom + 1)):
        left -= 1
    while right < place[3] and not any((r, right + 1) in owner for r in range(top, bottom + 1)):
        right += 1
    while top > place[0] and not any((top - 1, c) in owner for c in range(left, right + 1)):
        top -= 1
    while bottom < place[1] and not any((bottom + 1, c) in owner for c in range(left, right + 1)):
        bottom += 1
    return [top, bottom, left, right]


def _take(
    place: list[int], members: list[int], owner: dict[tuple[int, int], int], cells: list[tuple[list[int], list[int]]]
) -> None:
    cells.append((place, list(members)))
    owner.update(dict.fromkeys(_places(place), len(cells) - 1))


def _used(cells: Sequence[GridCell]) -> tuple[np.ndarray, np.ndarray]:
    """New numbers of the rows and columns in which a cell begins, and of those behind them."""
    rows = np.zeros(max(cell.row + cell.num_rows for cell in cells) + 1, int)
    columns = np.zeros(max(cell.column + cell.num_columns for cell in cells) + 1, int)
    for cell in cells:
        rows[cell.row + 1] = 1
        columns[cell.column + 1] = 1
    return rows.cumsum(), columns.cumsum()


def _header_rows(cells: Sequence[GridCell], logit: np.ndarray, num_rows: int) -> int:
    """The rows from the top whose pieces are heads of columns in the mean."""
    total = np.zeros(num_rows)
    for cell in cells:
        total[cell.row : cell.row + cell.num_rows] += float(np.clip(logit[list(cell.pieces)], -4, 4).sum())
    count = 0
    while count < num_rows - 1 and total[count] > 0:
        count += 1
    return count


def _agreement(placed: _Placed, logits: dict[str, np.ndarray]) -> float:
    """The mean of the logits of row and column over all pairs, with the sign that the grid gives them."""
    rows = _meets(placed.row, placed.last_row)
    columns = _meets(placed.column, placed.last_column)
    signed = [np.where(meets, logits[name], -logits[name]) for name, meets in (("row", rows), ("column", columns))]
    other = ~np.eye(len(rows), dtype=bool)
    return float(np.mean([one[other].mean() for one in signed])) if other.any() else 0.0


def _meets(first: np.ndarray, last: np.ndarray) -> np.ndarray:
    return (first[:, None] <= last[None]) & (first[None] <= last[:, None])
