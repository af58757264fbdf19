"""What the judge says of a table's pieces: of pairs, band by band; a small table is one band.

Bands are runs of whole lines that share some lines with their neighbours, so that no work grows with the square of a
table's length. Of pieces that no band holds together nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from documents.tables.judged.features import features_of, numeric
from documents.tables.judged.lattice import lattice_of
from documents.tables.judged.network import CellJudge
from documents.tables.judged.pairs import pair_buckets
from documents.tables.judged.pieces import Pieces
from documents.tables.judged.roles import MARKS

MAX_BAND = 400  # pieces that are judged at once
BAND_OVERLAP = 0.25  # share of a band that the next one repeats
MAX_LOGIT = 8.0


@dataclass(frozen=True, slots=True)
class Band:
    """Logits of pairs of the pieces `index`, by relation (k, k)."""

    index: np.ndarray
    relations: Mapping[str, np.ndarray]


@dataclass(frozen=True, slots=True)
class BandedScores:
    """Of `n` pieces: logits by mark (n,), and of pairs in bands."""

    marks: Mapping[str, np.ndarray]
    bands: Sequence[Band]

    def chosen(self, index: np.ndarray, count: int) -> BandedScores:
        """Of some of `count` pieces, which count from 0 then."""
        number = np.full(count, -1)
        number[index] = np.arange(len(index))
        bands: list[Band] = []
        for band in self.bands:
            own = np.flatnonzero(number[band.index] >= 0)
            square = np.ix_(own, own)
            bands.append(Band(number[band.index[own]], {name: value[square] for name, value in band.relations.items()}))
        return BandedScores({name: value[index] for name, value in self.marks.items()}, bands)

    def mean(self, relation: str, first: Sequence[int], second: Sequence[int]) -> float:
        """Of the pairs of two sets of pieces that some band holds."""
        total, pairs = 0.0, 0
        for band in self.bands:
            rows, columns = np.isin(band.index, first), np.isin(band.index, second)
            total += float(band.relations[relation][np.ix_(rows, columns)].sum())
            pairs += int(rows.sum() * columns.sum())
        return total / pairs if pairs else 0.0


def judged(pieces: Pieces, judge: CellJudge) -> BandedScores:
    """All pieces, in as many bands as it takes; a mark is the mean of what bands say, or not there."""
    count = len(pieces.line)
    marks = {name: np.zeros(count, np.float32) for name in MARKS}
    times = np.zeros(count, np.float32)
    bands: list[Band] = []
    for index in band_indices(pieces):
        band = pieces if len(index) == count else part_of(pieces, index)
        lattice = lattice_of(band)
        scores = judge.scores(features_of(band, lattice), pair_buckets(band, lattice, numeric(band)))
        bands.append(
            Band(index, {name: np.clip(value, -MAX_LOGIT, MAX_LOGIT) for name, value in scores.relations.items()})
        )
        times[index] += 1
        for name, value in scores.marks.items():
            marks[name][index] += value
    means = {name: np.where(times > 0, value / np.maximum(times, 1), -MAX_LOGIT) for name, value in marks.items()}
    return BandedScores(means, bands)


def band_indices(pieces: Pieces) -> Iterator[np.ndarray]:
    """Runs of whole lines with as many pieces as one band may have; of a longer line its first pieces."""
    ends = np.cumsum(np.bincount(pieces.line, minlength=pieces.num_lines))
    start = 0
    while True:
        before = int(ends[start - 1]) if start else 0
        end = max(start + 1, int(np.searchsorted(ends, before + MAX_BAND, side="right")))
        yield np.arange(before, min(int(ends[end - 1]), before + MAX_BAND))
        if end >= pieces.num_lines:
            return
        start = max(start + 1, end - max(1, int(BAND_OVERLAP * (end - start))))


def part_of(pieces: Pieces, index: np.ndarray) -> Pieces:
    """Some of the pieces, their lines counted again."""
    return Pieces(
        texts=tuple(pieces.texts[k] for k in index.tolist()),
        words=tuple(pieces.words[k] for k in index.tolist()),
        box=pieces.box[index],
        size=pieces.size[index],
        bold=pieces.bold[index],
        italic=pieces.italic[index],
        line=np.unique(pieces.line[index], return_inverse=True)[1].astype(np.int32),
        rules=pieces.rules,
        typed=pieces.typed,
    )
