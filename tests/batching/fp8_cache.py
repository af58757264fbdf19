"""Keys and values in eight bits by the definition of the format, in NumPy: an oracle that shares no code with ours."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from transformers import DynamicCache

EIGHT_BITS = np.unique(
    [
        (-1) ** sign * (mantissa / 8 if exponent == 0 else 1 + mantissa / 8) * 2.0 ** (max(exponent, 1) - 7)
        for sign in range(2)
        for exponent in range(16)
        for mantissa in range(8)
        if (exponent, mantissa) != (15, 7)  # NaN
    ]
)
"""All numbers of float8_e4m3fn."""


def rounded(heads: np.ndarray) -> np.ndarray:
    """The nearest numbers, of ties the even one, under the least power of two by which the largest of a head fits."""
    heads = heads.astype(np.float64)
    largest = np.abs(heads).max(-1, keepdims=True)
    with np.errstate(divide="ignore"):
        exponents = np.floor(np.log2(largest / 448)) + 1  # so that a head that would just fill it has room
    scales = np.where(largest > 0, 2.0**exponents, 1.0)
    scaled = heads / scales
    above = np.clip(np.searchsorted(EIGHT_BITS, scaled), 1, len(EIGHT_BITS) - 1)
    low, high = EIGHT_BITS[above - 1], EIGHT_BITS[above]
    even_low = above % 2 == len(EIGHT_BITS) // 2 % 2  # zero is even, and so is every second number from it
    nearer_low = (scaled - low < high - scaled) | ((scaled - low == high - scaled) & ~even_low)
    return np.where(nearer_low, low, high) * scales


class Fp8Cache(DynamicCache):
    """What `generate` sees when each new key and value is rounded before it is kept."""

    def update(self, key_states: Any, value_states: Any, *args: Any, **kwargs: Any) -> Any:
        new = (torch.from_numpy(rounded(states.numpy())).to(states.dtype) for states in (key_states, value_states))
        return super().update(*new, *args, **kwargs)
