from __future__ import annotations

import numpy as np
import torch

from documents.tables.judged.bands import MAX_BAND
from documents.tables.judged.features import NUM_FEATURES, features_of, numeric
from documents.tables.judged.judge import grid_of
from documents.tables.judged.lattice import lattice_of
from documents.tables.judged.network import CellJudge
from documents.tables.judged.pairs import PAIR_BUCKETS, pair_buckets
from documents.tables.judged.pieces import pieces_of
from documents.tables.judged.roles import MARKS, RELATIONS
from tests.documents.tables.judged.table_making import region
from training.structure.cells.network import CellNetwork, JudgeShape


def _network() -> CellNetwork:
    torch.manual_seed(3)
    network = CellNetwork(JudgeShape(width=64, num_layers=2, num_heads=2))
    network.mean.normal_(0, 0.2)
    network.scale.uniform_(0.5, 2)
    return network.eval()


def _judge(network: CellNetwork) -> CellJudge:
    return CellJudge({name: value.numpy() for name, value in network.state_dict().items()})


def test_the_judge_in_arrays_gives_what_the_trained_network_gives() -> None:
    """The oracle is torch."""
    rows = [[(0, f"label {k}"), (90, str(k * 37)), (150, f"({k}.5)")] for k in range(30)]
    pieces = pieces_of(region(rows, [[0, 11, 200, 11.5], [70, 0, 70.5, 100]]))
    lattice = lattice_of(pieces)
    numbers, buckets = features_of(pieces, lattice), pair_buckets(pieces, lattice, numeric(pieces))
    network = _network()
    with torch.inference_mode():
        relations, marks = network(
            torch.from_numpy(numbers)[None],
            torch.from_numpy(buckets.transpose(1, 2, 0).copy())[None],
            torch.ones(1, len(numbers), dtype=torch.bool),
        )
    scores = _judge(network).scores(numbers, buckets)
    for index, name in enumerate(RELATIONS):
        np.testing.assert_allclose(scores.relations[name], relations[0, index].numpy(), atol=2e-4)
    for index, name in enumerate(MARKS):
        np.testing.assert_allclose(scores.marks[name], marks[0, :, index].numpy(), atol=2e-4)


def test_features_and_buckets_are_finite_and_in_range() -> None:
    pieces = pieces_of(region([[(0, "a")], [(0, "b"), (40, "-")], [(0, "c"), (40, "$ 5"), (90, "12%")]]))
    lattice = lattice_of(pieces)
    numbers = features_of(pieces, lattice)
    assert numbers.shape == (len(pieces.texts), NUM_FEATURES)
    assert np.isfinite(numbers).all()
    buckets = pair_buckets(pieces, lattice, numeric(pieces))
    assert (buckets < np.array(PAIR_BUCKETS)[:, None, None]).all()


def test_a_table_of_more_pieces_than_one_band_has_every_word_in_one_cell() -> None:
    words = region([[(0, f"row{k}"), (60, str(k)), (100, str(k + 1))] for k in range(MAX_BAND // 2)])
    grid = grid_of(words, _judge(_network()))
    assert grid is not None
    members = sorted([index for cell in grid.cells for index in cell.pieces] + list(grid.outside))
    assert members == list(range(len(words.texts)))


def test_a_line_of_more_pieces_than_one_band_has_every_word_in_one_cell() -> None:
    words = region([[(30.0 * k, str(k)) for k in range(MAX_BAND + 50)], [(0, "below")]])
    grid = grid_of(words, _judge(_network()))
    assert grid is not None
    members = sorted([index for cell in grid.cells for index in cell.pieces] + list(grid.outside))
    assert members == list(range(len(words.texts)))
