"""Selects the CUDA device of the current thread, and allocates large memory pools."""

# NumPy and torch tell only part of their types, so unknowns that come from them are not errors here
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import numpy as np
import torch
from torch import Tensor

UNSIGNED_TYPES = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}  # keyed by their size in bytes


def on_device(device: torch.device) -> AbstractContextManager[object]:
    """A context in which `device` is current; nothing changes away from CUDA."""
    return torch.cuda.device(device) if device.type == "cuda" else nullcontext()


def untouched_zeros(shape: tuple[int, ...], dtype: torch.dtype, device: torch.device) -> Tensor:
    """Zeros that on a CPU take memory only where they are written.

    torch writes its zeros. A pool of KV blocks is as large as the longest load wants it, and mostly unused: that of the
    published GOT-OCR2 is 3.2 GB for 1,024 blocks in float32. NumPy takes its zeros from the kernel, which gives a page
    of memory at the first write.
    """
    if device.type != "cpu":
        return torch.zeros(shape, dtype=dtype, device=device)
    return torch.from_numpy(np.zeros(shape, UNSIGNED_TYPES[dtype.itemsize])).view(dtype)
