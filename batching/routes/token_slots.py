"""Where the keys and values of each token lie in the KV memory."""

# torch tells only part of its types, so unknowns that come from it are not errors here
# pyright: reportUnknownMemberType=false
from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from batching.step_plan import PlanRow

Integers = npt.NDArray[np.int64]

MAX_LENGTH_RATIO = 1.5
"""Rows of which one is so many times as long as another are computed apart: padding costs more than one more pass."""


def slots_of(row: PlanRow, first: int, block_size: int) -> Integers:
    """Of its tokens from `first` to the last of the step."""
    positions = np.arange(first, row.end)
    return np.asarray(row.blocks, np.int64)[positions // block_size] * block_size + positions % block_size


def as_tensor(array: Integers, device: torch.device) -> Tensor:
    """The same numbers as a tensor."""
    return torch.as_tensor(array, dtype=torch.int64, device=device)
