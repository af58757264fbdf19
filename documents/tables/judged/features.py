"""The numbers that the judge of cells reads of each piece; nothing depends on a language."""

from __future__ import annotations

import re

import numpy as np

from documents.segments.text_features import text_features
from documents.tables.judged.lattice import MAX_GAP, Lattice
from documents.tables.judged.pieces import CURRENCY, Pieces, is_leader

VALUE = re.compile(r"[(\-–−+±<>≤≥~$€£¥%#*†‡\s]*\d[\d.,'\s/:\-–%$€£¥)*†‡a-e]*(?:[A-Za-z%]{1,2})?\)?[*†‡]*")
EMPTY_VALUE_CHARACTERS = frozenset("-–—−.…*· n/aNA")  # characters that stand where there is no value
MAX_LINES = 20.0
GROUPS = {
    "place": slice(0, 12),
    "type": slice(12, 16),
    "text": slice(16, 56),
    "around": slice(56, 79),
    "rules": slice(79, 90),
}
NUM_FEATURES = GROUPS["rules"].stop


def features_of(pieces: Pieces, lattice: Lattice) -> np.ndarray:
    """float32 (n, NUM_FEATURES)."""
    is_number = np.array([VALUE.fullmatch(text) is not None for text in pieces.texts], np.float32)
    parts = (
        _places(pieces, lattice),
        _types(pieces, lattice),
        np.array([_texts(text) for text in pieces.texts], np.float32),
        _around(pieces, lattice, is_number),
        _rules(lattice),
    )
    return np.concatenate(parts, 1).astype(np.float32)


def numeric(pieces: Pieces) -> np.ndarray:
    """bool (n,): which pieces are values."""
    return np.array([VALUE.fullmatch(text) is not None for text in pieces.texts])


def _places(pieces: Pieces, lattice: Lattice) -> np.ndarray:
    x0, y0, x1, y1 = lattice.box.T  # in type sizes
    width, height = lattice.width, lattice.height
    line = pieces.line.astype(np.float32)
    columns = [
        x0 / width,
        x1 / width,
        (x0 + x1) / 2 / width,
        (y0 + y1) / 2 / height,
        (x1 - x0) / width,
        np.log1p(x1 - x0),
        y1 - y0,
        np.minimum(line, MAX_LINES) / 5,
        np.minimum(lattice.num_lines - 1 - line, MAX_LINES) / 5,
        np.full_like(x0, np.log1p(lattice.num_lines)),
        np.full_like(x0, np.log1p(width)),
        np.full_like(x0, np.log1p(len(x0))),
    ]
    return np.stack(columns, 1)


def _types(pieces: Pieces, lattice: Lattice) -> np.ndarray:
    columns = [
        np.log(np.maximum(pieces.size, 1) / lattice.em),
        pieces.bold,
        pieces.italic,
        np.full(len(pieces.size), float(pieces.typed)),
    ]
    return np.stack(columns, 1)


def _texts(text: str) -> list[float]:
    """40 numbers: those of the structure network, and what tells values apart."""
    return [
        *text_features(text),
        float(VALUE.fullmatch(text) is not None),
        float(text.isdecimal()),
        float(CURRENCY.isdisjoint(text) is False),
        float("%" in text),
        float(len(text) <= 3 and EMPTY_VALUE_CHARACTERS.issuperset(text)),
        float(is_leader(text)),
        float(text[:1] in "([" and text[-1:] in ")]"),
        float(text.isdecimal() and len(text) == 4 and text[:2] in ("19", "20")),
    ]


