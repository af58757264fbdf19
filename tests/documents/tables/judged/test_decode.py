from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from documents.tables.judged.bands import Band, BandedScores
from documents.tables.judged.decode import DecodedGrid, decoded
from documents.tables.judged.lattice import lattice_of
from documents.tables.judged.pieces import Pieces, pieces_of
from documents.tables.judged.roles import MARKS, RELATIONS
from tests.documents.tables.judged.table_making import region

Place = tuple[int, int, int, int]  # row, column, rows, columns


def _scores(places: Sequence[Place | None], *, header: int = 0) -> BandedScores:
    """What a judge says that knows the place of each piece; None is outside."""
    cells = np.array([(-1, -1, -1, -1) if p is None else (p[0], p[1], p[0] + p[2], p[1] + p[3]) for p in places])

    def meets(first: int, end: int) -> np.ndarray:
        return (cells[:, first, None] < cells[None, :, end]) & (cells[None, :, first] < cells[:, end, None])

    def logit(holds: np.ndarray) -> np.ndarray:
        return np.where(holds, 5.0, -5.0).astype(np.float32)

    rows, columns = meets(0, 2), meets(1, 3)
    same = (cells[:, None, :2] == cells[None, :, :2]).all(-1)
    relations = {"row": logit(rows), "column": logit(columns), "cell": logit(same)}
    return BandedScores(
        bands=[Band(np.arange(len(cells)), relations)],
        marks={
            "header": logit((cells[:, 0] >= 0) & (cells[:, 0] < header)),
            "wide": logit(cells[:, 3] - cells[:, 1] > 1),
            "tall": logit(cells[:, 2] - cells[:, 0] > 1),
            "outside": logit(cells[:, 0] < 0),
        },
    )


def _grid(pieces: Pieces, scores: BandedScores) -> DecodedGrid:
    lattice = lattice_of(pieces)
    grid = decoded(pieces, scores, lattice.box[:, 0], lattice.box[:, 2])
    assert grid is not None
    return grid


def _texts(pieces: Pieces, grid: DecodedGrid) -> dict[Place, str]:
    return {
        (cell.row, cell.column, cell.num_rows, cell.num_columns): " ".join(pieces.texts[k] for k in cell.pieces)
        for cell in grid.cells
    }


def test_lines_of_one_cell_are_one_row() -> None:
    pieces = pieces_of(region([[(0, "a long"), (90, "1")], [(0, "name")], [(0, "short"), (90, "2")]]))
    places = [(0, 0, 1, 1), (0, 1, 1, 1), (0, 0, 1, 1), (1, 0, 1, 1), (1, 1, 1, 1)]
    grid = _grid(pieces, _scores(places))
    assert _texts(pieces, grid) == {
        (0, 0, 1, 1): "a long name",
        (0, 1, 1, 1): "1",
        (1, 0, 1, 1): "short",
        (1, 1, 1, 1): "2",
    }


def test_a_name_over_two_columns_spans_them_though_it_stands_over_one() -> None:
    pieces = pieces_of(
        region([[(90, "Sales")], [(0, "x"), (80, "2001"), (130, "2002")], [(0, "y"), (80, "1"), (130, "2")]])
    )
    places = [(0, 1, 1, 2), (1, 0, 1, 1), (1, 1, 1, 1), (1, 2, 1, 1), (2, 0, 1, 1), (2, 1, 1, 1), (2, 2, 1, 1)]
    grid = _grid(pieces, _scores(places, header=2))
    assert _texts(pieces, grid)[0, 1, 1, 2] == "Sales"
    assert (grid.num_rows, grid.num_columns, grid.num_header_rows) == (3, 3, 2)


def test_a_label_beside_the_middle_of_two_rows_spans_them() -> None:
    rows = [[(60, "1"), (100, "2")], [(60, "3"), (100, "4")], [(0, "zz"), (60, "5"), (100, "6")]]
    words = region(rows)
    words.box[4, [1, 3]] = words.box[4, [1, 3]] - 18  # the label stands between the first two rows
    pieces = pieces_of(words)
    place = {"zz": (0, 0, 2, 1)} | {str(n): ((n - 1) // 2, 1 + (n - 1) % 2, 1, 1) for n in range(1, 7)}
    grid = _grid(pieces, _scores([place[text] for text in pieces.texts]))
    assert _texts(pieces, grid) == {place[text]: text for text in pieces.texts}


def test_a_note_below_the_table_is_outside() -> None:
    pieces = pieces_of(region([[(0, "a"), (90, "1")], [(0, "b"), (90, "2")], [(0, "Source: the office")]]))
    grid = _grid(pieces, _scores([(0, 0, 1, 1), (0, 1, 1, 1), (1, 0, 1, 1), (1, 1, 1, 1), None]))
    assert [pieces.texts[k] for k in grid.outside] == ["Source: the office"]
    assert grid.num_rows == 2


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10_000))
def test_whatever_the_scores_every_piece_is_in_one_cell_and_no_place_taken_twice(seed: int) -> None:
    chance = np.random.default_rng(seed)
    rows = [
        [(float(x), "w" * int(chance.integers(1, 9))) for x in np.sort(chance.uniform(0, 300, chance.integers(1, 6)))]
        for _ in range(int(chance.integers(2, 8)))
    ]
    pieces = pieces_of(region(rows))
    count = len(pieces.texts)
    noise = {name: chance.normal(0, 5, (count, count)) for name in RELATIONS}
    scores = BandedScores(
        bands=[Band(np.arange(count), {name: (value + value.T) / 2 for name, value in noise.items()})],
        marks={name: chance.normal(-2, 4, count) for name in MARKS},
    )
    lattice = lattice_of(pieces)
    grid = decoded(pieces, scores, lattice.box[:, 0], lattice.box[:, 2])
    if grid is None:
        return
    members = sorted([index for cell in grid.cells for index in cell.pieces] + list(grid.outside))
    assert members == list(range(count))
    places = [
        (cell.row + i, cell.column + j)
        for cell in grid.cells
        for i in range(cell.num_rows)
        for j in range(cell.num_columns)
    ]
    assert len(places) == len(set(places))
    assert all(row < grid.num_rows and column < grid.num_columns for row, column in places)


