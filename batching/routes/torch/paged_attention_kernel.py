"""Paged attention as a Triton kernel for GPUs.

Imports Triton, so only what runs on a GPU imports this.
"""

# Triton's language tells no types
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false, reportMissingParameterType=false, reportUntypedFunctionDecorator=false
# pyright: reportMissingTypeStubs=false, reportArgumentType=false, reportOperatorIssue=false
# ruff: noqa: ANN001, ANN202, N803
from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from batching.kv.kv_rows import NON_FINITE_EXPONENT, KvRows

NUM_SPLITS = 8
"""Parts into which the blocks of a row are shared, so that a long context of few rows fills the GPU, too."""


def paged_attention(
    queries: Tensor, keys: KvRows, values: KvRows, tables: Tensor, lengths: Tensor, scale: float
) -> Tensor:
    """(B, heads * head dim): softmax(scale * query · keys) · values of each row; zeros for a row of length 0.

    `queries` is (B, heads, head dim), `tables` (B, N) the blocks of each row in the order of its context, `lengths` (B)
    how many of their slots are context. Only those count: what lies in others, NaN too, changes nothing. Consecutive
    heads share a KV head. May be captured in a CUDA graph; `benchmarks.plain_paged_attention` is the same in torch.
    """
    num_rows, num_heads, head_dim = queries.shape
    block_size = keys.numbers.shape[1]
    num_kv_heads = keys.width // head_dim
    group = num_heads // num_kv_heads
    parts = torch.empty(num_rows, num_heads, NUM_SPLITS, head_dim + 2, dtype=torch.float32, device=queries.device)
    out = torch.empty(num_rows, num_heads * head_dim, dtype=queries.dtype, device=queries.device)
    padded_dim = triton.next_power_of_2(head_dim)
    # fmt: off
    _attend_split[(num_rows, num_kv_heads, NUM_SPLITS)](
        queries, *_operands(keys), *_operands(values), tables, lengths, parts, scale,
        queries.stride(0), queries.stride(1), tables.stride(0), lengths.stride(0), num_kv_heads,
        GROUP=group, PADDED_GROUP=triton.next_power_of_2(group), DIM=head_dim, PADDED_DIM=padded_dim,
        BLOCK=block_size, PADDED_BLOCK=triton.next_power_of_2(block_size), SPLITS=NUM_SPLITS,
        FP8=keys.exponents is not None, NON_FINITE_EXPONENT=NON_FINITE_EXPONENT,
    )
    # fmt: on
    _merge_splits[(num_rows, num_heads)](parts, out, num_heads, DIM=head_dim, PADDED_DIM=padded_dim, SPLITS=NUM_SPLITS)
    return out


def _operands(rows: KvRows) -> tuple[Tensor, Tensor]:
    """The numbers of a pool and the exponents of its heads; where there are none, something that is not read."""
    if rows.exponents is None:
        return rows.numbers, rows.numbers
    return rows.numbers.view(torch.float8_e4m3fn), rows.exponents


