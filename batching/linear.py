"""Linear: one matrix of a decoder, by the fastest product that torch has for so many rows."""

# torch tells only part of its types, so unknowns that come from it are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812 # the field's name for it
from torch import Tensor

LEAST_WIDE = 1 << 20
"""Elements from which a matrix is packed: smaller ones lie in the cache, where packing wins nothing."""
LAID_OUT_FOR = 32  # rows, as a hint to oneDNN; 8 gives the same speed, 1 is slower than no packing
PACKED_ROWS = (2, 64)
"""How many rows the packed matrix is used for; at one row there is nothing to block, above 64 BLAS is as good."""


class Linear:
    """(T, in) to (T, out), contiguous.

    On the CPU, in float32, a wide matrix is kept a second time in oneDNN's blocked order, as torch's own compiler does
    when it freezes weights: 1.3 to 2 times as fast as `F.linear` at 2 to 32 rows (AVX2, one thread), for twice the
    memory. Each output is one sum over the same products either way.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        """`weight` is (out, in), `bias` (out)."""
        self._weight, self._bias = weight, bias
        self._packed: Tensor | None = None
        wide = weight.numel() >= LEAST_WIDE and weight.device.type == "cpu" and weight.dtype == torch.float32
        if wide and torch.backends.mkldnn.is_available():
            with torch.no_grad():
                self._packed = torch.ops.mkldnn._reorder_linear_weight(weight.detach(), LAID_OUT_FOR)

    @property
    def packed(self) -> bool:
        """Whether the matrix lies in memory twice."""
        return self._packed is not None

    @property
    def weight_and_bias(self) -> tuple[Tensor, Tensor | None]:
        """As it was made."""
        return self._weight, self._bias

    @property
    def num_bytes(self) -> int:
        """Of the matrix, twice where it is packed."""
        return self._weight.numel() * self._weight.element_size() * (2 if self.packed else 1)

    def __call__(self, rows: Tensor) -> Tensor:
        if self._packed is None or not PACKED_ROWS[0] <= len(rows) <= PACKED_ROWS[1]:
            return F.linear(rows, self._weight, self._bias)
        return torch.ops.mkldnn._linear_pointwise(rows, self._packed, self._bias, "none", [], "")
