"""KvPool: the keys and values of all sequences, on the device."""

# torch tells only part of its types, so unknowns that come from it are not errors here
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from collections.abc import Sequence as Items

import torch
from torch import Tensor

from batching.blocks import scratch_block
from batching.device import untouched_zeros


class KvPool:
    """Blocks of token slots in every layer; what no sequence wrote is zero, and the padding block always is."""

    def __init__(self, num_blocks: int, block_size: int) -> None:
        """`num_blocks` usable blocks of `block_size` tokens; it has no layer yet, so takes no memory."""
        self.num_blocks = num_blocks
        self.block_size = block_size
        self.layers: list[tuple[Tensor, Tensor]] = []  # keys and values, each (blocks, block size, width)

    @property
    def num_slots(self) -> int:
        """Tokens that the usable blocks hold."""
        return self.num_blocks * self.block_size

    def add_layer(
        self, key_width: int, value_width: int, dtype: torch.dtype, device: torch.device
    ) -> tuple[Tensor, Tensor]:
        """The keys and values of one more layer, of so many numbers per token."""
        num_blocks = scratch_block(self.num_blocks) + 1
        keys, values = (
            untouched_zeros((num_blocks, self.block_size, width), dtype, device) for width in (key_width, value_width)
        )
        self.layers.append((keys, values))
        return keys, values

    def copy(self, pairs: Items[tuple[int, int]]) -> None:
        """Copy blocks, each (from, to); no block is both."""
        if pairs:
            sources, targets = ([pair[end] for pair in pairs] for end in (0, 1))
            for tensor in (tensor for layer in self.layers for tensor in layer):
                tensor[targets] = tensor[sources]

    def make_finite(self, blocks: Items[int]) -> None:
        """Wipe what is not finite: a NaN in a masked slot would poison the attention of whoever has the block next."""
        for tensor in (tensor for layer in self.layers for tensor in layer):
            tensor[list(blocks)] = tensor[list(blocks)].nan_to_num(0.0, 0.0, 0.0)
