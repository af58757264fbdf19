"""What routes share: where keys and values of rows lie, and rows that are computed apart from others."""

# torch tells only part of its types, so unknowns that come from it are not errors here
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Sequence as Items

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from batching.forward_route import Overlay
from batching.step_plan import PlanRow

Integers = npt.NDArray[np.int64]
Compute = Callable[[Items[PlanRow], Mapping[int, Overlay]], Tensor]
"""See `Route.logits`."""

MAX_LENGTH_RATIO = 1.5
"""Rows of which one is so many times as long as another are computed apart: padding costs more than one more pass."""


def slots_of(row: PlanRow, first: int, block_size: int) -> Integers:
    """Of its tokens from `first` to the last of the step."""
    positions = np.arange(first, row.end)
    return np.asarray(row.blocks, np.int64)[positions // block_size] * block_size + positions % block_size


def as_tensor(array: Integers, device: torch.device) -> Tensor:
    """The same numbers as a tensor."""
    return torch.as_tensor(array, dtype=torch.int64, device=device)


def logits_by_group(
    rows: Items[PlanRow],
    overlays: Mapping[int, Overlay],
    groups: Items[tuple[Items[int], Compute]],
    device: torch.device,
) -> Tensor:
    """The logits of all rows, in their order, of which each of the `groups` is computed by its own function."""
    computed = [index for group, _ in groups for index in group]
    order = torch.tensor(sorted(range(len(rows)), key=computed.__getitem__), device=device)
    parts = [
        compute(
            [rows[index] for index in group],
            {place: overlays[index] for place, index in enumerate(group) if index in overlays},
        )
        for group, compute in groups
    ]
    return torch.cat(parts).index_select(0, order)
