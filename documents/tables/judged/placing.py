"""Puts pieces into cells: each in one, and no two cells in one place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from documents.tables.judged.bands import BandedScores
from documents.tables.judged.intervals import MIN_CROSSING

Place = tuple[int, int, int, int]  # first and last row, first and last column
MIN_SAID = -3.0  # mean logit that a column is shared by a name that spans several: it is rarely sure
DEFAULT_LOGIT = -8.0  # logit of a row or column about which no band says anything
MIN_SPANS = 0.5  # probability that a piece spans several rows or columns


@dataclass(frozen=True, slots=True)
class GridCell:
    """Pieces by their index, and the rows and columns that they take."""

    pieces: tuple[int, ...]
    row: int
    column: int
    num_rows: int = 1
    num_columns: int = 1


@dataclass(frozen=True, slots=True)
class PiecePlaces:
    """(n,) each: the rows and columns that a piece's cell takes, and those that the piece stands in."""

    row: np.ndarray
    last_row: np.ndarray
    column: np.ndarray
    last_column: np.ndarray
    own_row: np.ndarray
    own_column: np.ndarray
    own_last_column: np.ndarray


def piece_places(
    row: np.ndarray,
    cuts: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    scores: BandedScores,
    chance: Mapping[str, np.ndarray],
) -> PiecePlaces:
    """A piece that spans several rows or columns takes those that the scores of its pairs let it share."""
    own = np.searchsorted(cuts, left, side="right")
    own_last = np.maximum(own, np.searchsorted(cuts, right - MIN_CROSSING, side="right"))
    column, last_column = own.copy(), own_last.copy()
    spans = chance["wide"] >= MIN_SPANS
    is_single = (own == own_last) & ~spans
    votes = _mean_votes(scores, "column", spans, is_single, own, len(cuts) + 1)
    for number in np.unique(row[spans]).tolist():
        units = _units(np.flatnonzero(spans & (row == number)).tolist(), own, own_last, scores)
        others = np.flatnonzero(~spans & (row == number)).tolist()
        taken = {c for piece in others for c in range(int(own[piece]), int(own_last[piece]) + 1)}
        for unit, (first, last) in zip(units, _runs(units, own, own_last, votes, taken), strict=True):
            column[unit], last_column[unit] = first, last
    first_row, last_row = row.copy(), row.copy()
    spans = chance["tall"] >= MIN_SPANS
    for index, sums in _mean_votes(scores, "row", spans, ~spans, row, int(row.max()) + 1).items():
        first, last = _extended(sums, int(row[index]), int(row[index]))
        if first < row[index] or chance["header"][index] >= MIN_SPANS:  # what stands in its first row is that row's own
            first_row[index], last_row[index] = first, last
    return PiecePlaces(first_row, last_row, column, last_column, row, own, own_last)


def _mean_votes(
    scores: BandedScores, relation: str, spans: np.ndarray, is_single: np.ndarray, place: np.ndarray, count: int
) -> dict[int, np.ndarray]:
    """For each piece that spans several, what the others of each row or column say of sharing it, in the mean."""
    pieces = np.flatnonzero(spans).tolist()
    sums = {piece: np.zeros(count) for piece in pieces}
    times = {piece: np.zeros(count) for piece in pieces}
    for band in scores.bands:
        others = is_single[band.index]
        own = place[band.index][others]
        for member in np.flatnonzero(spans[band.index]).tolist():
            piece = int(band.index[member])
            sums[piece] += np.bincount(own, band.relations[relation][member][others], count)
            times[piece] += np.bincount(own, minlength=count)
    return {
        piece: np.where(times[piece] > 0, sums[piece] / np.maximum(times[piece], 1), DEFAULT_LOGIT) for piece in pieces
    }


def _units(pieces: Sequence[int], own: np.ndarray, own_last: np.ndarray, scores: BandedScores) -> list[list[int]]:
    """Pieces of one row that span columns, from the left; those that stand in one column or score as one cell
    together.
    """
    units: list[list[int]] = []
    for piece in sorted(pieces, key=lambda piece: (int(own[piece]), piece)):
        last = units[-1] if units else None
        if last is not None and (own[piece] <= own_last[last].max() or scores.mean("cell", last, [piece]) > 0):
            last.append(piece)
        else:
            units.append([piece])
    return units


