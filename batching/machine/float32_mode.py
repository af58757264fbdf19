"""Runs a model of half precision in float32, casting one tensor at a time."""

# torch tells only part of its types, so unknowns that come from it are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from batching.machine.torch_internals import TorchDispatchMode, tree_map_only, writes_in_place

HALF_PRECISION_DTYPES = (torch.bfloat16, torch.float16)


class Float32Mode(TorchDispatchMode):
    """Every operation takes its tensors of half precision in float32, and so gives float32.

    Raises:
        RuntimeError: something is to be written in place into a tensor of half precision: its copy would be written.
    """

    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        if writes_in_place(func) and any(
            isinstance(arg, Tensor) and arg.dtype in HALF_PRECISION_DTYPES for arg in args[:1]
        ):
            raise RuntimeError(f"{func} writes into a tensor of half precision")
        return func(*tree_map_only(Tensor, _widened, args), **tree_map_only(Tensor, _widened, kwargs or {}))


def _widened(tensor: Tensor) -> Tensor:
    return tensor.float() if tensor.dtype in HALF_PRECISION_DTYPES else tensor
