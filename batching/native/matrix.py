"""Packs matrices in the memory order of the C++ kernels."""

# torch tells only part of its types, so unknowns that come from it are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Literal

import torch
import torch.nn.functional as F  # noqa: N812 # the field's name for it
from torch import Tensor

from batching.native.quantised import rounded
from batching.native.structures import MatrixStruct

Kind = Literal["float32", "bfloat16", "int8"]
KINDS: tuple[Kind, ...] = ("float32", "bfloat16", "int8")
LANES = 16  # floats of the widest register: sizes are multiples of it
UNITS = {"float32": 1, "bfloat16": 2, "int8": 4}
"""Numbers in four bytes."""


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
        in_turn: bool = False,
    ) -> None:
        """`parts` are (out, in) with their biases, one above the other or, with `in_turn`, a panel of each in turn.

        `in` is a multiple of 16; with `in_turn` the outputs of a part are filled up to whole panels.
        """
        self._library = library
        self._width = int(library.pagemill_width())
        self._kind: Kind = kind
        groups = [_Panels.of([part], self._width, kind, library) for part in parts] if in_turn else None
        panels = _Panels.in_turn(groups) if groups else _Panels.of(parts, self._width, kind, library)
        self._panels = panels
        self.num_inputs = int(parts[0][0].shape[1])
        if self.num_inputs % LANES:
            raise ValueError(f"{self.num_inputs} inputs are no multiple of {LANES}")
        self.num_outputs = len(panels.units) * self._width if in_turn else sum(len(weight) for weight, _ in parts)

    @property
    def num_bytes(self) -> int:
        """Of the matrix."""
        tensors = (self._panels.units, self._panels.scales, self._panels.sums)
        return sum(tensor.numel() * tensor.element_size() for tensor in tensors if tensor is not None)

    @property
    def struct(self) -> MatrixStruct:
        """Valid as long as this object is."""
        panels = self._panels
        return MatrixStruct(
            panels=panels.units.data_ptr(),
            bias=_address(panels.bias),
            scales=_address(panels.scales),
            sums=_address(panels.sums),
            num_outputs=self.num_outputs,
            num_units=self.num_inputs // UNITS[self._kind],
            kind=KINDS.index(self._kind),
        )

    def __call__(self, rows: Tensor) -> Tensor:
        """(T, out), float32, of (T, in)."""
        rows = rows.float().contiguous()
        if rows.shape[1:] != (self.num_inputs,):
            raise ValueError(f"rows of {tuple(rows.shape[1:])} numbers by a matrix of {self.num_inputs} inputs")
        out = torch.empty(len(rows), self.num_outputs)
        threads = ctypes.c_int64(torch.get_num_threads())
        self._library.pagemill_product(
            ctypes.byref(self.struct), _address(rows), ctypes.c_int64(len(rows)), _address(out), threads
        )
        return out


class _Panels:
    """The tensors of a packed matrix."""

    def __init__(self, units: Tensor, bias: Tensor | None, scales: Tensor | None, sums: Tensor | None) -> None:
        self.units, self.bias, self.scales, self.sums = units, bias, scales, sums

    @classmethod
    def of(cls, parts: Sequence[tuple[Tensor, Tensor | None]], width: int, kind: Kind, library: ctypes.CDLL) -> _Panels:
        weight = parts[0][0] if len(parts) == 1 else torch.cat([weight for weight, _ in parts])
        biases = [bias for _, bias in parts if bias is not None]
        missing = -len(weight) % width
        scales = sums = None
        if kind == "int8":
            weight, scales = rounded(weight, 127 if library.pagemill_exact_bytes() else 63)
            sums = F.pad(weight.sum(1, dtype=torch.int32) * 128, (0, missing))
            scales = F.pad(scales, (0, missing))
        else:
            weight = weight.to(getattr(torch, kind))
        unit = UNITS[kind]
        numbers = F.pad(weight.detach(), (0, 0, 0, missing)).view(-1, width, weight.shape[1] // unit, unit)
        units = numbers.permute(0, 2, 1, 3).contiguous().view(torch.int32)
        return cls(units, F.pad(torch.cat(biases).float(), (0, missing)) if biases else None, scales, sums)

    @classmethod
    def in_turn(cls, groups: Sequence[_Panels]) -> _Panels:
        width = groups[0].units.shape[2]

        def joined(tensors: list[Tensor | None]) -> Tensor | None:
            views = [tensor.view(-1, 1, width) for tensor in tensors if tensor is not None]
            return torch.cat(views, 1).reshape(-1) if views else None

        units = torch.stack([group.units for group in groups], 1).flatten(0, 1)
        names = ("bias", "scales", "sums")
        return cls(units, *(joined([getattr(group, name) for group in groups]) for name in names))


def _address(tensor: Tensor | None) -> ctypes.c_void_p:
    return ctypes.c_void_p(None if tensor is None else tensor.data_ptr())
