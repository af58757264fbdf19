"""The memory of recurrent layers: what each sequence's past has left there, of a fixed size."""

# torch tells only part of its types, so unknowns that come from it are not errors here
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from collections.abc import Sequence as Items

import torch
from torch import Tensor


class StatePool:
    """A slot for each running sequence in every state of every recurrent layer, and one behind them for scratch."""

    def __init__(self, num_slots: int) -> None:
        """It has no state yet, so takes no memory."""
        self.num_slots = num_slots
        self.states: list[Tensor] = []  # each (slots, ...)

    @property
    def scratch_slot(self) -> int:
        """Of rows that are computed for nothing."""
        return self.num_slots

    @property
    def bytes_per_slot(self) -> int:
        """In all layers."""
        return sum(state[0].numel() * state.element_size() for state in self.states)

    def fill(self, slots: Items[int], number: float) -> None:
        """Write a number over the states of some slots."""
        for state in self.states if slots else ():
            state[list(slots)] = number

    def add(self, like: Tensor) -> Tensor:
        """Room for one more state, of which `like` holds some rows: (slots, ...)."""
        state = torch.zeros((self.num_slots + 1, *like.shape[1:]), dtype=like.dtype, device=like.device)
        self.states.append(state)
        return state
