"""Layouts: orders in which a matrix may lie in memory on a CPU, and how fast its product is in each of them here."""

# torch tells only part of its types, so unknowns that come from it are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import ctypes
import functools
import time
from collections.abc import Callable, Mapping
from typing import Literal

import torch
import torch.nn.functional as F  # noqa: N812 # the field's name for it
from torch import Tensor

from batching.native.matrix import PackedMatrix, kind_of

Layout = Literal["plain", "blocked", "panels"]
"""plain: as it was made. blocked: oneDNN's own order. panels: that of `native/product.h`."""
Product = Callable[[Tensor], Tensor]

ROWS = (8, 32, 128)  # what a layout is measured by
MAX_OUTPUTS = 1024  # of the matrix that is measured: in every layout the time grows with them
ROUNDS = 5
BLOCKED_FOR = 32  # rows, as a hint to oneDNN; 8 gives the same speed, 1 is slower than no packing


def layout_times(
    outputs: int, inputs: int, dtype: torch.dtype, library: ctypes.CDLL | None = None
) -> Mapping[Layout, float]:
    """Time of a product relative to the plain one, measured once for each shape; "panels" is of `library`."""
    return _times(min(outputs, MAX_OUTPUTS), inputs, dtype, library, torch.get_num_threads())


def blocked_product(weight: Tensor, bias: Tensor | None) -> Product:
    """By two operations that torch's compiler uses and does not document; `weight` may go afterwards."""
    with torch.no_grad():
        blocked = torch.ops.mkldnn._reorder_linear_weight(weight.detach(), BLOCKED_FOR)
    return lambda rows: torch.ops.mkldnn._linear_pointwise(rows, blocked, bias, "none", [], "")


@functools.cache
def _times(
    outputs: int,
    inputs: int,
    dtype: torch.dtype,
    library: ctypes.CDLL | None,
    num_threads: int,  # noqa: ARG001 # part of the key
) -> Mapping[Layout, float]:
    with torch.inference_mode():
        weight = torch.ones(outputs, inputs, dtype=dtype)
        products: dict[Layout, Product] = {"plain": functools.partial(F.linear, weight=weight)}
        if torch.backends.mkldnn.is_available() and dtype in (torch.float32, torch.bfloat16):
            products["blocked"] = blocked_product(weight, None)
        if library is not None:
            products["panels"] = PackedMatrix(library, [(weight, None)], kind_of(dtype))
        best = dict.fromkeys(products, 0.0)
        for count in ROWS:
            rows = torch.ones(count, inputs, dtype=dtype)
            times = [{layout: _seconds(product, rows) for layout, product in products.items()} for _ in range(ROUNDS)]
            least = {layout: min(each[layout] for each in times) for layout in products}
            for layout in products:
                best[layout] += least[layout] / least["plain"] / len(ROWS)
    return best


def _seconds(product: Product, rows: Tensor) -> float:
    begun = time.perf_counter()
    _ = product(rows)
    return time.perf_counter() - begun
