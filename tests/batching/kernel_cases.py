"""Runs the Triton kernel beside plain attention; prints the largest difference of each case, as JSON.

A program of its own: whether Triton interprets or compiles is settled when it is imported.
"""

from __future__ import annotations

import json
import sys

import torch
from torch import Tensor

from batching.kv.kv_rows import KV_ROWS_TYPES, KvDtype, KvRows
from batching.routes.torch.paged_attention_kernel import paged_attention as kernel
from benchmarks.plain_paged_attention import paged_attention as plain

CASES = {
    "one head a KV head": (4, 4, 64, 16, (1, 16, 17, 130)),
    "shared KV heads": (14, 2, 64, 16, (33, 5, 128, 47)),
    "odd dims and blocks": (6, 2, 24, 12, (12, 13, 1, 100)),
    "rows of padding": (4, 4, 32, 16, (0, 40, 0, 3)),
    "one long row": (2, 1, 16, 8, (777,)),
}
NUMBERS: tuple[tuple[KvDtype, torch.dtype], ...] = (
    ("model", torch.float32),
    ("model", torch.bfloat16),
    ("fp8", torch.float32),
)


def kv_rows(kv_dtype: KvDtype, numbers: Tensor, num_heads: int) -> KvRows:
    """A pool's rows that hold `numbers`, (blocks, block size, width)."""
    num_blocks, block_size, width = numbers.shape
    rows = KV_ROWS_TYPES[kv_dtype](
        num_blocks, block_size, (num_heads, width // num_heads), numbers.dtype, numbers.device
    )
    rows.write(torch.arange(num_blocks * block_size, device=numbers.device), numbers.view(-1, width))
    return rows


def in_model_numbers(rows: KvRows, num_heads: int) -> KvRows:
    """The same as they are read back, not in eight bits."""
    blocks = torch.arange(len(rows.numbers), device=rows.numbers.device)
    return kv_rows("model", rows.read_blocks(blocks).view(*rows.numbers.shape), num_heads)


def main(device: str) -> None:
    torch.manual_seed(0)
    apart: dict[str, float] = {}
    for name, (num_heads, num_kv_heads, dim, block, lengths) in CASES.items():
        for kv_dtype, dtype in NUMBERS:
            most = max(-(-length // block) for length in lengths)
            num_blocks = 1 + len(lengths) * most
            numbers = [torch.randn(num_blocks, block, num_kv_heads * dim).to(device, dtype) for _ in range(2)]
            order = torch.randperm(num_blocks - 1) + 1
            tables = order.view(len(lengths), most).to(device, torch.int32)
            for row, length in enumerate(lengths):  # what is no context is poisoned
                for slot in range(length, most * block):
                    for pool in numbers:
                        pool[tables[row, slot // block], slot % block] = torch.nan
            pools = [kv_rows(kv_dtype, pool, num_kv_heads) for pool in numbers]
            same = [in_model_numbers(pool, num_kv_heads) for pool in pools]
            of_rows = torch.tensor(lengths, dtype=torch.int32, device=device)
            queries = torch.randn(len(lengths), num_heads, dim).to(device, dtype)
            context = (tables, of_rows, dim**-0.5)
            expected = plain(queries, *same, *context).float()
            differences = [(attend(queries, *pools, *context).float() - expected).abs() for attend in (kernel, plain)]
            finite = all(difference.isfinite().all() for difference in differences)
            largest = max(float(difference.max()) for difference in differences)
            apart[f"{name}, {kv_dtype}, {dtype}"] = largest if finite else -1.0
    for kv_dtype in KV_ROWS_TYPES:
        apart[f"a NaN in the context, {kv_dtype}"] = 0.0 if _nan_is_seen(kv_dtype, device) else -1.0
    _ = sys.stdout.write(json.dumps(apart))


def _nan_is_seen(kv_dtype: KvDtype, device: str) -> bool:
    """In the context of the first row, by the kernel and by plain attention; the second row has its own numbers."""
    queries, numbers = torch.randn(2, 2, 16, device=device), torch.randn(3, 8, 32, device=device)
    numbers[1, 2] = torch.nan
    pool = kv_rows(kv_dtype, numbers, num_heads=2)
    tables, of_rows = torch.tensor([[1], [2]], device=device), torch.tensor([8, 8], device=device)
    arguments = (queries, pool, pool, tables.int(), of_rows.int(), 0.25)
    expected = [[True] * 32, [False] * 32]
    return all(torch.isnan(attend(*arguments)).tolist() == expected for attend in (kernel, plain))


if __name__ == "__main__":
    main(sys.argv[1])
