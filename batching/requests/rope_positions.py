"""Token positions of a sequence, on one axis or several (M-RoPE)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]

MAX_DELTA = 1024  # maximum number of positions that a prompt leaves out


@dataclass(frozen=True, slots=True, eq=False)
class Rope:
    """Of a prompt with pictures, where a token's position is not its place: made once, and sliced for each chunk.

    Behind the prompt a token stands at its own place plus `delta`, on all axes.

    Raises:
        ValueError: `delta` is above `MAX_DELTA`, for which routes have no angles.
    """

    positions: Integers  # (axes, prompt)
    delta: int

    def __post_init__(self) -> None:
        if self.delta > MAX_DELTA:
            raise ValueError(f"delta must be at most {MAX_DELTA}, not {self.delta}")

    @property
    def num_axes(self) -> int:
        """Three for time, height and width (M-RoPE); one where tokens of the picture are left out."""
        return len(self.positions)

    @property
    def length(self) -> int:
        """Tokens of the prompt; behind them all axes are equal."""
        return self.positions.shape[1]

    def between(self, start: int, end: int) -> Integers:
        """(axes, end - start), of the tokens from `start` to `end`."""
        behind = np.arange(max(start, self.length), max(end, self.length)) + self.delta
        return np.concatenate([self.positions[:, start:end], np.tile(behind, (self.num_axes, 1))], axis=1)


def positions_of(ropes: Iterable[tuple[Rope | None, int, int]]) -> Integers:
    """Of the tokens `start` to `end` of each sequence, one after the other: (T), or (axes, T) where axes differ."""
    sequences = list(ropes)
    num_axes = max(
        [rope.num_axes for rope, start, _ in sequences if rope is not None and start < rope.length], default=0
    )
    if not num_axes:
        return np.concatenate(
            [np.arange(start, end) + (0 if rope is None else rope.delta) for rope, start, end in sequences]
        )
    positions = np.concatenate(
        [
            np.tile(np.arange(start, end), (num_axes, 1)) if rope is None else rope.between(start, end)
            for rope, start, end in sequences
        ],
        axis=1,
    )
    return positions[0] if num_axes == 1 else positions
