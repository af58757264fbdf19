"""One matrix of the decoder and its product, in the memory layout that is fastest on this CPU."""

# torch tells only part of its types, so unknowns that come from it are not errors here
# pyright: reportUnknownMemberType=false
from __future__ import annotations

import functools

import torch.nn.functional as F  # noqa: N812 # the field's name for it
from torch import Tensor

from batching.routes.torch.matrix_layouts import Layout, blocked_product, layout_times


class Linear:
    """(T, in) to (T, out), contiguous; the matrix is held once."""

    def __init__(self, weight: Tensor, bias: Tensor | None, layout: Layout | None = None) -> None:
        """`weight` is (out, in), `bias` (out); without `layout`: on a CPU the fastest, elsewhere the plain one."""
        self.layout: Layout = layout or _fastest(weight)
        self.num_bytes = weight.numel() * weight.element_size()  # oneDNN's order takes a few more
        self._product = (
            blocked_product(weight, bias)
            if self.layout == "blocked"
            else functools.partial(F.linear, weight=weight.detach(), bias=bias)
        )

    def __call__(self, rows: Tensor) -> Tensor:
        return self._product(rows)


def _fastest(weight: Tensor) -> Layout:
    if weight.device.type != "cpu":
        return "plain"
    times = layout_times(weight.shape[0], weight.shape[1], weight.dtype)
    return min(times, key=times.__getitem__)
