"""How the pieces of a table lie to one another: measured once, for the features of pieces and of pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from documents.tables.judged.pieces import Pieces

MAX_GAP = 8.0  # type sizes: gaps are cut off there
MIN_TYPE_SIZE = 3.0  # points
NUM_BINS = 240  # number of bins of the width in which gaps between columns are searched


@dataclass(frozen=True, slots=True)
class Lattice:
    """`n` pieces in `k` lines; lengths are in type sizes, from the left and top of the region.

    Attributes:
        em: points, the type size of most letters.
        width, height: of what the pieces take.
        num_lines: k.
        box: float32 (n, 4).
        rules: float32 (m, 4).
        overlap_x, overlap_y: float32 (n, n).
        above, below: index (n,) of the nearest piece that overlaps it level, -1 if there is none, and the gap (n,).
        gap_left, gap_right: (n,), to the next pieces of the line.
        pitch_above, pitch_below: (k,), distance to the next line, of the usual one.
        whitest: (n, n), the least share of the lines that cover a place between two pieces that stand side by side.
        widest: (n, n), the largest distance of two neighbouring lines between the lines of two pieces, of the usual.
    """

    em: float
    width: float
    height: float
    num_lines: int
    box: np.ndarray
    rules: np.ndarray
    overlap_x: np.ndarray
    overlap_y: np.ndarray
    above: tuple[np.ndarray, np.ndarray]
    below: tuple[np.ndarray, np.ndarray]
    gap_left: np.ndarray
    gap_right: np.ndarray
    pitch_above: np.ndarray
    pitch_below: np.ndarray
    whitest: np.ndarray
    widest: np.ndarray


def type_size(pieces: Pieces) -> float:
    """Points, of most letters."""
    letters = np.array([len(text) for text in pieces.texts], np.float64)
    steps, index = np.unique(np.round(pieces.size * 2), return_inverse=True)
    return max(MIN_TYPE_SIZE, float(steps[np.bincount(index, letters).argmax()]) / 2)


def lattice_of(pieces: Pieces) -> Lattice:
    em = type_size(pieces)
    origin = np.array([pieces.box[:, 0].min(), pieces.box[:, 1].min()] * 2, np.float32)
    box, rules = (pieces.box - origin) / em, (pieces.rules - origin) / em
    x0, y0, x1, y1 = box.T
    overlap_x = np.minimum(x1[:, None], x1) - np.maximum(x0[:, None], x0)
    overlap_y = np.minimum(y1[:, None], y1) - np.maximum(y0[:, None], y0)
    pitches = _pitches(pieces.line, (y0 + y1) / 2)
    gap_left, gap_right = _gaps(pieces.line, x0, x1)
    return Lattice(
        em=em,
        width=max(1.0, float(x1.max())),
        height=max(1.0, float(y1.max())),
        num_lines=pieces.num_lines,
        box=box,
        rules=rules,
        overlap_x=overlap_x,
        overlap_y=overlap_y,
        above=_next(overlap_x, pieces.line, y0, y1, -1),
        below=_next(overlap_x, pieces.line, y0, y1, 1),
        gap_left=gap_left,
        gap_right=gap_right,
        pitch_above=np.append(4.0, pitches),
        pitch_below=np.append(pitches, 4.0),
        whitest=_whitest(pieces.line, x0, x1),
        widest=_widest(pieces.line, pitches),
    )


def _pitches(line: np.ndarray, middle: np.ndarray) -> np.ndarray:
    """(k - 1,): distances of lines, of what most near ones have."""
    count = int(line.max()) + 1
    places = np.bincount(line, middle, count) / np.maximum(1, np.bincount(line, minlength=count))
    pitches = np.maximum(np.diff(places), 0.05)
    usual = float(np.quantile(pitches, 0.3)) if len(pitches) else 1.0
    return pitches / max(0.5, usual)


def _gaps(line: np.ndarray, x0: np.ndarray, x1: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    left, right = np.full(len(line), MAX_GAP), np.full(len(line), MAX_GAP)
    if len(line) > 1:
        gap = np.where(line[1:] == line[:-1], x0[1:] - x1[:-1], MAX_GAP)
        left[1:] = gap
        right[:-1] = gap
    return left, right


def _next(
    overlap_x: np.ndarray, line: np.ndarray, y0: np.ndarray, y1: np.ndarray, sign: int
) -> tuple[np.ndarray, np.ndarray]:
    """The nearest piece of another line above (-1) or below (1) that overlaps each level, and the gap."""
    middle = (y0 + y1) / 2
    distance = sign * (middle[None] - middle[:, None])
    distance = np.where((overlap_x > 0) & (line[None] != line[:, None]) & (distance > 0), distance, np.inf)
    near = distance.argmin(1)
    known = np.isfinite(distance[np.arange(len(line)), near])
    gap = y0[near] - y1 if sign > 0 else y0 - y1[near]
    return np.where(known, near, -1), np.where(known, np.clip(gap, -1, MAX_GAP), MAX_GAP)


def _whitest(line: np.ndarray, x0: np.ndarray, x1: np.ndarray) -> np.ndarray:
    """(n, n): 1 where two pieces overlap level."""
    width = max(1.0, float(x1.max()))
    first = np.clip(np.ceil(x0 / width * NUM_BINS - 0.25), 0, NUM_BINS - 1).astype(int)
    last = np.clip(np.floor(x1 / width * NUM_BINS - 0.75), 0, NUM_BINS - 1).astype(int)
    count = int(line.max()) + 1
    edges = np.zeros((count, NUM_BINS + 1), np.int32)
    np.add.at(edges, (line, first), 1)
    np.add.at(edges, (line, np.maximum(first, last) + 1), -1)
    covered = (np.cumsum(edges, 1)[:, :NUM_BINS] > 0).mean(0)
    spans = np.where(np.tri(NUM_BINS, dtype=bool).T, covered[None], np.inf)  # [a, b]: of bins from a on
    least = np.minimum.accumulate(spans, 1)
    start, end = np.minimum(last + 1, NUM_BINS - 1), np.maximum(first - 1, 0)
    between = least[start[:, None], np.maximum(start[:, None], end[None])]  # i left of j
    right = (x0[None] + x1[None]) > (x0[:, None] + x1[:, None])
    between = np.where(right, between, between.T)
    level = np.minimum(x1[:, None], x1) - np.maximum(x0[:, None], x0) > 0
    return np.where(level, 1.0, between)


def _widest(line: np.ndarray, pitches: np.ndarray) -> np.ndarray:
    """(n, n): 0 in one line."""
    count = len(pitches) + 1
    if count == 1:
        return np.zeros((len(line), len(line)))
    upper = np.where(np.tri(count - 1, dtype=bool).T, pitches[None], 0.0)
    most = np.maximum.accumulate(upper, 1)  # [a, b]: of the steps a..b
    low, high = np.minimum(line[:, None], line[None]), np.maximum(line[:, None], line[None])
    same = low == high
    return np.where(same, 0.0, most[np.minimum(low, count - 2), np.maximum(high - 1, 0)])
