"""Keys and values of one layer, in the model's precision or in eight bits (`kv_dtype`)."""

# torch tells only part of its types, so unknowns that come from it are not errors here
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from collections.abc import Sequence as Items
from typing import Literal

import torch
from torch import Tensor

from batching.machine.device import untouched_zeros

KvDtype = Literal["model", "fp8"]
"""model: the numbers that the model computes with. fp8: float8_e4m3fn, with a power of two for each token and head."""

MAX_FP8 = 448.0  # the largest number of float8_e4m3fn
NON_FINITE_EXPONENT = -128
"""Marks a head that held a number which is not finite: the whole head is read as NaN."""
MIN_EXPONENT = -100  # float32 does not hold smaller numbers at full precision


class KvRows:
    """What is read of a slot is `rounded` of what was written there: in the model's numbers, the same."""

    def __init__(
        self, num_blocks: int, block_size: int, heads: tuple[int, int], dtype: torch.dtype, device: torch.device
    ) -> None:
        """Zeros; `heads`: how many, and their numbers per token."""
        self.width = heads[0] * heads[1]
        self.numbers = untouched_zeros((num_blocks, block_size, self.width), dtype, device)
        self.exponents: Tensor | None = None  # (blocks, block size, heads), in fp8

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """All that it keeps; the first dimension is that of the blocks."""
        return (self.numbers,)

    def rounded(self, heads: Tensor) -> Tensor:
        """(..., head dim), as they are read back."""
        return heads

    def write(self, slots: Tensor, rows: Tensor) -> None:
        """Store `rows` (n, width) at `slots` (n)."""
        self.numbers.view(-1, self.width).index_copy_(0, slots, rows)

    def read_slots(self, slots: Tensor) -> Tensor:
        """(n, width)."""
        return self.numbers.view(-1, self.width).index_select(0, slots)

    def read_blocks(self, blocks: Tensor, out: Tensor | None = None) -> Tensor:
        """(n, block size * width); may lie in `out`, which is flat and large enough."""
        source = self.numbers.view(len(self.numbers), -1)
        if out is None:
            return source.index_select(0, blocks)
        shape = (len(blocks), source.shape[1])
        return torch.index_select(source, 0, blocks, out=out[: shape[0] * shape[1]].view(shape))

    def make_finite(self, blocks: Items[int]) -> None:
        """Zeros in place of what is not finite."""
        self.numbers[list(blocks)] = self.numbers[list(blocks)].nan_to_num(0.0, 0.0, 0.0)


class Fp8Rows(KvRows):
    """A head of a token is stored by itself: its bytes do not depend on others of its block, its batch or its pass.

    Its largest number lies in the upper half of what eight bits hold. The scale is a power of two, so that it costs one
    byte and multiplying by it rounds nothing.
    """

    def __init__(
        self, num_blocks: int, block_size: int, heads: tuple[int, int], dtype: torch.dtype, device: torch.device
    ) -> None:
        """See `KvRows`; `dtype` is that of what is read."""
        super().__init__(num_blocks, block_size, heads, torch.uint8, device)
        self._heads = heads
        self._dtype = dtype
        self.exponents = untouched_zeros((num_blocks, block_size, heads[0]), torch.int8, device)

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """See `KvRows`."""
        assert self.exponents is not None
        return (self.numbers, self.exponents)

    def rounded(self, heads: Tensor) -> Tensor:
        """See `KvRows`."""
        return decoded(*encoded(heads)).to(self._dtype)

    def write(self, slots: Tensor, rows: Tensor) -> None:
        """See `KvRows`."""
        numbers, exponents = self.tensors
        codes, of_heads = encoded(rows.view(len(rows), *self._heads))
        numbers.view(-1, self.width).index_copy_(0, slots, codes.flatten(1))
        exponents.view(-1, self._heads[0]).index_copy_(0, slots, of_heads)

    def read_slots(self, slots: Tensor) -> Tensor:
        """See `KvRows`."""
        return self._read(slots, first=2).flatten(1)

    def read_blocks(self, blocks: Tensor, out: Tensor | None = None) -> Tensor:  # noqa: ARG002 # of other numbers
        """See `KvRows`."""
        return self._read(blocks, first=1).flatten(1)

    def make_finite(self, blocks: Items[int]) -> None:
        """See `KvRows`."""
        _, exponents = self.tensors  # the bytes of such a head are zeros already
        exponents[list(blocks)] = exponents[list(blocks)].clamp_min(MIN_EXPONENT)

    def _read(self, places: Tensor, first: int) -> Tensor:
        """(n, [block size,] heads, head dim); with `first` 2, places are slots."""
        numbers, exponents = self.tensors
        if first > 1:
            numbers, exponents = numbers.flatten(0, 1), exponents.flatten(0, 1)
        codes = numbers.index_select(0, places)
        return decoded(codes.view(*codes.shape[:-1], *self._heads), exponents.index_select(0, places)).to(self._dtype)


def encoded(heads: Tensor) -> tuple[Tensor, Tensor]:
    """Bytes of (..., head dim), and the exponents of the heads, (...), by which the largest of a head just fits."""
    heads = heads.float()
    of_largest = (heads.abs().amax(-1) / MAX_FP8).view(torch.int32) >> 23  # exponent of a float32, biased
    finite = of_largest < 255
    exponents = torch.where(finite, of_largest - 126, 0).clamp_min_(MIN_EXPONENT)
    scaled = torch.where(finite[..., None], heads * _powers_of_two(-exponents)[..., None], 0)
    codes = scaled.to(torch.float8_e4m3fn).view(torch.uint8)
    return codes, torch.where(finite, exponents, NON_FINITE_EXPONENT).to(torch.int8)


def decoded(codes: Tensor, exponents: Tensor) -> Tensor:
    """float32, (..., head dim)."""
    scales = torch.where(exponents == NON_FINITE_EXPONENT, torch.nan, _powers_of_two(exponents.int()))
    return codes.view(torch.float8_e4m3fn).float() * scales[..., None]


def _powers_of_two(exponents: Tensor) -> Tensor:
    """float32, to the bit on every device."""
    return (exponents + 127 << 23).view(torch.float32)


KV_ROWS_TYPES: dict[KvDtype, type[KvRows]] = {"model": KvRows, "fp8": Fp8Rows}
