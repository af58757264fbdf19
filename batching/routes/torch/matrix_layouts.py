"""Measures which memory layout of a matrix is fastest on this CPU, of those that work on it."""

# torch tells only part of its types, so unknowns that come from it are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import contextlib
import ctypes
import functools
import time
from collections.abc import Callable, Mapping
from typing import Literal

import torch
import torch.nn.functional as F  # noqa: N812 # the field's name for it
from torch import Tensor

from batching.machine.probe import NotHere, probed
from batching.machine.torch_internals import blocked_linear, blocked_weight
from batching.native.matrix import PackedMatrix, kind_of

Layout = Literal["plain", "blocked", "panels"]
"""plain: as it was made. blocked: oneDNN's own order. panels: that of `native/product.h`."""
Product = Callable[[Tensor], Tensor]

PROBE = (97, 48)  # outputs and inputs of the matrix that a layout is tried with; no multiple of a register
TOLERANCES = {torch.float32: 1e-4, torch.float64: 1e-6}
"""Largest difference in a product, as a fraction of its largest number; other dtypes: `LOW_PRECISION_TOLERANCE`."""
LOW_PRECISION_TOLERANCE = 0.03
ROWS = (8, 32, 128)  # what a layout is measured by
MAX_OUTPUTS = 1024  # of the matrix that is measured: in every layout the time grows with them
ROUNDS = 7
MAX_ROUNDS_S = (
    0.1  # a product that takes longer is not measured again, as in bfloat16 on a processor that only plays it
)
BLOCKED_FOR = 32  # rows, as a hint to oneDNN; 8 gives the same speed, 1 is slower than no packing


def layout_times(
    outputs: int, inputs: int, dtype: torch.dtype, library: ctypes.CDLL | None = None
) -> Mapping[Layout, float]:
    """Time of a product relative to the plain one, measured once for each shape; "panels" is of `library`.

    A layout that does not work on this processor is not among them.

    It is the processor's, of one thread: what else runs on the machine disturbs that least, and threads of torch and of
    the library, which wait actively for some milliseconds, do not take each other's cores.
    """
    num_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return _times(min(outputs, MAX_OUTPUTS), inputs, dtype, library)
    finally:
        torch.set_num_threads(num_threads)


def blocked_product(weight: Tensor, bias: Tensor | None) -> Product:
    """By two operations that torch's compiler uses and does not document; `weight` may go afterwards."""
    with torch.no_grad():
        blocked = blocked_weight(weight.detach(), BLOCKED_FOR)
    return lambda rows: blocked_linear(rows, blocked, bias)


@functools.cache
def layouts(dtype: torch.dtype, library: ctypes.CDLL | None = None) -> Mapping[Layout, Callable[[Tensor], Product]]:
    """How a product is made of a matrix, in each layout whose products are right on this processor."""
    makers: dict[Layout, Callable[[Tensor], Product]] = {"blocked": lambda weight: blocked_product(weight, None)}
    if library is not None:
        makers["panels"] = lambda weight: PackedMatrix(library, [(weight, None)], kind_of(dtype))
    works: dict[Layout, Callable[[Tensor], Product]] = {
        "plain": lambda weight: functools.partial(F.linear, weight=weight)
    }
    chance = torch.Generator().manual_seed(0)
    with torch.inference_mode():
        weight = torch.randn(PROBE, generator=chance).to(dtype)
        for layout, make in makers.items():
            with contextlib.suppress(NotHere):
                probed(
                    f"the {layout} layout of {dtype}",
                    functools.partial(make, weight),
                    functools.partial(_fault, weight),
                )
                works[layout] = make
    return works


def _fault(weight: Tensor, product: Product) -> str | None:
    chance = torch.Generator().manual_seed(1)
    for count in ROWS:
        rows = torch.randn(count, weight.shape[1], generator=chance).to(weight.dtype)
        expected = rows.double() @ weight.double().T
        apart = float((product(rows).double() - expected).abs().max() / expected.abs().max())
        if not apart <= TOLERANCES.get(weight.dtype, LOW_PRECISION_TOLERANCE):
            return f"a product of {count} rows is {apart:.3g} of its largest number off"
    return None


@functools.cache
def _times(
    outputs: int,
    inputs: int,
    dtype: torch.dtype,
    library: ctypes.CDLL | None,
) -> Mapping[Layout, float]:
    with torch.inference_mode():
        weight = torch.ones(outputs, inputs, dtype=dtype)
        products: dict[Layout, Product] = {layout: make(weight) for layout, make in layouts(dtype, library).items()}
        least: dict[Layout, list[float]] = {
            layout: _least_seconds(product, inputs, dtype) for layout, product in products.items()
        }
    relative: dict[Layout, float] = {}
    for layout, seconds in least.items():
        relative[layout] = sum(own / plain for own, plain in zip(seconds, least["plain"], strict=True)) / len(ROWS)
    return relative


def _least_seconds(product: Product, inputs: int, dtype: torch.dtype) -> list[float]:
    """For each number of rows."""
    least: list[float] = []
    for count in ROWS:
        rows = torch.ones(count, inputs, dtype=dtype)
        best = _seconds(product, rows)
        for _ in range(ROUNDS if best < MAX_ROUNDS_S else 0):
            best = min(best, _seconds(product, rows))
        least.append(best)
    return least


def _seconds(product: Product, rows: Tensor) -> float:
    begun = time.thread_time()
    _ = product(rows)
    return time.thread_time() - begun
