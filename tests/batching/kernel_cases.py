"""Runs the Triton kernel beside plain attention; prints the largest difference of each case, as JSON.

A program of its own: whether Triton interprets or compiles is settled when it is imported.
"""

from __future__ import annotations

import json
import sys

import torch

from batching.kernels import paged_attention as kernel
from batching.paged_attention import paged_attention as plain

CASES = {
    "one head a KV head": (4, 4, 64, 16, (1, 16, 17, 130)),
    "shared KV heads": (14, 2, 64, 16, (33, 5, 128, 47)),
    "odd dims and blocks": (6, 2, 24, 12, (12, 13, 1, 100)),
    "rows of padding": (4, 4, 32, 16, (0, 40, 0, 3)),
    "one long row": (2, 1, 16, 8, (777,)),
}


def main(device: str) -> None:
    torch.manual_seed(0)
    apart: dict[str, float] = {}
    for name, (num_heads, num_kv_heads, dim, block, lengths) in CASES.items():
        for dtype in (torch.float32, torch.bfloat16):
            most = max(-(-length // block) for length in lengths)
            num_blocks = 1 + len(lengths) * most
            pools = [torch.randn(num_blocks, block, num_kv_heads * dim).to(device, dtype) for _ in range(2)]
            order = torch.randperm(num_blocks - 1) + 1
            tables = order.view(len(lengths), most).to(device, torch.int32)
            for row, length in enumerate(lengths):  # what is no context is poisoned
                for slot in range(length, most * block):
                    for pool in pools:
                        pool[tables[row, slot // block], slot % block] = torch.nan
            of_rows = torch.tensor(lengths, dtype=torch.int32, device=device)
            queries = torch.randn(len(lengths), num_heads, dim).to(device, dtype)
            arguments = (queries, *pools, tables, of_rows, dim**-0.5)
            difference = (kernel(*arguments).float() - plain(*arguments).float()).abs()
            apart[f"{name}, {dtype}"] = float(difference.max()) if difference.isfinite().all() else -1.0
    queries, pool = torch.randn(2, 2, 16, device=device), torch.randn(3, 8, 32, device=device)
    pool[1, 2] = torch.nan  # in the context of the first row: it must be told, not passed over
    tables, of_rows = torch.tensor([[1], [2]], device=device), torch.tensor([8, 8], device=device)
    arguments = (queries, pool, pool, tables.int(), of_rows.int(), 0.25)
    nan_places = [torch.isnan(attention(*arguments)).tolist() for attention in (kernel, plain)]
    apart["a NaN in the context"] = 0.0 if nan_places[0] == nan_places[1] == [[True] * 32, [False] * 32] else -1.0
    _ = sys.stdout.write(json.dumps(apart))


if __name__ == "__main__":
    main(sys.argv[1])