def _runs(
    units: Sequence[Sequence[int]],
    own: np.ndarray,
    own_last: np.ndarray,
    votes: Mapping[int, np.ndarray],
    taken: set[int],
) -> list[tuple[int, int]]:
    """The columns of each unit: those it stands in, and free ones beside them whose scores do not part them from it.

    A column between two units is of the one that scores higher.
    """
    runs = [(int(own[list(unit)].min()), int(own_last[list(unit)].max())) for unit in units]
    shares = [np.mean([votes[piece] for piece in unit], 0) for unit in units]
    grown: list[tuple[int, int]] = []
    for k, (first, last) in enumerate(runs):
        before = runs[k - 1][1] if k else -1
        after = runs[k + 1][0] if k + 1 < len(runs) else len(shares[k])
        least = MIN_SAID if first == last else 0.0  # what spans several columns already need not take more
        while first - 1 > before and first - 1 not in taken and shares[k][first - 1] > least:
            if k and shares[k - 1][first - 1] > shares[k][first - 1]:
                break
            first -= 1  # noqa: PLW2901
        while last + 1 < after and last + 1 not in taken and shares[k][last + 1] > least:
            if k + 1 < len(runs) and shares[k + 1][last + 1] >= shares[k][last + 1]:
                break
            last += 1  # noqa: PLW2901
        grown.append((first, last))
    return grown


def _extended(votes: np.ndarray, first: int, last: int) -> tuple[int, int]:
    """The run around `first` to `last` that has the most votes."""
    before = np.cumsum(votes[:first][::-1])
    after = np.cumsum(votes[last + 1 :])
    if len(before) and before.max() > 0:
        first -= 1 + int(before.argmax())
    if len(after) and after.max() > 0:
        last += 1 + int(after.argmax())
    return first, last


def cells_of(places: PiecePlaces, scores: BandedScores) -> list[GridCell]:
    """Pieces that take the same rows and columns are one cell; small ones are placed first.

    What a place is taken from keeps to where its pieces stand; where even that is taken, they join the cell there that
    they are most likely one with.
    """
    edges = (places.row, places.last_row, places.column, places.last_column)
    stands = [edge.tolist() for edge in (places.own_row, places.own_column, places.own_last_column)]
    groups: dict[Place, list[int]] = {}
    for piece, place in enumerate(zip(*(edge.tolist() for edge in edges), strict=True)):
        groups.setdefault(place, []).append(piece)
    grid = _Grid()
    for place in sorted(groups, key=lambda place: (_area(place), place)):
        members = groups[place]
        stand = _stand(members, *stands)
        free = place if grid.is_free(place) else grid.grown(stand, place) if grid.is_free(stand) else None
        if free is not None:
            grid.add(free, members)
        else:
            met = sorted(grid.met(stand))
            likeness = [scores.mean("cell", members, grid.members[number]) for number in met]
            grid.members[met[int(np.argmax(likeness))]].extend(members)
    return [
        GridCell(tuple(sorted(members)), place[0], place[2], place[1] - place[0] + 1, place[3] - place[2] + 1)
        for place, members in zip(grid.places, grid.members, strict=True)
    ]


def _area(place: Place) -> int:
    return (place[1] - place[0] + 1) * (place[3] - place[2] + 1)


def _stand(members: Sequence[int], rows: Sequence[int], first: Sequence[int], last: Sequence[int]) -> Place:
    """The rows and columns in which pieces stand themselves."""
    own = [rows[piece] for piece in members]
    return min(own), max(own), min(first[piece] for piece in members), max(last[piece] for piece in members)


class _Grid:
    """Cells by their number, and the cell at each place."""

    def __init__(self) -> None:
        self.places: list[Place] = []
        self.members: list[list[int]] = []
        self._at: dict[tuple[int, int], int] = {}

    def add(self, place: Place, members: Sequence[int]) -> None:
        self._at |= dict.fromkeys(_slots(place), len(self.places))
        self.places.append(place)
        self.members.append(list(members))

    def is_free(self, place: Place) -> bool:
        return not any(slot in self._at for slot in _slots(place))

    def met(self, place: Place) -> set[int]:
        """The cells that have some of a place."""
        return {self._at[slot] for slot in _slots(place) if slot in self._at}

    def grown(self, place: Place, most: Place) -> Place:
        """A free place, grown to each side as far as `most` and as others leave it free."""
        top, bottom, left, right = place
        while left > most[2] and self.is_free((top, bottom, left - 1, left - 1)):
            left -= 1
        while right < most[3] and self.is_free((top, bottom, right + 1, right + 1)):
            right += 1
        while top > most[0] and self.is_free((top - 1, top - 1, left, right)):
            top -= 1
        while bottom < most[1] and self.is_free((bottom + 1, bottom + 1, left, right)):
            bottom += 1
        return top, bottom, left, right


def _slots(place: Place) -> list[tuple[int, int]]:
    top, bottom, left, right = place
    return [(row, column) for row in range(top, bottom + 1) for column in range(left, right + 1)]
