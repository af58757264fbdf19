"""Which arithmetic a device is quick at."""

from __future__ import annotations

import torch


def has_bfloat16(device: str) -> bool:
    """Whether half-precision products are faster than whole ones; a CPU without AVX-512 only imitates them, slowly."""
    return device != "cpu" or torch.backends.cpu.get_cpu_capability() == "AVX512"
