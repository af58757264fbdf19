"""Builds the tensors of one forward pass without padding (the fast routes): decode groups and prompt parts."""

from __future__ import annotations

from collections.abc import Sequence as Items
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from batching.kv.block_pool import ceil_div
from batching.requests.rope_positions import positions_of
from batching.routes.token_slots import MAX_LENGTH_RATIO, Integers, as_tensor, slots_of
from batching.step_plan import PlanRow

MIN_GROUP_ROWS = 4


@dataclass(frozen=True, slots=True, eq=False)
class DecodeGroup:
    """Rows with one query each, of similar length."""

    tokens: Tensor  # which of the queries they are
    read: Tensor  # (B * N) blocks, padded on the right with the padding block
    mask: Tensor  # (B, 1, 1, N * block size), true where KV is real


@dataclass(frozen=True, slots=True, eq=False)
class PromptPart:
    """Several new tokens of one row; `read` and `mask` (Q, L) are None where nothing came before."""

    first: int
    count: int
    read: Tensor | None
    mask: Tensor | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pack:
    """T new tokens of all rows, one after the other."""

    token_ids: Tensor  # (T)
    position_ids: Tensor  # (T), or (axes, T) where the axes of a row's rope differ; see `Rope`
    firsts: list[int]  # of each row, its first token's place among the T
    lasts: Tensor  # (B), of each row, its last token's place
    write: Tensor  # slots of the new tokens
    decodes: list[DecodeGroup]  # of the rows of one new token
    prompts: list[PromptPart]
    finals: list[DecodeGroup]  # of all B rows, each with its last token as query; `decodes` where all are such

    @classmethod
    def of(cls, rows: Items[PlanRow], block_size: int, device: torch.device) -> Pack:
        """Rows of one token are read together, others alone."""
        counts = np.array([row.count for row in rows])
        ends = counts.cumsum()
        firsts = ends - counts
        single = [at for at, row in enumerate(rows) if row.count == 1 and row.end > 1]
        decodes = _decode_groups(rows, single, firsts, block_size, device)
        every = range(len(rows))
        return cls(
            token_ids=as_tensor(np.concatenate([row.tokens[row.start : row.end] for row in rows]), device),
            position_ids=as_tensor(positions_of((row.owner.rope, row.start, row.end) for row in rows), device),
            firsts=firsts.tolist(),
            lasts=as_tensor(ends - 1, device),
            write=as_tensor(np.concatenate([slots_of(row, row.start, block_size) for row in rows]), device),
            decodes=decodes,
            prompts=[
                _prompt_part(row, int(first), block_size, device)
                for row, first in zip(rows, firsts, strict=True)
                if row.count > 1 or row.end == 1
            ],
            finals=decodes
            if len(single) == len(rows)
            else _decode_groups(rows, every, np.array(every), block_size, device),
        )


def _decode_groups(
    rows: Items[PlanRow], which: Items[int], queries: Integers, block_size: int, device: torch.device
) -> list[DecodeGroup]:
    """Of the rows `which`; row `at` has the query `queries[at]`."""
    return [
        _decode_group([rows[at] for at in group], queries[group], block_size, device)
        for group in _by_length(rows, which)
    ]


def _by_length(rows: Items[PlanRow], which: Items[int]) -> list[list[int]]:
    """Places of rows, grouped so that none is padded far beyond its length."""
    groups: list[list[int]] = []
    for at in sorted(which, key=lambda place: rows[place].end, reverse=True):
        longest = rows[groups[-1][0]].end if groups else 0
        if not groups or (len(groups[-1]) >= MIN_GROUP_ROWS and rows[at].end * MAX_LENGTH_RATIO < longest):
            groups.append([])
        groups[-1].append(at)
    return [sorted(group) for group in groups] if len(groups) == 1 else groups


def _decode_group(rows: list[PlanRow], places: Integers, block_size: int, device: torch.device) -> DecodeGroup:
    ends = np.array([row.end for row in rows])
    most = ceil_div(int(ends.max()), block_size)
    read = np.zeros((len(rows), most), np.int64)
    for at, row in enumerate(rows):
        blocks = row.blocks[:most]
        read[at, : len(blocks)] = blocks
    mask = np.arange(most * block_size) < ends[:, None]
    return DecodeGroup(
        as_tensor(places, device),
        as_tensor(read.reshape(-1), device),
        torch.as_tensor(mask, device=device)[:, None, None],
    )


def _prompt_part(row: PlanRow, first: int, block_size: int, device: torch.device) -> PromptPart:
    if row.start == 0:
        return PromptPart(first, row.count, None, None)
    blocks = row.blocks[: ceil_div(row.end, block_size)]
    mask = np.arange(len(blocks) * block_size) <= np.arange(row.start, row.end)[:, None]
    return PromptPart(
        first, row.count, as_tensor(np.asarray(blocks, np.int64), device), torch.as_tensor(mask, device=device)
    )
