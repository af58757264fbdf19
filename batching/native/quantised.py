"""Quantised matrix products on the CPU: int8 and int4 (`quantisation`)."""

# torch tells only part of its types, so unknowns that come from it are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Literal

import torch
from torch import Tensor

from batching.errors import UnsupportedModel
from batching.machine.probe import NotHere, probed
from batching.machine.torch_internals import bytes_packed, bytes_product, int4_packed, int4_product, int8_product

Quantisation = Literal["none", "int8", "int4", "dynamic_int8"]
"""int8, int4: weights alone, which saves memory. dynamic_int8: the rows, too, as they come, which also saves time."""

GROUP = 32  # columns that share a scale in int4
ROWS_INT4 = 16  # torch packs so many rows of a matrix together
PROBE = (96, 64)  # outputs and inputs of the matrix that a kind is tried with
LEAST = 1e-12  # of a scale: a row of zeros stays zeros


class Int8Linear:
    """(T, in) to (T, out): weights in 8 bits with a scale an output, products in bfloat16."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        """`weight` is (out, in), `bias` (out)."""
        self._weight, scales = rounded(weight, 127)
        self._scales, self._bias = scales.to(torch.bfloat16), bias

    def __call__(self, rows: Tensor) -> Tensor:
        product = int8_product(rows.to(torch.bfloat16), self._weight, self._scales).to(rows.dtype)
        return product if self._bias is None else product.add_(self._bias)

    @property
    def num_bytes(self) -> int:
        """Of the matrix."""
        return _size(self._weight, self._scales)


class Int4Linear:
    """(T, in) to (T, out): weights in 4 bits with a scale and a zero for each 32 columns, products in bfloat16."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        """`weight` is (out, in), `bias` (out).

        Raises:
            UnsupportedModel: the matrix has a shape that torch cannot pack.
        """
        rows, columns = weight.shape
        if rows % ROWS_INT4 or columns % GROUP:
            raise UnsupportedModel(
                f"int4 takes matrices of {ROWS_INT4}n rows and {GROUP}n columns; not {rows} x {columns}"
            )
        groups = weight.float().view(rows, -1, GROUP)
        low, high = groups.amin(-1), groups.amax(-1)
        scales = ((high - low) / 15).clamp_min(LEAST)
        zeros = low + 8 * scales  # torch's product reads q as (q - 8) * scale + zero
        steps = ((groups - zeros[..., None]) / scales[..., None] + 8).round_().clamp_(0, 15)
        self._weight = int4_packed(steps.to(torch.int32).view(rows, columns))
        self._scales = torch.stack([scales, zeros], -1).transpose(0, 1).contiguous().to(torch.bfloat16)
        self._bias = bias

    def __call__(self, rows: Tensor) -> Tensor:
        converted = rows.to(torch.bfloat16)
        product = int4_product(converted, self._weight, GROUP, self._scales).to(rows.dtype)
        return product if self._bias is None else product.add_(self._bias)

    @property
    def num_bytes(self) -> int:
        """Of the matrix."""
        return _size(self._weight, self._scales)


class DynamicInt8Linear:
    """(T, in) to (T, out): weights in 8 bits with a scale an output, rows in 8 bits with a scale each; sums are exact.

    By oneDNN's product of unsigned with signed bytes. torch's own dynamic linear takes one scale for all rows, so that
    a row's result would depend on its batch.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        """`weight` is (out, in), `bias` (out)."""
        whole, self._scales = rounded(weight, 63 if saturates() else 127)
        self._num_bytes = _size(whole, self._scales)
        self._weight = bytes_packed(whole)
        self._zeros = torch.zeros(len(whole), dtype=torch.int32)
        self._bias = bias

    def __call__(self, rows: Tensor) -> Tensor:
        in_float = rows.float()
        scales = in_float.abs().amax(-1, keepdim=True).div_(127).clamp_min_(LEAST)
        steps = (in_float / scales).round_().add_(128).to(torch.uint8)
        product = bytes_product(steps, self._weight, self._scales, self._zeros).mul_(scales)
        if self._bias is not None:
            product.add_(self._bias)
        return product.to(rows.dtype)

    @property
    def num_bytes(self) -> int:
        """Of the matrix; oneDNN's order takes a few more."""
        return self._num_bytes


QuantisedLinear = Int8Linear | Int4Linear | DynamicInt8Linear
KINDS: dict[Quantisation, Callable[[Tensor, Tensor | None], QuantisedLinear]] = {
    "int8": Int8Linear,
    "int4": Int4Linear,
    "dynamic_int8": DynamicInt8Linear,
}
TOLERANCES: dict[Quantisation, float] = {"int8": 0.15, "int4": 0.6, "dynamic_int8": 0.2}
"""Largest accepted difference from a logit of the unquantised model, as a fraction of the largest logit."""


@functools.cache
def is_here(kind: Quantisation) -> bool:
    """Whether products of this kind work on this processor, whatever the model; the log says what does not."""
    chance = torch.Generator().manual_seed(0)
    weight, rows = torch.randn(PROBE, generator=chance), torch.randn(9, PROBE[1], generator=chance)
    expected = rows @ weight.T

    def fault_of(linear: QuantisedLinear) -> str | None:
        error = float((linear(rows) - expected).norm() / expected.norm())
        allowed = TOLERANCES[kind] / 5  # the errors of many products add up in a logit
        return None if error <= allowed else f"a product is {error:.3g} off, where {allowed:.3g} is allowed"

    try:
        with torch.inference_mode():
            probed(f"the product of {kind}", lambda: KINDS[kind](weight, None), fault_of)
    except NotHere:
        return False
    return True


def rounded(weight: Tensor, top: int) -> tuple[Tensor, Tensor]:
    """(out, in) as int8 of -top to top, and the scale of each output, (out), float32."""
    scales = weight.float().abs().amax(-1).div_(top).clamp_min_(LEAST)
    return (weight.float() / scales[:, None]).round_().clamp_(-top, top).to(torch.int8), scales


@functools.cache
def saturates() -> bool:
    """Whether this processor adds products of bytes in 16 bits, as before VNNI: then a weight may have 7 bits."""
    width = 64
    weight = bytes_packed(torch.full((16, width), 127, dtype=torch.int8))
    largest = torch.full((1, width), 255, dtype=torch.uint8)
    product = bytes_product(largest, weight, torch.ones(16), torch.zeros(16, dtype=torch.int32))
    return bool((product != width * 127 * 127).any())


def _size(*tensors: Tensor) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)
