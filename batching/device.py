"""on_device: makes a device the current one, as streams, events and kernels of CUDA take for granted."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import torch


def on_device(device: torch.device) -> AbstractContextManager[object]:
    """A context in which `device` is current; nothing changes away from CUDA."""
    return torch.cuda.device(device) if device.type == "cuda" else nullcontext()
