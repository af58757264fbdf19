"""Finds the slope at which the letters of a line stand level."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

import numpy as np

MAX_LINE_OFFSET = 0.2  # maximum distance between a letter and its line, in letter heights
NUM_SLOPES = 49  # number of slopes that are tried
MAX_SLOPE = 0.12  # maximum slope of a line: pixels down per pixel to the right
# the usual slope is preferred if it aligns this share of the letters that the best slope aligns
MIN_USUAL_SHARE = 0.85


@dataclass(frozen=True)
class LetterEdges:
    """Edges of the letters of a chain, at which they may stand level: `x` of their middles and `y`, in pixels.

    Edges whose distance from a line of some slope differs by no more than `near` are level at that slope.
    """

    x: np.ndarray
    y: np.ndarray
    near: float
    _fits: dict[bytes, float] = field(default_factory=dict[bytes, float], repr=False)  # by the edges on the line

    @classmethod
    def of(cls, x: np.ndarray, y: np.ndarray, letter: float) -> Self:
        """Of letters that are usually so tall."""
        return cls(x, y, max(1.5, MAX_LINE_OFFSET * letter))

    def count(self, slope: float) -> int:
        """How many edges are level at a slope, at most."""
        level = np.sort(self.y - self.x * slope)
        return int((np.searchsorted(level, level + self.near, side="right") - np.arange(len(level))).max())

    @cached_property
    def best(self) -> tuple[float, int]:
        """The slope at which most edges are level, of those that are tried, and how many are."""
        slopes = np.linspace(-MAX_SLOPE, MAX_SLOPE, NUM_SLOPES)
        level = np.sort(self.y - self.x * slopes[:, None], axis=1)
        limits = level + self.near

        def has(count: int) -> np.ndarray:
            return level[:, count - 1 :] <= limits[:, : level.shape[1] - count + 1]

        least, most = self.num_level, level.shape[1]
        while least < most:
            count = (least + most + 1) // 2
            if has(count).any():
                least = count
            else:
                most = count - 1
        of_most = has(least).any(axis=1)
        return float(slopes[np.argmax(np.where(of_most, least - np.abs(slopes), -np.inf))]), least

    @cached_property
    def num_level(self) -> int:
        """How many edges are level at the slope 0."""
        return self.count(0.0)

    def stand_level(self, min_share: float) -> bool:
        """Whether so large a share of the edges is level at the slope that is like 0."""
        least = self.num_level  # no other slope is like 0 and levels fewer
        return least / len(self.y) >= min_share or self.like(0.0)[1] / len(self.y) >= min_share

    def like(self, usual: float) -> tuple[float, int]:
        """The slope `usual` if nearly as many edges are level there as at the best one, else that one; and how many."""
        count = self.count(usual) if usual else self.num_level
        if count >= MIN_USUAL_SHARE * len(self.y):
            return usual, count
        slope, most = self.best
        return (usual, count) if count >= MIN_USUAL_SHARE * most else (slope, most)

    def fitted(self, usual: float) -> float:
        """The slope of `like`, fitted to the edges that it levels."""
        slope, _ = self.like(usual)
        level = self.y - slope * self.x
        order = np.sort(level)
        first = int(np.argmax(np.searchsorted(order, order + self.near, side="right") - np.arange(len(order))))
        on_it = (level >= order[first]) & (level <= order[first] + self.near)
        if on_it.sum() < 3 or np.ptp(self.x[on_it]) == 0:
            return slope
        fitted = self._fits.get(key := on_it.tobytes())
        if fitted is None:
            fitted = self._fits[key] = _slope_of(self.x[on_it], self.y[on_it])
        return fitted if abs(fitted - slope) <= MAX_SLOPE / NUM_SLOPES * 4 else slope


def _slope_of(x: np.ndarray, y: np.ndarray) -> float:
    """The slope of the line with the least squares of distances: as numpy's `polyfit`, without its checks."""
    terms = np.ones((len(x), 2))
    terms[:, 0] = x
    scale = np.sqrt(np.square(terms).sum(axis=0))
    return float(np.linalg.lstsq(terms / scale, y, len(x) * np.finfo(float).eps)[0][0] / scale[0])