def test_a_head_beside_its_column_is_of_it() -> None:
    """Guards against a column that holds nothing but a head, beside one that has none."""
    pieces = pieces_of(
        region([[(0, "Year"), (120, "Ducks")], [(40, "2019"), (120, "12")], [(40, "2020"), (120, "13")]])
    )
    places = [(0, 0, 1, 1), (0, 2, 1, 1), (1, 1, 1, 1), (1, 2, 1, 1), (2, 1, 1, 1), (2, 2, 1, 1)]
    grid = _grid(pieces, _scores(places, header=1))
    assert grid.num_columns == 2
    assert _texts(pieces, grid)[0, 0, 1, 1] == "Year"
    without_head = _grid(pieces, _scores(places, header=0))
    assert without_head.num_columns == 3


def test_words_a_space_apart_in_all_lines_are_one_column() -> None:
    pieces = pieces_of(region([[(0, "Bullet 1")], [(0, "Bullet 2")], [(0, "Bullet 3")]]))
    assert len(pieces.texts) == 6
    places = [(row, column, 1, 1) for row in range(3) for column in range(2)]
    assert _grid(pieces, _scores(places)).num_columns == 1


def test_words_of_a_head_over_narrow_values_are_one_column() -> None:
    """Guards against columns that hold one word of a head, where no value runs over the spaces between them."""
    rows = [[(0, "name"), (60, "if there is")], [(0, "Alma"), (80, "1")], [(0, "Ida"), (80, "2")]]
    pieces = pieces_of(region(rows))
    assert pieces.texts[1:4] == ("if", "there", "is")
    places = [(0, 0, 1, 1), *((0, 1 + k, 1, 1) for k in range(3)), *((r, c, 1, 1) for r in (1, 2) for c in (0, 2))]
    assert _texts(pieces, _grid(pieces, _scores(places, header=1)))[0, 1, 1, 1] == "if there is"


def test_dots_that_reach_a_value_are_no_space_before_it() -> None:
    pieces = pieces_of(region([[(0, "Rent ........"), (68, "12")], [(0, "Heat ........"), (68, "9")]]))
    places = [place for row in range(2) for place in ((row, 0, 1, 1), (row, 0, 1, 1), (row, 1, 1, 1))]
    assert _grid(pieces, _scores(places)).num_columns == 2


def test_a_head_reaches_down_to_the_last_row_of_the_header() -> None:
    rows = [
        [(0, "Port"), (80, "Catch_of_the_year")],
        [(80, "2009"), (130, "2010")],
        [(0, "Hull"), (80, "1"), (130, "2")],
    ]
    pieces = pieces_of(region(rows))
    places = [(0, 0, 1, 1), (0, 1, 1, 2), (1, 1, 1, 1), (1, 2, 1, 1), (2, 0, 1, 1), (2, 1, 1, 1), (2, 2, 1, 1)]
    place: dict[str, Place] = dict(
        zip(("Port", "Catch_of_the_year", "2009", "2010", "Hull", "1", "2"), places, strict=True)
    )
    grid = _grid(pieces, _scores([place[text] for text in pieces.texts], header=2))
    assert _texts(pieces, grid)[0, 0, 2, 1] == "Port"


def test_a_name_takes_the_columns_between_it_and_the_next_by_what_is_said_of_them() -> None:
    """The judge is rarely sure that a short name over the middle of three columns spans the outer two."""
    rows = [[(80, "Plan"), (230, "Other")], [(x, "n") for x in (0, 50, 80, 130, 200, 230, 280)]]
    pieces = pieces_of(region([*rows, [(x, "1") for x in (0, 50, 80, 130, 200, 230, 280)]]))
    places: list[Place] = [(0, 2, 1, 2), (0, 5, 1, 2)]
    places += [(row, column, 1, 1) for row in (1, 2) for column in range(7)]
    scores = _scores(places, header=2)
    column = scores.bands[0].relations["column"]
    for name, own in ((0, (1, 2, 3)), (1, (4, 5, 6))):
        for index, place in enumerate(places[2:], 2):
            sure = 5.0 if place[1] == (2, 5)[name] else -2.0 if place[1] in own else -5.0
            column[name, index] = column[index, name] = sure
    texts = _texts(pieces, _grid(pieces, scores))
    assert (texts[0, 1, 1, 3], texts[0, 4, 1, 3]) == ("Plan", "Other")
