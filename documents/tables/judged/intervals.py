"""Rows and columns as the intervals that agree best with the scores of pairs, found exactly."""

from __future__ import annotations

import numpy as np

from documents.tables.judged.bands import BandedScores

MAX_COLUMN_STARTS = 160  # maximum number of places where columns may begin
SAME_EDGE = 0.12  # type sizes between left edges that are one
MIN_CROSSING = 0.3  # minimum length by which a piece extends over a cut that it crosses, in type sizes
MAX_CROSSING_COST = 6.0  # maximum cost of a piece that a cut crosses


def rows_of(lines: np.ndarray, scores: BandedScores, weight: np.ndarray) -> np.ndarray:
    """The row of each piece: printed lines parted into runs; `weight` is what each piece has to say."""
    count = int(lines.max()) + 1
    between = np.zeros((count, count))  # [a, b]: of pieces of two lines
    for band in scores.bands:
        if not len(band.index):
            continue
        first = int(lines[band.index].min())
        members = np.zeros((int(lines[band.index].max()) + 1 - first, len(band.index)), np.float32)
        members[lines[band.index] - first, np.arange(len(band.index))] = weight[band.index]
        own = slice(first, first + len(members))
        between[own, own] += members @ band.relations["row"] @ members.T
    if len(scores.bands) > 1:
        between += _apart(lines, scores)
    return np.searchsorted(best_parts(_within(np.triu(between, 1))), lines, side="right") - 1


def _apart(lines: np.ndarray, scores: BandedScores) -> np.ndarray:
    """Against lines that no band holds together being one row."""
    count = int(lines.max()) + 1
    together = np.zeros((count, count), bool)
    for band in scores.bands:
        own = np.unique(lines[band.index])
        together[np.ix_(own, own)] = True
    return np.where(together, 0.0, -1e3)


def cuts_of(left: np.ndarray, right: np.ndarray, scores: BandedScores, wide: np.ndarray) -> np.ndarray:
    """Where columns begin, but for the first: just before left edges.

    Of two pieces side by side, that they share a column counts where no cut parts them; `wide` is the probability that
    a piece spans several, which a cut through it makes it do.
    """
    places = _places(left)
    cost = np.minimum(-np.log(np.maximum(wide, 1e-9)), MAX_CROSSING_COST)
    starts, ends, crossing = _extents(places, left, right, cost)
    if len(places) > MAX_COLUMN_STARTS:
        kept = np.sort(np.argsort(crossing[1:], kind="stable")[: MAX_COLUMN_STARTS - 1]) + 1
        places = places[np.append(0, kept)]
        starts, ends, crossing = _extents(places, left, right, cost)
    count = len(places)
    pairs = np.zeros(count * count)  # [a, b]: of pairs whose left one ends in place a, whose right one begins in b
    for band in scores.bands:
        own = band.index
        is_before = right[own][:, None] <= left[own][None] + MIN_CROSSING  # i left of j
        first, second = np.nonzero(is_before & ~is_before.T)
        weight = (1 - wide[own[first]]) * (1 - wide[own[second]])
        values = band.relations["column"][first, second] * weight
        pairs += np.bincount(ends[own[first]] * count + starts[own[second]], values, count * count)
    crossing[0] = 0.0
    gain = _within(pairs.reshape(count, count)) - np.append(crossing, 0.0)[:, None]
    return places[best_parts(gain)[1:]]


def _places(left: np.ndarray) -> np.ndarray:
    """Left edges, of those that are nearly one the first."""
    places: list[float] = []
    for edge in np.sort(left).tolist():
        if not places or edge - places[-1] > SAME_EDGE:
            places.append(edge)
    return np.array(places) - 0.01


def _extents(
    places: np.ndarray, left: np.ndarray, right: np.ndarray, cost: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The places that each piece begins behind and that it reaches; and what a cut at each place costs."""
    starts = np.searchsorted(places, left, side="right") - 1
    ends = np.maximum(starts, np.searchsorted(places, right - MIN_CROSSING, side="right") - 1)
    crossing = np.zeros(len(places) + 1)
    np.add.at(crossing, starts + 1, cost)
    np.add.at(crossing, ends + 1, -cost)
    return starts, ends, crossing.cumsum()[: len(places)]


def _within(pairs: np.ndarray) -> np.ndarray:
    """(count + 1, count + 1): the sum of all from the first index to before the second, in both axes."""
    sums = np.pad(pairs.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    whole = np.diagonal(sums)
    return whole[None] + whole[:, None] - sums - sums.T


def best_parts(gain: np.ndarray) -> np.ndarray:
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