@triton.jit
def _attend_split(
    queries, keys, key_exponents, values, value_exponents, tables, lengths, parts, scale,
    query_row, query_head, table_row, length_row, num_kv_heads,
    GROUP: tl.constexpr, PADDED_GROUP: tl.constexpr, DIM: tl.constexpr, PADDED_DIM: tl.constexpr,
    BLOCK: tl.constexpr, PADDED_BLOCK: tl.constexpr, SPLITS: tl.constexpr,
    FP8: tl.constexpr, NON_FINITE_EXPONENT: tl.constexpr,
):  # fmt: skip
    """The heads of one KV head over one share of a row's blocks: its highest score, sum of weights, weighted values."""
    row, kv_head, split = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    length = tl.load(lengths + row * length_row)
    num_blocks = (length + BLOCK - 1) // BLOCK
    share = (num_blocks + SPLITS - 1) // SPLITS
    first = split * share
    heads, dims, slots = tl.arange(0, PADDED_GROUP), tl.arange(0, PADDED_DIM), tl.arange(0, PADDED_BLOCK)
    is_query = (heads[:, None] < GROUP) & (dims[None, :] < DIM)
    query_heads = kv_head * GROUP + heads
    own = queries + row * query_row + query_heads[:, None] * query_head + dims[None, :]
    query = tl.load(own, mask=is_query, other=0.0).to(tl.float32)
    highest = tl.full([PADDED_GROUP], float("-inf"), tl.float32)
    total = tl.zeros([PADDED_GROUP], tl.float32)
    sums = tl.zeros([PADDED_GROUP, PADDED_DIM], tl.float32)
    for index in range(first, tl.minimum(first + share, num_blocks)):
        block = tl.load(tables + row * table_row + index).to(tl.int64)
        real = (index * BLOCK + slots < length) & (slots < BLOCK)
        head = (block * BLOCK + slots) * num_kv_heads + kv_head
        place = head[:, None] * DIM + dims[None, :]
        mask = real[:, None] & (dims[None, :] < DIM)  # what lies in other slots may be anything, even NaN
        key = tl.load(keys + place, mask=mask, other=0.0).to(tl.float32)
        value = tl.load(values + place, mask=mask, other=0.0).to(tl.float32)
        if FP8:
            key *= _scale_of(key_exponents + head, real, NON_FINITE_EXPONENT)[:, None]
            value *= _scale_of(value_exponents + head, real, NON_FINITE_EXPONENT)[:, None]
        highest, total, sums = _with_block(query, key, value, real, scale, highest, total, sums)
    part = parts + ((row * num_kv_heads * GROUP + query_heads) * SPLITS + split) * (DIM + 2)
    tl.store(part[:, None] + dims[None, :], sums, mask=is_query)
    tl.store(part + DIM, highest, mask=heads < GROUP)
    tl.store(part + DIM + 1, total, mask=heads < GROUP)


@triton.jit
def _scale_of(exponents, real, NON_FINITE_EXPONENT: tl.constexpr):
    """The powers of two by which the numbers of some slots were divided; NaN for what was not finite."""
    exponent = tl.load(exponents, mask=real, other=0)
    power = (exponent.to(tl.int32) + 127 << 23).to(tl.float32, bitcast=True)
    return tl.where(exponent == NON_FINITE_EXPONENT, float("nan"), power)


@triton.jit
def _with_block(query, key, value, real, scale, highest, total, sums):
    """The highest score, sum of weights and weighted values so far, with those of one more block."""
    scores = tl.sum(query[:, None, :] * key[None, :, :], axis=2) * scale
    scores = tl.where(real[None, :], scores, float("-inf"))
    higher = tl.maximum(highest, tl.max(scores, axis=1))
    decay = tl.exp(highest - higher)
    weights = tl.exp(scores - higher[:, None])
    total = total * decay + tl.sum(weights, axis=1)
    sums = sums * decay[:, None] + tl.sum(weights[:, :, None] * value[None, :, :], axis=1)
    return higher, total, sums


@triton.jit
def _merge_splits(parts, out, num_heads, DIM: tl.constexpr, PADDED_DIM: tl.constexpr, SPLITS: tl.constexpr):
    """One head of one row: the shares weighed against each other; zeros for a row without context."""
    row, head = tl.program_id(0), tl.program_id(1)
    splits, dims = tl.arange(0, SPLITS), tl.arange(0, PADDED_DIM)
    part = parts + ((row * num_heads + head) * SPLITS + splits) * (DIM + 2)
    highest = tl.load(part + DIM)
    total = tl.load(part + DIM + 1)
    top = tl.max(highest, axis=0)
    weights = tl.where(total > 0, tl.exp(highest - top), 0.0)  # a share without blocks; -inf less -inf is NaN
    sums = tl.load(part[:, None] + dims[None, :], mask=dims[None, :] < DIM, other=0.0)
    whole = tl.sum(weights * total, axis=0)
    result = tl.sum(sums * weights[:, None], axis=0) / tl.where(whole > 0, whole, 1.0)
    tl.store(out + (row * num_heads + head) * DIM + dims, result.to(out.dtype.element_ty), mask=dims < DIM)
