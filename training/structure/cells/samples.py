"""Tables with their truth, to learn cells from, and files of many of them."""

from __future__ import annotations

import lzma
import pickle
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from documents.tables.judged.pieces import RegionWords

OUTSIDE, UNKNOWN = -1, -1
INT16 = 2**15 - 1  # tenths of a point


@dataclass(frozen=True, slots=True)
class TableSample:
    """A table's words and those near it; columns are counted from the side at which a line begins.

    Attributes:
        words: mirrored where the table is read from the right.
        row, column: int16 (n,), of the cell of each word; OUTSIDE of one that is not of the table.
        num_rows, num_columns: int16 (n,), that its cell spans.
        header: int8 (n,), whether its cell is a head of columns: 0, 1 or UNKNOWN.
    """

    words: RegionWords
    row: np.ndarray
    column: np.ndarray
    num_rows: np.ndarray
    num_columns: np.ndarray
    header: np.ndarray

    def chosen(self, index: np.ndarray) -> TableSample:
        """With these words alone."""
        words = self.words
        return TableSample(
            words=replace(
                words,
                texts=tuple(words.texts[k] for k in index.tolist()),
                box=words.box[index],
                size=words.size[index],
                bold=words.bold[index],
                italic=words.italic[index],
                spaced=words.spaced[index],
            ),
            row=self.row[index],
            column=self.column[index],
            num_rows=self.num_rows[index],
            num_columns=self.num_columns[index],
            header=self.header[index],
        )


def is_sound(sample: TableSample, max_conflicts: float = 0.03) -> bool:
    """Whether the cells stand where rows and columns are: few that differ in their column stand one below another."""
    inside = np.flatnonzero(sample.row >= 0)
    own = sample.chosen(inside)
    x0, y0, x1, y1 = own.words.box.T
    if len(inside) < 4 or len(np.unique(own.row)) < 2 or len(np.unique(own.column)) < 2:
        return False
    middle_x, middle_y = (x0 + x1) / 2, (y0 + y1) / 2
    covers_x = (x0[:, None] < middle_x) & (middle_x < x1[:, None])  # [i, j]: i stands over the middle of j
    covers_y = (y0[:, None] < middle_y) & (middle_y < y1[:, None])
    single_column, single_row = own.num_columns == 1, own.num_rows == 1
    pairs = covers_x & single_column[:, None] & single_column
    wrong = pairs & (own.column[:, None] != own.column)
    if wrong.sum() > max_conflicts * max(1, pairs.sum()):
        return False
    pairs = covers_y & single_row[:, None] & single_row
    wrong = pairs & (own.row[:, None] != own.row)
    return bool(wrong.sum() <= max_conflicts * max(1, pairs.sum()))


def with_narrow_groups(sample: TableSample) -> TableSample:
    """The names of groups of rows as a person lists them: at the left end of a row of their own, over the columns alone
    that their letters reach, whatever the markup spans. A name in the middle of the width spans what it is set over.
    """
    box, num_columns = sample.words.box, sample.num_columns.copy()
    inside = sample.row >= 0
    single = inside & (num_columns == 1)
    columns = np.unique(sample.column[single])
    lefts = {int(c): float(box[single & (sample.column == c), 0].min()) for c in columns}
    for row in np.unique(sample.row[inside & (num_columns > 1)]):
        own = inside & (sample.row == row)
        lone = len(np.unique(sample.column[own])) == 1 and (sample.column[own] == 0).all()
        if not lone or (sample.header[own] == 1).any() or (sample.num_rows[own] > 1).any():
            continue
        second = min((left for column, left in lefts.items() if column > 0), default=np.inf)
        if float(box[own, 0].min()) < second:
            reached = [column for column, left in lefts.items() if left < float(box[own, 2].max())]
            num_columns[own] = min(int(num_columns[own].max()), max(reached, default=0) + 1)
    return replace(sample, num_columns=num_columns)


def save(samples: Iterable[TableSample], path: Path) -> int:
    """Write a file of samples, which appears whole; how many they are."""
    packed = [_packed(sample) for sample in samples]
    partial = path.with_suffix(".partial")
    partial.write_bytes(lzma.compress(pickle.dumps(packed, 4), preset=6))
    partial.rename(path)
    return len(packed)


def load(path: Path) -> Iterator[TableSample]:
    """The samples of one file that `save` wrote: a pickle of our own, never one from elsewhere."""
    for sample in pickle.loads(lzma.decompress(path.read_bytes())):
        yield _unpacked(*sample)


def _packed(sample: TableSample) -> tuple[object, ...]:
    words = sample.words
    left, top = words.box[:, :2].min(0)
    origin = np.array([left, top, left, top], np.float32)
    return (
        words.texts,
        _tenths(words.box - origin),
        np.round(words.size * 10).astype(np.uint16),
        (words.bold > 0.5).astype(np.uint8) + 2 * (words.italic > 0.5) + 4 * words.spaced.astype(np.uint8),
        _tenths(words.rules - origin),
        words.typed,
        sample.row.astype(np.int16),
        sample.column.astype(np.int16),
        sample.num_rows.astype(np.int16),
        sample.num_columns.astype(np.int16),
        sample.header.astype(np.int8),
    )


def _tenths(box: np.ndarray) -> np.ndarray:
    return np.round(box.reshape(-1, 4) * 10).clip(-INT16, INT16).astype(np.int16)


def _unpacked(
    texts: tuple[str, ...],
    box: np.ndarray,
    size: np.ndarray,
    flags: np.ndarray,
    rules: np.ndarray,
    typed: bool,
    *truth: np.ndarray,
) -> TableSample:
    words = RegionWords(
        texts=texts,
        box=box.astype(np.float32) / 10,
        size=size.astype(np.float32) / 10,
        bold=(flags & 1).astype(np.float32),
        italic=(flags >> 1 & 1).astype(np.float32),
        spaced=(flags & 4).astype(bool),
        rules=rules.astype(np.float32) / 10,
        typed=typed,
    )
    return TableSample(words, *truth)
