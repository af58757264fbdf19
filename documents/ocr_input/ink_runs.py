"""Level runs of ink, by where they start and end."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np


class InkRuns(NamedTuple):
    """Runs in order, as indices of the flattened picture, of which ink on two rows never touches."""

    starts: np.ndarray
    ends: np.ndarray

    @classmethod
    def of(cls, ink: np.ndarray) -> Self:
        """Of ink, uint8 (height, width) of 0 and 1, whose first and last columns are empty."""
        flat = ink.ravel()
        edges = np.flatnonzero(flat[1:] != flat[:-1]) + 1
        return cls(edges[::2], edges[1::2])

    def long(self, shortest: int) -> Self:
        """Those of at least so many pixels: what an opening leaves."""
        fits = self.ends - self.starts >= shortest
        return type(self)(self.starts[fits], self.ends[fits])

    def closed(self, widest: int) -> Self:
        """With those as one between which no more than so many pixels are empty."""
        apart = self.starts[1:] - self.ends[:-1] > widest
        first, last = np.ones((2, len(self.starts)), bool)
        first[1:] = last[:-1] = apart
        return type(self)(self.starts[first], self.ends[last])

    def pieces(self, width: int) -> np.ndarray:
        """For each run the first run of its piece, of a picture so wide; runs that meet at a corner touch."""
        first = np.searchsorted(self.ends, self.starts + width - 1, side="right")
        num_below = np.searchsorted(self.starts, self.ends + width + 1) - first
        above = np.repeat(np.arange(len(self.starts)), num_below)
        below = np.arange(len(above)) + np.repeat(first - np.cumsum(num_below) + num_below, num_below)
        piece = np.arange(len(self.starts))
        while (piece[above] != piece[below]).any():
            least = np.minimum(piece[above], piece[below])
            for run in (above, below):
                np.minimum.at(piece, piece[run], least)
            piece = piece[piece]
        return piece

    def drawn(self, shape: tuple[int, ...]) -> np.ndarray:
        """Ink as `of` takes it."""
        lengths = self.ends - self.starts
        before = np.cumsum(lengths) - lengths
        ink = np.zeros(shape, np.uint8)
        ink.ravel()[np.repeat(self.starts - before, lengths) + np.arange(lengths.sum())] = 1
        return ink
