"""The C structures of `model.h` in ctypes."""

from __future__ import annotations

import ctypes

PARTS = ("products", "attention", "small", "waiting")
"""Of a pass, as `model.h` counts its nanoseconds."""

Address = ctypes.c_void_p
Count = ctypes.c_int64


class MatrixStruct(ctypes.Structure):
    """`Matrix`."""

    _fields_ = (
        ("panels", Address),
        ("bias", Address),
        ("scales", Address),
        ("sums", Address),
        ("num_outputs", Count),
        ("num_units", Count),
        ("kind", Count),
    )


class LayerStruct(ctypes.Structure):
    """`Layer`."""

    _fields_ = (
        ("norm", Address),
        ("q_norm", Address),
        ("k_norm", Address),
        ("mlp_norm", Address),
        ("qkv", MatrixStruct),
        ("out", MatrixStruct),
        ("gate_up", MatrixStruct),
        ("down", MatrixStruct),
        ("keys", Address),
        ("values", Address),
    )


class ModelStruct(ctypes.Structure):
    """`Model`."""

    _fields_ = (
        ("layers", ctypes.POINTER(LayerStruct)),
        ("embedding", Address),
        ("norm", Address),
        ("rope", Address),
        ("head", MatrixStruct),
        ("num_layers", Count),
        ("hidden", Count),
        ("intermediate", Count),
        ("num_heads", Count),
        ("num_kv_heads", Count),
        ("head_dim", Count),
        ("rope_length", Count),
        ("block_size", Count),
        ("bf16", Count),
        ("scratch", Address),
        ("scale", ctypes.c_double),
        ("eps", ctypes.c_double),
    )


class PassStruct(ctypes.Structure):
    """`Pass`."""

    _fields_ = (
        ("tokens", Address),
        ("angles", Address),
        ("starts", Address),
        ("counts", Address),
        ("num_blocks", Address),
        ("blocks", Address),
        ("hidden", Address),
        ("logits", Address),
        ("num_rows", Count),
        ("num_threads", Count),
        ("times", Address),
    )
