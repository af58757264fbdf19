"""How two pieces lie to one another, in buckets: rows of tables of embeddings."""

from __future__ import annotations

import numpy as np

from documents.tables.judged.lattice import Lattice
from documents.tables.judged.pieces import Pieces

PAIR_BUCKETS = (17, 17, 17, 17, 25, 17, 5, 5, 6, 5, 3, 3, 3, 5, 6)  # of each feature of a pair
GROUPS = ((0, 1), (2, 3), (4, 6), (5, 7, 10), (8, 9, 12), (11, 13, 14))  # of features, each looked up at once
NUM_PAIR_BUCKETS = sum(PAIR_BUCKETS)
RULE_SLACK = 0.2  # a rule may end this far before a piece that it passes, in type sizes


def pair_buckets(pieces: Pieces, lattice: Lattice, is_number: np.ndarray) -> np.ndarray:
    """uint8 (features, n, n): how piece j lies to piece i."""
    x0, y0, x1, y1 = lattice.box.T
    width, height = np.maximum(x1 - x0, 0.1), np.maximum(y1 - y0, 0.1)
    down = _difference((y0 + y1) / 2)
    gap_y = np.where(pieces.line[:, None] == pieces.line, 0.0, np.sign(down) * np.maximum(-lattice.overlap_y, 0.02))
    gap_x = np.where(lattice.overlap_x > 0, 0.0, np.sign(_difference(x0)) * np.maximum(-lattice.overlap_x, 0.02))
    bold = np.abs(_difference(pieces.bold)) > 0.5
    size = np.digitize(_difference(np.log(np.maximum(pieces.size, 1))), [-0.03, 0.03])
    number = is_number.astype(int)
    columns = (
        _bucket(_difference(x0), 17, 2),
        _bucket(_difference(x1), 17, 2),
        _bucket(_difference((x0 + x1) / 2), 17, 2),
        _bucket(gap_x, 17, 2),
        _bucket(gap_y, 25, 4),
        _bucket(down, 17, 1),
        np.digitize(lattice.overlap_x / np.minimum(width[:, None], width), [0.0, 0.3, 0.7, 0.95]),
        np.digitize(lattice.overlap_y / np.minimum(height[:, None], height), [0.0, 0.3, 0.7, 0.95]),
        size + 3 * bold,
        _nearest(pieces, lattice),
        _rules_between(lattice, level=True),
        _rules_between(lattice, level=False),
        number[:, None] + number,
        np.digitize(lattice.whitest, [0.001, 0.06, 0.2, 0.5]),
        np.digitize(lattice.widest, [0.01, 1.1, 1.3, 1.6, 2.2]),
    )
    return np.stack([column.astype(np.uint8) for column in columns])


def _difference(edge: np.ndarray) -> np.ndarray:
    return edge[None] - edge[:, None]


def _bucket(distance: np.ndarray, count: int, steepness: float) -> np.ndarray:
    """Buckets that are narrow near 0 and reach to 40 type sizes."""
    half = count // 2
    scaled = np.log1p(np.abs(distance) * steepness) * (half / np.log1p(40 * steepness))
    return half + np.clip(np.round(np.sign(distance) * scaled), -half, half).astype(int)


def _nearest(pieces: Pieces, lattice: Lattice) -> np.ndarray:
    """Whether j is the next below (1), above (2), to the right (3) or left (4) of i; 0: none of these."""
    count = len(pieces.line)
    near = np.zeros((count, count), int)
    for label, (index, _) in ((1, lattice.below), (2, lattice.above)):
        known = np.flatnonzero(index >= 0)
        near[known, index[known]] = label
    same = np.flatnonzero(pieces.line[1:] == pieces.line[:-1])
    near[same, same + 1] = 3
    near[same + 1, same] = 4
    return near


def _rules_between(lattice: Lattice, *, level: bool) -> np.ndarray:
    """0: no rule runs between two pieces; 1: one that passes one of them; 2: one that passes both."""
    rules = lattice.rules
    is_level = rules[:, 2] - rules[:, 0] >= rules[:, 3] - rules[:, 1]
    rules = rules[is_level == level]
    middle_x, middle_y = (lattice.box[:, 0] + lattice.box[:, 2]) / 2, (lattice.box[:, 1] + lattice.box[:, 3]) / 2
    along, across = (middle_x, middle_y) if level else (middle_y, middle_x)
    start, end, place = (0, 2, 1) if level else (1, 3, 0)
    passes = (rules[:, start] - RULE_SLACK <= along[:, None]) & (rules[:, end] + RULE_SLACK >= along[:, None])
    before = across[:, None] < (rules[:, place] + rules[:, place + 2]) / 2
    passing_before = (passes & before).astype(np.float32)
    passing_after = (passes & ~before).astype(np.float32)
    both = passing_before @ passing_after.T
    one = passing_before @ (~before).astype(np.float32).T + before.astype(np.float32) @ passing_after.T
    both, one = both + both.T, one + one.T
    return np.where(both > 0, 2, np.where(one > 0, 1, 0))
