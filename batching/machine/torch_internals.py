"""Every use of private and undocumented names of torch and transformers.

Nothing else under `batching` reaches for such a name (tests/deployments/test_private_names.py).

Checked with: torch 2.15.0, transformers 5.23.0
"""

# torch tells only part of its types, so unknowns that come from it are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map_only

__all__ = ["TorchDispatchMode", "tree_map_only"]


def writes_in_place(operation: Any) -> bool:
    """Whether an operation, as `TorchDispatchMode` gets it, changes one of its arguments."""
    return operation._schema.is_mutable


def has_recurrent_state(model: Any) -> bool:
    """Whether a model of transformers says that it keeps a state besides keys and values."""
    return getattr(model, "_is_stateful", False)


def int8_product(rows: Tensor, weight: Tensor, scales: Tensor) -> Tensor:
    """(T, in), (out, in) of int8 and the scale of each output to (T, out); rows and scales are bfloat16."""
    return torch.ops.aten._weight_int8pack_mm(rows, weight, scales)


def int4_packed(steps: Tensor) -> Tensor:
    """(out, in) of int32 from 0 to 15, in the order that `int4_product` takes."""
    return torch.ops.aten._convert_weight_to_int4pack_for_cpu(steps, 1)


def int4_product(rows: Tensor, weight: Tensor, group: int, scales: Tensor) -> Tensor:
    """(T, in) to (T, out); `scales` has scale and zero of each `group` columns and output; all are bfloat16."""
    return torch.ops.aten._weight_int4pack_mm_for_cpu(rows, weight, group, scales)


def bytes_product(rows: Tensor, weight: Tensor) -> Tensor:
    """(T, in), (out, in) to (T, out), int32 of int8; before VNNI, sums of two products of large bytes are cut off."""
    return torch.ops.aten._int_mm(rows, weight.t())
