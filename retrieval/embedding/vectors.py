"""Vectors together with the name of the model that made them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Vectors:
    """float32 (n, dimension), a row for each text, of length one."""

    values: np.ndarray
    embedder: str  # see Embedder.id

    def __len__(self) -> int:
        return len(self.values)

    @property
    def dimension(self) -> int:
        """Numbers of a vector."""
        return self.values.shape[1]
