"""Packs matrices in the memory order of the C++ kernels."""

# torch tells only part of its types, so unknowns that come from it are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import ctypes
import functools
import time
from collections.abc import Callable, Sequence
from typing import Literal

import torch
import torch.nn.functional as F  # noqa: N812 # the field's name for it
from torch import Tensor

from batching.native.structures import MatrixStruct, address

Kind = Literal["float32", "bfloat16", "int8"]
MATRIX_KINDS: tuple[Kind, ...] = ("float32", "bfloat16", "int8")
LANES = 16  # floats in the widest register; sizes are multiples of it
NUMBERS_PER_WORD = {"float32": 1, "bfloat16": 2, "int8": 4}
"""How many numbers of a kind fit into four bytes."""
MIN_SCALE = 1e-12  # keeps a row of zeros at zero
# outputs and inputs of the matrix that times the C++: large enough to hide the cost of a call
TIMING_SHAPE = (1024, 1024)
TIMING_ROW_COUNTS = (8, 32, 128)
NUM_TIMING_ROUNDS = 8
MAX_ROUND_S = 0.1  # a slower product is timed only once, such as bfloat16 on a processor that emulates it


def kind_of(dtype: torch.dtype) -> Kind:
    """How a matrix of `dtype` is kept unless it is quantised."""
    return "bfloat16" if dtype == torch.bfloat16 else "float32"


class PackedMatrix:
    """(T, in) to (T, out); in int8 each output has a scale, and each row gets one. Rows are independent."""

    def __init__(
        self,
        library: ctypes.CDLL,
        parts: Sequence[tuple[Tensor, Tensor | None]],
        kind: Kind,
        *,
        interleaved: bool = False,
    ) -> None:
        """`parts` are (out, in) with their biases, one above the other or, `interleaved`, a panel of each in turn.

        `in` is a multiple of 16; `interleaved`, the outputs of a part are filled up to whole panels.
        """
        self._library = library
        self._width = int(library.pagemill_width())
        self._kind: Kind = kind
        self.num_inputs = int(parts[0][0].shape[1])
        if self.num_inputs % LANES:
            raise ValueError(f"{self.num_inputs} inputs are no multiple of {LANES}")
        weight = self._joined([weight for weight, _ in parts], interleaved)
        biases = [bias for _, bias in parts if bias is not None]
        self.num_outputs = len(weight)
        self._bias = self._filled(self._joined(biases, interleaved).float()) if biases else None
        self._scales = self._sums = None
        if kind == "int8":
            weight, scales = rounded(weight, 127 if library.pagemill_exact_bytes() else 63)
            self._scales = self._filled(scales)
            self._sums = self._filled(weight.sum(1, dtype=torch.int32) * 128)
        weight = self._filled(weight.to(getattr(torch, kind)))
        numbers = weight.view(-1, self._width, self.num_inputs // NUMBERS_PER_WORD[kind], NUMBERS_PER_WORD[kind])
        self._panels = numbers.permute(0, 2, 1, 3).contiguous().view(torch.int32)

    @property
    def num_bytes(self) -> int:
        """Of the matrix."""
        return sum(tensor.nbytes for tensor in (self._panels, self._scales, self._sums) if tensor is not None)

    @property
    def struct(self) -> MatrixStruct:
        """Valid as long as this object is."""
        return MatrixStruct(
            panels=address(self._panels),
            bias=address(self._bias),
            scales=address(self._scales),
            sums=address(self._sums),
            num_outputs=self.num_outputs,
            num_units=self.num_inputs // NUMBERS_PER_WORD[self._kind],
            kind=MATRIX_KINDS.index(self._kind),
        )

    def __call__(self, rows: Tensor) -> Tensor:
        """(T, out), float32, of (T, in)."""
        rows = rows.float().contiguous()
        if rows.shape[1:] != (self.num_inputs,):
            raise ValueError(f"rows of {tuple(rows.shape[1:])} numbers by a matrix of {self.num_inputs} inputs")
        out = torch.empty(len(rows), self.num_outputs)
        self._library.pagemill_product(
            ctypes.byref(self.struct), address(rows), len(rows), address(out), torch.get_num_threads()
        )
        return out

    def _joined(self, parts: Sequence[Tensor], interleaved: bool) -> Tensor:
        """(out, ...)."""
        parts = [part.detach() for part in parts]
        if not interleaved:
            return parts[0] if len(parts) == 1 else torch.cat(parts)
        panels = [self._filled(part).unflatten(0, (-1, self._width)) for part in parts]
        return torch.stack(panels, 1).flatten(0, 2)

    def _filled(self, outputs: Tensor) -> Tensor:
        """With zeros up to a whole panel."""
        return F.pad(outputs, (0, 0) * (outputs.ndim - 1) + (0, -len(outputs) % self._width))


def rounded(rows: Tensor, top: int) -> tuple[Tensor, Tensor]:
    """(n, in) as int8 of -top to top, and the scale of each row, (n), float32."""
    rows = rows.float()
    scales = rows.abs().amax(-1).div_(top).clamp_min_(MIN_SCALE)
    return (rows / scales[:, None]).round_().clamp_(-top, top).to(torch.int8), scales


@functools.cache
def slowness(library: ctypes.CDLL, dtype: torch.dtype) -> float:
    """Time of a product of the C++ over that of torch's, as measured once.

    It is the processor's time, of one thread: what else runs on the machine disturbs that least, and threads of torch
    and of the library, which wait actively for some milliseconds, do not take each other's cores.
    """
    num_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.inference_mode():
            weight = torch.ones(TIMING_SHAPE, dtype=dtype)
            products = (
                PackedMatrix(library, [(weight, None)], kind_of(dtype)),
                functools.partial(F.linear, weight=weight),
            )
            all_rows = [torch.ones(count, TIMING_SHAPE[1], dtype=dtype) for count in TIMING_ROW_COUNTS]
            times = [[_seconds(product, rows) for rows in all_rows] for product in products]
    finally:
        torch.set_num_threads(num_threads)
    return sum(own / torchs for own, torchs in zip(*times, strict=True)) / len(all_rows)


def _seconds(product: Callable[[Tensor], Tensor], rows: Tensor) -> float:
    """The least of several calls."""
    best = float("inf")
    for _ in range(NUM_TIMING_ROUNDS):
        began = time.thread_time()
        _ = product(rows)
        best = min(best, time.thread_time() - began)
        if best > MAX_ROUND_S:
            break
    return best
