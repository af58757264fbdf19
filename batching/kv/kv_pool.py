"""The memory of the KV cache of all sequences."""

# torch tells only part of its types, so unknowns that come from it are not errors here
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from collections.abc import Sequence as Items

import torch

from batching.kv.block_pool import scratch_block
from batching.kv.kv_rows import KV_ROWS_TYPES, KvDtype, KvRows
from batching.kv.state_pool import StatePool


class KvPool:
    """Blocks of token slots in every layer; what no sequence wrote is zero, and the padding block always is."""

    def __init__(self, num_blocks: int, block_size: int, kv_dtype: KvDtype = "model", num_states: int = 0) -> None:
        """`num_blocks` usable blocks of `block_size` tokens; it has no layer yet, so takes no memory.

        `num_states`: sequences of which recurrent layers keep a state.
        """
        self.num_blocks = num_blocks
        self.block_size = block_size
        self.kv_dtype: KvDtype = kv_dtype
        self.layers: list[tuple[KvRows, KvRows]] = []  # keys and values
        self.states = StatePool(num_states)

    @property
    def num_slots(self) -> int:
        """Tokens that the usable blocks hold."""
        return self.num_blocks * self.block_size

    @property
    def bytes_per_block(self) -> int:
        """In all layers."""
        tensors = (tensor for layer in self.layers for rows in layer for tensor in rows.tensors)
        return sum(tensor[0].numel() * tensor.element_size() for tensor in tensors)

    def add_layer(
        self, keys: tuple[int, int], values: tuple[int, int], dtype: torch.dtype, device: torch.device
    ) -> tuple[KvRows, KvRows]:
        """The keys and values of one more layer, each of so many heads and of so many numbers per head."""
        num_blocks = scratch_block(self.num_blocks) + 1
        make = KV_ROWS_TYPES[self.kv_dtype]
        of_keys, of_values = (make(num_blocks, self.block_size, heads, dtype, device) for heads in (keys, values))
        self.layers.append((of_keys, of_values))
        return of_keys, of_values

    def make_finite(self, blocks: Items[int]) -> None:
        """Wipe what is not finite: a NaN in a masked slot would poison the attention of whoever has the block next."""
        for rows in (rows for layer in self.layers for rows in layer):
            rows.make_finite(blocks)