def _around(pieces: Pieces, lattice: Lattice, is_number: np.ndarray) -> np.ndarray:
    """How each piece lies to its neighbours, its line and what stands above and below it."""
    count = len(is_number)
    size, bold = np.log(np.maximum(pieces.size, 1)), pieces.bold
    columns: list[np.ndarray] = []
    for near, gap in (lattice.above, lattice.below):
        known = near >= 0
        index = np.maximum(near, 0)
        columns += [
            known,
            np.minimum(gap, MAX_GAP) / 2,
            np.where(known, size - size[index], 0),
            np.where(known, bold - bold[index], 0),
            np.where(known, np.clip(lattice.box[index, 0] - lattice.box[:, 0], -MAX_GAP, MAX_GAP) / 3, 0),
            np.where(known, np.clip(lattice.box[index, 2] - lattice.box[:, 2], -MAX_GAP, MAX_GAP) / 3, 0),
            np.where(known, is_number[index], 0),
        ]
    in_line = np.bincount(pieces.line, minlength=lattice.num_lines)
    numbers_in_line = np.bincount(pieces.line, is_number, minlength=lattice.num_lines)
    level = lattice.overlap_x > 0
    in_column = level.sum(1)
    columns += [
        np.minimum(lattice.gap_left, MAX_GAP) / 3,
        np.minimum(lattice.gap_right, MAX_GAP) / 3,
        np.minimum(in_line[pieces.line], 12) / 4,
        numbers_in_line[pieces.line] / np.maximum(1, in_line[pieces.line]),
        np.log1p(in_column) / 2,
        (level @ is_number) / np.maximum(1, in_column),
        np.minimum(lattice.pitch_above[pieces.line], 4),
        np.minimum(lattice.pitch_below[pieces.line], 4),
        np.full(count, is_number.mean() if count else 0.0),
    ]
    return np.stack([np.asarray(column, np.float32) for column in columns], 1)


def _rules(lattice: Lattice) -> np.ndarray:
    """Gaps to the rules around each piece, how wide these are, and how many wide ones there are in all."""
    rules = lattice.rules
    width, height = np.maximum(rules[:, 2] - rules[:, 0], 0), np.maximum(rules[:, 3] - rules[:, 1], 0)
    levels, uprights = rules[width >= height], rules[width < height]
    middle_x, middle_y = (lattice.box[:, 0] + lattice.box[:, 2]) / 2, (lattice.box[:, 1] + lattice.box[:, 3]) / 2
    columns: list[np.ndarray] = []
    for sign in (-1, 1):
        gap, share = _nearest(levels[:, [0, 2]], levels[:, 1], middle_x, middle_y, sign, lattice.width)
        columns += [np.minimum(gap, MAX_GAP) / 2, share]
        gap, share = _nearest(uprights[:, [1, 3]], uprights[:, 0], middle_y, middle_x, sign, lattice.height)
        columns += [np.minimum(gap, MAX_GAP) / 3, share]
    wide = np.sort(levels[(levels[:, 2] - levels[:, 0]) > 0.6 * lattice.width][:, 1])
    distinct = wide[np.concatenate([[True], np.diff(wide) > 0.3])] if len(wide) else wide
    count = np.full(len(middle_y), float(len(distinct)))
    columns += [
        np.minimum(np.searchsorted(distinct, middle_y), 6) / 2,
        np.minimum(count - np.searchsorted(distinct, middle_y), 6) / 2,
        np.log1p(len(uprights)) * np.ones_like(middle_y) / 2,
    ]
    return np.stack([np.asarray(column, np.float32) for column in columns], 1)


def _nearest(
    extents: np.ndarray, places: np.ndarray, along: np.ndarray, across: np.ndarray, sign: int, whole: float
) -> tuple[np.ndarray, np.ndarray]:
    """Of the nearest rule on one side that passes each piece, its distance, and its length as a share of the whole."""
    if not len(places):
        return np.full(len(along), MAX_GAP), np.zeros(len(along))
    distance = sign * (places[None] - across[:, None])
    passes = (extents[None, :, 0] - 0.2 <= along[:, None]) & (extents[None, :, 1] + 0.2 >= along[:, None])
    distance = np.where(passes & (distance > 0), distance, np.inf)
    near = distance.argmin(1)
    gap = distance[np.arange(len(along)), near]
    share = np.clip((extents[near, 1] - extents[near, 0]) / whole, 0, 1)
    return np.where(np.isfinite(gap), gap, MAX_GAP), np.where(np.isfinite(gap), share, 0.0)
