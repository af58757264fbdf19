"""A matrix of the decoder and its product in torch: as it is, or quantised on a CPU (`quantisation`)."""

# torch tells only part of its types, so unknowns that come from it are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Literal

import torch
import torch.nn.functional as F  # noqa: N812 # the field's name for it
from torch import Tensor

from batching.errors import UnsupportedModel
from batching.machine.probe import NotHere, probed
from batching.machine.torch_internals import bytes_product, int4_packed, int4_product, int8_product
from batching.native.matrix import MIN_SCALE, rounded

Quantisation = Literal["none", "int8", "int4", "dynamic_int8"]
"""int8, int4: weights alone, which saves memory. dynamic_int8: the rows, too, as they come, which also saves time."""

GROUP_SIZE = 32  # columns that share a scale in int4
ROWS_INT4 = 16  # rows of a matrix that torch packs together
PROBE_SHAPE = (96, 64)  # outputs and inputs of the matrix that tests whether a kind works


class Linear:
    """(T, in) to (T, out)."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        """`weight` is (out, in), `bias` (out)."""
        self._bias = bias
        self._matrix = self._packed(weight.detach())

    @property
    def num_bytes(self) -> int:
        """Of the matrix."""
        return sum(tensor.nbytes for tensor in self._matrix)

    def __call__(self, rows: Tensor) -> Tensor:
        return F.linear(rows, self._matrix[0], self._bias)

    def _packed(self, weight: Tensor) -> tuple[Tensor, ...]:
        return (weight,)


class QuantisedLinear(Linear):
    """The result of a row does not depend on the other rows, to the bit."""

    def __call__(self, rows: Tensor) -> Tensor:
        product = self._product(rows).float()
        if self._bias is not None:
            product.add_(self._bias)
        return product.to(rows.dtype)

    def _product(self, rows: Tensor) -> Tensor:
        raise NotImplementedError


class Int8Linear(QuantisedLinear):
    """Weights in 8 bits with a scale per output, products in bfloat16."""

    def _packed(self, weight: Tensor) -> tuple[Tensor, ...]:
        whole, scales = rounded(weight, 127)
        return whole, scales.to(torch.bfloat16)

    def _product(self, rows: Tensor) -> Tensor:
        return int8_product(rows.to(torch.bfloat16), *self._matrix)


class Int4Linear(QuantisedLinear):
    """Weights in 4 bits with a scale and a zero for each 32 columns, products in bfloat16."""

    def _packed(self, weight: Tensor) -> tuple[Tensor, ...]:
        """Raises UnsupportedModel: the matrix has a shape that torch cannot pack."""
        rows, columns = weight.shape
        if rows % ROWS_INT4 or columns % GROUP_SIZE:
            raise UnsupportedModel(
                f"int4 takes matrices of {ROWS_INT4}n rows and {GROUP_SIZE}n columns; not {rows} x {columns}"
            )
        groups = weight.float().view(rows, -1, GROUP_SIZE)
        low, high = groups.amin(-1), groups.amax(-1)
        scales = ((high - low) / 15).clamp_min(MIN_SCALE)
        zeros = low + 8 * scales  # torch's product reads q as (q - 8) * scale + zero
        steps = ((groups - zeros[..., None]) / scales[..., None] + 8).round_().clamp_(0, 15)
        packed = int4_packed(steps.to(torch.int32).view(rows, columns))
        return packed, torch.stack([scales, zeros], -1).transpose(0, 1).contiguous().to(torch.bfloat16)

    def _product(self, rows: Tensor) -> Tensor:
        packed, scales = self._matrix
        return int4_product(rows.to(torch.bfloat16), packed, GROUP_SIZE, scales)


class DynamicInt8Linear(QuantisedLinear):
    """Weights in 8 bits with a scale per output, rows in 8 bits with a scale each; sums are exact.

    torch's own dynamic linear takes one scale for all rows, so that a row's result would depend on its batch.
    """

    def _packed(self, weight: Tensor) -> tuple[Tensor, ...]:
        return rounded(weight, 63 if saturates() else 127)

    def _product(self, rows: Tensor) -> Tensor:
        whole, scales = self._matrix
        steps, of_rows = rounded(rows, 127)
        return bytes_product(steps, whole).float().mul_(scales).mul_(of_rows[:, None])


LINEAR_TYPES: dict[Quantisation, Callable[[Tensor, Tensor | None], Linear]] = {
    "none": Linear,
    "int8": Int8Linear,
    "int4": Int4Linear,
    "dynamic_int8": DynamicInt8Linear,
}
QUANTISATION_TOLERANCES: dict[Quantisation, float] = {"int8": 0.15, "int4": 0.6, "dynamic_int8": 0.2}
"""Largest accepted difference from a logit of the unquantised model, as a fraction of the largest logit."""


@functools.cache
def is_here(kind: Quantisation) -> bool:
    """Whether products of this kind work on this processor, whatever the model; the log says what does not."""
    chance = torch.Generator().manual_seed(0)
    weight, rows = torch.randn(PROBE_SHAPE, generator=chance), torch.randn(9, PROBE_SHAPE[1], generator=chance)
    expected = rows @ weight.T

    def fault_of(linear: Linear) -> str | None:
        error = float((linear(rows) - expected).norm() / expected.norm())
        allowed = QUANTISATION_TOLERANCES[kind] / 5  # the errors of many products add up in a logit
        return None if error <= allowed else f"a product is {error:.3g} off, where {allowed:.3g} is allowed"

    try:
        with torch.inference_mode():
            probed(f"the product of {kind}", lambda: LINEAR_TYPES[kind](weight, None), fault_of)
    except NotHere:
        return False
    return True


@functools.cache
def saturates() -> bool:
    """Whether this processor adds products of bytes in 16 bits, as before VNNI: then a weight may have 7 bits."""
    largest = torch.full((16, 64), 127, dtype=torch.int8)
    return bool((bytes_product(largest, largest) != 64 * 127 * 127).any())
