"""Paged attention in plain torch: the reference for the Triton kernel, and what graphs use on a CPU in tests."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from batching.kv.kv_rows import KvRows, decoded

PagedAttention = Callable[[Tensor, KvRows, KvRows, Tensor, Tensor, float], Tensor]


def paged_attention(
    queries: Tensor, keys: KvRows, values: KvRows, tables: Tensor, lengths: Tensor, scale: float
) -> Tensor:
    """(B, heads * head dim): softmax(scale * query · keys) · values of each row; zeros for a row of length 0.

    `queries` is (B, heads, head dim), `tables` (B, N) the blocks of each row in the order of its context, `lengths` (B)
    how many of their slots are context. Only those count: what lies in others, NaN too, changes nothing. Consecutive
    heads share a KV head.
    """
    num_rows, num_heads, head_dim = queries.shape
    shape = (num_rows, -1, keys.width // head_dim, head_dim)
    own_keys, own_values = (_blocks(pool, tables.long(), head_dim).reshape(shape) for pool in (keys, values))
    real = torch.arange(own_keys.shape[1], device=queries.device)[None] < lengths[:, None]
    own_keys, own_values = (torch.where(real[:, :, None, None], vectors, 0) for vectors in (own_keys, own_values))
    by_kv_head = queries.float().view(num_rows, shape[2], num_heads // shape[2], head_dim)
    scores = torch.einsum("bkgd,blkd->bkgl", by_kv_head, own_keys) * scale
    weights = scores.masked_fill(~real[:, None, None], -torch.inf).softmax(dim=-1)
    weights = torch.where((lengths > 0)[:, None, None, None], weights, 0)
    return torch.einsum("bkgl,blkd->bkgd", weights, own_values).reshape(num_rows, -1).to(queries.dtype)


def _blocks(pool: KvRows, tables: Tensor, head_dim: int) -> Tensor:
    """float32, (B, N, block size, KV heads, head dim)."""
    numbers = pool.numbers[tables]
    numbers = numbers.view(*numbers.shape[:-1], -1, head_dim)
    return numbers.float() if pool.exponents is None else decoded(numbers, pool.exponents[tables])
