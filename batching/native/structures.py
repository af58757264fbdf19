"""The C structures of `model.h` in ctypes, and the addresses that they hold."""

# torch tells only part of its types, so unknowns that come from it are not errors here
# pyright: reportUnknownMemberType=false
from __future__ import annotations

import ctypes
from array import array
from ctypes import c_double, c_int64, c_void_p

from torch import Tensor

PARTS = ("products", "attention", "small", "waiting")
"""Of a pass, as `model.h` counts its nanoseconds."""


def address(numbers: Tensor | array[int] | None) -> int | None:
    """Where they lie in memory, valid as long as they are; null for None."""
    if numbers is None:
        return None
    return numbers.data_ptr() if isinstance(numbers, Tensor) else numbers.buffer_info()[0]


def _all(kind: type, names: str) -> tuple[tuple[str, type], ...]:
    return tuple((name, kind) for name in names.split())


class MatrixStruct(ctypes.Structure):
    """`Matrix`."""

    _fields_ = (*_all(c_void_p, "panels bias scales sums"), *_all(c_int64, "num_outputs num_units kind"))


class LayerStruct(ctypes.Structure):
    """`Layer`."""

    _fields_ = (
        *_all(c_void_p, "norm q_norm k_norm mlp_norm"),
        *_all(MatrixStruct, "qkv out gate_up down"),
        *_all(c_void_p, "keys values"),
    )


class ModelStruct(ctypes.Structure):
    """`Model`."""

    _fields_ = (
        ("layers", ctypes.POINTER(LayerStruct)),
        *_all(c_void_p, "embedding norm rope"),
        ("head", MatrixStruct),
        *_all(c_int64, "num_layers hidden intermediate num_heads num_kv_heads head_dim rope_length block_size bf16"),
        ("scratch", c_void_p),
        *_all(c_double, "scale eps"),
    )


class PassStruct(ctypes.Structure):
    """`Pass`."""

    _fields_ = (
        *_all(c_void_p, "tokens angles starts counts num_blocks blocks hidden logits"),
        *_all(c_int64, "num_rows num_threads"),
        ("times", c_void_p),
    )
